#include "gedge/scale/hashed_lists.hpp"

#include <algorithm>
#include <utility>

namespace gedge {

// The slot of that hash, or the free one that it would take.
std::size_t HashedLists::place_of(std::size_t hash) const {
  const std::size_t mask = slots_.size() - 1;
  std::size_t at = hash & mask;
  while (slots_[at].first != kNone && slots_[at].hash != hash) at = (at + 1) & mask;
  return at;
}

void HashedLists::grow() {
  constexpr std::size_t kFew = 16;
  const std::vector<Slot> old =
      std::exchange(slots_, std::vector<Slot>(std::max(kFew, 2 * slots_.size())));
  for (const Slot& slot : old)
    if (slot.first != kNone) slots_[place_of(slot.hash)] = slot;
}

void HashedLists::add(std::size_t hash, std::uint32_t number) {
  if (2 * (taken_ + 1) > slots_.size()) grow();
  Slot& slot = slots_[place_of(hash)];
  const auto link = static_cast<std::uint32_t>(links_.size());
  if (slot.first == kNone) {
    slot = {hash, link, link};
    ++taken_;
  } else {
    if (links_[slot.last].number == number) return;
    links_[slot.last].next = link;
    slot.last = link;
  }
  links_.push_back({number, kNone});
}

}  // namespace gedge
