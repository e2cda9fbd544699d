// snapshot/name_table.hpp - numbers found by the hash of a name: one array, no names of its own.
#pragma once

#include <bit>
#include <cstdint>
#include <functional>
#include <limits>
#include <string_view>
#include <vector>

namespace gedge {

inline std::size_t hash_name(std::string_view name) { return std::hash<std::string_view>()(name); }

/// Fills `table` with the numbers below `count` by their `hash_of(number)`; at most half full, so
/// that a search ends. Cost: O(count).
template <typename F>
void fill_name_table(std::vector<std::uint32_t>& table, std::size_t count, F&& hash_of) {
  constexpr std::uint32_t kFree = std::numeric_limits<std::uint32_t>::max();
  table.assign(std::bit_ceil(2 * count + 2), kFree);
  const std::size_t mask = table.size() - 1;
  for (std::uint32_t i = 0; i < count; ++i) {
    std::size_t at = hash_of(i) & mask;
    while (table[at] != kFree) at = (at + 1) & mask;
    table[at] = i;
  }
}

/// The lowest number of that hash for which `is_it(number)`; the largest number of all where there
/// is none. `table` was filled.
template <typename F>
std::uint32_t find_in_name_table(const std::vector<std::uint32_t>& table, std::size_t hash,
                                 F&& is_it) {
  constexpr std::uint32_t kFree = std::numeric_limits<std::uint32_t>::max();
  const std::size_t mask = table.size() - 1;
  for (std::size_t at = hash & mask; table[at] != kFree; at = (at + 1) & mask)
    if (is_it(table[at])) return table[at];
  return kFree;
}

}  // namespace gedge
