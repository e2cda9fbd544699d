#include "plan/upper_rows.hpp"

#include <algorithm>
#include <functional>

#include "plan/block_kernels.hpp"

namespace gedge {

// An eighth of some rows lies above about what an eighth of all does.
void UpperRows::find(std::span<const std::int64_t> totals) {
  constexpr std::size_t kSome = 64, kPart = 8, kBlock = 64;
  some_.clear();
  const std::size_t step = std::max<std::size_t>(totals.size() / kSome, 1);
  for (std::size_t row = 0; row < totals.size(); row += step)
    if (totals[row] != kOut) some_.push_back(totals[row]);
  const auto at = some_.begin() + static_cast<std::ptrdiff_t>(some_.size() / kPart);
  std::nth_element(some_.begin(), at, some_.end(), std::greater<>());
  least_ = some_.empty() ? kOut + 1 : *at;
  rows_ = NodeMask(totals.size());
  for (std::size_t word = 0; word < rows_.words(); ++word) {
    const std::span block = totals.subspan(word * kBlock);
    rows_.assign_word(
        word,
        at_least(block.data(), static_cast<std::uint32_t>(std::min(kBlock, block.size())), least_));
  }
  count_ = rows_.count();
  changes_ = 0;
}

}  // namespace gedge
