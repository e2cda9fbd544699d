// gedge/pin/cpu_set.hpp - sets of logical CPUs, written as the kernel writes them: "0-3,8,10-11".
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "gedge/base/result.hpp"

namespace gedge {

/// A set of CPU numbers, from 0 to kLast. A value; equal sets are equal whatever they once held.
class CpuSet {
 public:
  static constexpr int kLast = 65'535;  ///< more than any kernel is built for (NR_CPUS: 8,192)

  CpuSet() = default;
  CpuSet(std::initializer_list<int> cpus);
  /// `first` to `last`, both in the set.
  static CpuSet range(int first, int last);

  bool contains(int cpu) const {
    const std::size_t word = static_cast<std::size_t>(cpu) / kBits;
    return cpu >= 0 && word < words_.size() &&
           (words_[word] >> (static_cast<std::size_t>(cpu) % kBits) & 1) != 0;
  }
  bool empty() const { return words_.empty(); }
  int size() const;
  /// -1 where the set is empty.
  int first() const;
  int last() const;
  bool is_subset_of(const CpuSet& other) const;
  bool meets(const CpuSet& other) const;
  /// How many CPUs are in both.
  int common(const CpuSet& other) const;
  /// The `count` lowest, or all.
  CpuSet lowest(int count) const;

  void add(int cpu);
  void remove(int cpu);
  CpuSet& operator|=(const CpuSet& other);
  CpuSet& operator&=(const CpuSet& other);
  CpuSet& operator-=(const CpuSet& other);
  friend CpuSet operator|(CpuSet a, const CpuSet& b) { return a |= b; }
  friend CpuSet operator&(CpuSet a, const CpuSet& b) { return a &= b; }
  friend CpuSet operator-(CpuSet a, const CpuSet& b) { return a -= b; }
  friend bool operator==(const CpuSet&, const CpuSet&) = default;

  /// Calls `visit(cpu)` for each CPU, in ascending order.
  template <typename Visit>
  void for_each(Visit&& visit) const {
    for (std::size_t word = 0; word < words_.size(); ++word)
      for (std::uint64_t left = words_[word]; left != 0; left &= left - 1)
        visit(static_cast<int>(word * kBits) + std::countr_zero(left));
  }
  std::vector<int> list() const;

 private:
  static constexpr std::size_t kBits = 64;
  void trim();
  std::vector<std::uint64_t> words_;  // [(last + 1) / 64, rounded up]; the last one is never 0
};

/// "0-3,8"; empty for the empty set. Cost: O(last / 64 + size).
std::string to_string(const CpuSet& set);

/// Reads the kernel's list format: numbers, ranges, ranges with a stride ("0-15:2/4": the first two
/// of every four), separated by commas, in any order. Blanks and a line end around the whole are
/// ignored; nothing is the empty set. Errors: kInvalidInput.
Result<CpuSet> parse_cpu_set(std::string_view text);

}  // namespace gedge
