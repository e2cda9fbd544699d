#include "gedge/snapshot/share_bounds.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <utility>

#include "snapshot/usage_kernels.hpp"

namespace gedge {
namespace {

constexpr std::size_t kRows = Shares::kRows;
// More are put together, whose bounds are wider then.
constexpr std::size_t kMostKinds = 8;
// No share is so small or so large where a block has no row of a kind.
constexpr double kNoneFree = -2, kNoneUsed = -1, kNoTilt = 3;

// Of a logarithm, in steps of a 64th of a doubling.
std::int64_t step_of(std::int64_t amount) {
  return amount < 1 ? -1 : std::lround(std::log2(static_cast<double>(amount)) * 64);
}

}  // namespace

ShareBounds::ShareBounds(const ShareColumns& columns) {
  const std::size_t slots = columns.cpu.size(), blocks = (slots + kRows - 1) / kRows;
  std::map<std::pair<std::int64_t, std::int64_t>, std::uint8_t> kinds;
  kind_of_.resize(slots);
  for (std::size_t row = 0; row < slots; ++row) {
    const std::int64_t cpu = columns.cpu[row], memory = columns.memory[row];
    if (cpu < 1 || memory < 1 || cpu >= kTooLarge || memory >= kTooLarge) continue;  // unbounded
    const auto last = static_cast<std::uint8_t>(std::min(kinds.size(), kMostKinds - 1));
    kind_of_[row] = kinds.try_emplace({step_of(cpu), step_of(memory)}, last).first->second;
    const auto c = static_cast<double>(cpu), m = static_cast<double>(memory);
    if (kind_of_[row] == kinds_.size()) {
      Kind& made = kinds_.emplace_back();
      made.least_cpu = made.least_memory = made.least_ratio =
          std::numeric_limits<double>::infinity();
      for (auto* list : {&made.free_cpu, &made.free_memory, &made.free_sum, &made.least_tilt,
                         &made.most_tilt, &made.most_used})
        list->resize(blocks);
    }
    Kind& kind = kinds_[kind_of_[row]];
    kind.least_cpu = std::min(kind.least_cpu, c);
    kind.most_cpu = std::max(kind.most_cpu, c);
    kind.least_memory = std::min(kind.least_memory, m);
    kind.most_memory = std::max(kind.most_memory, m);
    kind.least_ratio = std::min(kind.least_ratio, c / m);
    kind.most_ratio = std::max(kind.most_ratio, c / m);
  }
  unbounded_ = NodeMask(blocks);
  for (std::uint32_t block = 0; block < blocks; ++block) renew(columns, block);
}

void ShareBounds::renew(const ShareColumns& columns, std::uint32_t block) {
  const std::size_t first = block * kRows;
  const auto rows = static_cast<std::uint32_t>(std::min(kRows, columns.cpu.size() - first));
  Shares shares;
  const UsageBlock cpu{columns.cpu.data() + first, columns.requested_cpu.data() + first,
                       columns.score_cpu.data() + first};
  const UsageBlock memory{columns.memory.data() + first, columns.requested_memory.data() + first,
                          columns.score_memory.data() + first};
  if (!find_shares(cpu, memory, rows, kTooLarge, shares)) return unbounded_.set(NodeIndex{block});
  unbounded_.clear(NodeIndex{block});
  for (Kind& kind : kinds_) {
    kind.free_cpu[block] = kind.free_memory[block] = kind.free_sum[block] = kNoneFree;
    kind.most_used[block] = kNoneUsed;
    kind.most_tilt[block] = -kNoTilt;
    kind.least_tilt[block] = kNoTilt;
  }
  for (std::uint32_t i = 0; i < rows; ++i) {
    Kind& kind = kinds_[kind_of_[first + i]];
    const auto raise = [&](std::vector<double>& most, double value) {
      most[block] = std::max(most[block], value);
    };
    raise(kind.free_cpu, shares.free_cpu[i]);
    raise(kind.free_memory, shares.free_memory[i]);
    raise(kind.free_sum, shares.free_cpu[i] + shares.free_memory[i]);
    raise(kind.most_tilt, shares.tilt[i]);
    raise(kind.most_used, shares.used[i]);
    kind.least_tilt[block] = std::min(kind.least_tilt[block], shares.tilt[i]);
  }
}

}  // namespace gedge
