#include "plan/upper_rows.hpp"

#include <algorithm>
#include <functional>

#include "plan/block_kernels.hpp"

namespace gedge {
namespace {

constexpr std::size_t kBlock = 64;

}  // namespace

// As many of some rows lie above a total as of all.
void UpperRows::find(std::span<const std::int64_t> totals) {
  constexpr std::size_t kSome = 64, kUpper = 12;
  some_.clear();
  const std::size_t step = std::max<std::size_t>(totals.size() / kSome, 1);
  for (std::size_t row = 0; row < totals.size(); row += step)
    if (totals[row] != kOut) some_.push_back({totals[row], static_cast<std::uint32_t>(row)});
  const auto at = some_.begin() + static_cast<std::ptrdiff_t>(kUpper * some_.size() / kSome);
  std::nth_element(some_.begin(), at, some_.end(), [](const Row& a, const Row& b) {
    return a.total != b.total ? a.total > b.total : a.row < b.row;
  });
  least_ = some_.empty() ? kOut + 1 : at->total;
  last_ = some_.empty() ? 0 : at->row;
  rows_ = NodeMask(totals.size());
  for (std::size_t word = 0; word < rows_.words(); ++word) {
    const std::size_t first = word * kBlock;
    const std::span block = totals.subspan(first, std::min(kBlock, totals.size() - first));
    rows_.assign_word(word, upper_of(block, static_cast<std::uint32_t>(first)));
  }
  count_ = rows_.count();
  changes_ = 0;
}

// Bits of the upper rows among those from `first` on.
std::uint64_t UpperRows::upper_of(std::span<const std::int64_t> block, std::uint32_t first) const {
  const auto rows = static_cast<std::uint32_t>(block.size());
  const bool none_is_above = least_ == std::numeric_limits<std::int64_t>::max();
  const std::uint64_t above = none_is_above ? 0 : at_least(block.data(), rows, least_ + 1);
  if (first > last_) return above;
  const std::uint64_t early =
      last_ - first >= kBlock - 1 ? ~std::uint64_t{0} : (std::uint64_t{2} << (last_ - first)) - 1;
  return above | (at_least(block.data(), rows, least_) & early);
}

}  // namespace gedge
