// gedge/snapshot/hashed_places.hpp - places of a list, found by the hash of the name that is there.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace gedge {

/// Of an object of a namespace, or of one without.
inline std::size_t hash_of_name(std::string_view namespace_name, std::string_view name) {
  constexpr std::size_t kOdd = 0x9e3779b97f4a7c15U;
  const std::hash<std::string_view> hash;
  return (hash(namespace_name) * kOdd) ^ hash(name);
}

/// Follows a list whose objects are replaced where they are, come at its end and go from there.
/// Holds no names: it stays true where the list moves in memory. Cost: O(1) a change or question.
class HashedPlaces {
 public:
  static constexpr std::uint32_t kNowhere = std::numeric_limits<std::uint32_t>::max();

  std::size_t size() const { return hashes_.size(); }
  void reserve(std::size_t places) {
    hashes_.reserve(places);
    places_.reserve(places);
  }
  /// What is at this place now; the place behind the last makes the list longer.
  void put(std::uint32_t place, std::size_t hash);
  /// The list is shorter by its last place.
  void drop_last();
  std::size_t hash_at(std::uint32_t place) const { return hashes_[place]; }

  /// The lowest place of that hash for which `is_it(place)`; kNowhere if there is none.
  template <typename F>
  std::uint32_t find(std::size_t hash, F&& is_it) const {
    std::uint32_t found = kNowhere;
    const auto [begin, end] = places_.equal_range(hash);
    for (auto at = begin; at != end; ++at)
      if (at->second < found && is_it(at->second)) found = at->second;
    return found;
  }

 private:
  void forget(std::uint32_t place);

  std::unordered_multimap<std::size_t, std::uint32_t> places_;  // only looked up
  std::vector<std::size_t> hashes_;                             // [places]
};

}  // namespace gedge
