// gedge/scale/hashed_lists.hpp - lists of numbers that are found by a hash, all in two arrays.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <string_view>
#include <vector>

namespace gedge {

/// Of texts in an order; where one ends and the next begins counts.
template <std::convertible_to<std::string_view>... Texts>
std::size_t hash_of_texts(const Texts&... texts) {
  constexpr std::size_t kOdd = 0x9e3779b97f4a7c15U;
  std::size_t sum = 0;
  ((sum = (sum ^ std::hash<std::string_view>()(std::string_view(texts))) * kOdd), ...);
  return sum;
}

/// Holds no keys: whoever asks looks whether a number is one of those that were meant, as different
/// keys may have one hash. Cost: O(1) a number that comes or is given.
class HashedLists {
 public:
  static constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();

  bool empty() const { return links_.empty(); }
  /// Behind what is in the list; a number that is its last one already is not added again.
  void add(std::size_t hash, std::uint32_t number);

  /// `take(number)` of each, in the order in which they came.
  template <typename F>
  void each(std::size_t hash, F&& take) const {
    for (std::uint32_t at = first(hash); at != kNone; at = links_[at].next) take(links_[at].number);
  }
  /// The number that came first of those for which `is_it(number)`; kNone if there is none.
  template <typename F>
  std::uint32_t find(std::size_t hash, F&& is_it) const {
    for (std::uint32_t at = first(hash); at != kNone; at = links_[at].next)
      if (is_it(links_[at].number)) return links_[at].number;
    return kNone;
  }

 private:
  struct Slot {
    std::size_t hash = 0;
    std::uint32_t first = kNone, last = kNone;  // links; kNone: the slot is free
  };
  struct Link {
    std::uint32_t number = 0, next = kNone;
  };
  std::uint32_t first(std::size_t hash) const {
    return slots_.empty() ? kNone : slots_[place_of(hash)].first;
  }
  std::size_t place_of(std::size_t hash) const;
  void grow();

  std::vector<Slot> slots_;  // at most half of them taken, so that a search ends
  std::vector<Link> links_;
  std::size_t taken_ = 0;
};

}  // namespace gedge
