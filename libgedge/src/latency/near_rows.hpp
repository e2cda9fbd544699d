// latency/near_rows.hpp - who is within a radius of whom, a bit a pair.
//
// An eighth of a byte a pair where the matrix has four bytes: 12 MiB for 10,000 names. Rows are
// intersected a word at a time, by loops that are built for several instruction sets.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "gedge/latency/matrix.hpp"

namespace gedge {

using Word = std::uint64_t;

inline bool has(std::span<const Word> bits, std::size_t i) {
  return (bits[i / 64] >> i % 64 & 1) != 0;
}
inline void put(std::span<Word> bits, std::size_t i) { bits[i / 64] |= Word{1} << i % 64; }
inline void take(std::span<Word> bits, std::size_t i) { bits[i / 64] &= ~(Word{1} << i % 64); }

/// Row i, bit j: RttMatrix::between(i, j) is measured and at most the limit. No bit is set on the
/// diagonal, nor behind the last name.
class NearRows {
 public:
  /// Reads every cell once, tile by tile. Cost: O(N * N), N * N / 8 bytes.
  NearRows(const RttMatrix& matrix, Rtt limit);
  /// Of that many names, nobody near anybody.
  explicit NearRows(std::size_t size)
      : size_(size), words_((size + 63) / 64), bits_(size_ * words_) {}
  void set(std::size_t i, std::size_t j) { put({words_of(i), words_}, j); }

  std::size_t size() const { return size_; }
  /// Words of a row.
  std::size_t words() const { return words_; }
  std::span<const Word> row(std::size_t i) const { return {bits_.data() + i * words_, words_}; }
  bool test(std::size_t i, std::size_t j) const { return has(row(i), j); }
  /// Pairs within the limit, each counted once.
  std::uint64_t pairs() const;

 private:
  void read_symmetric(const RttMatrix& matrix, Rtt limit);
  void read_both_directions(const RttMatrix& matrix, Rtt limit);
  Word* words_of(std::size_t i) { return bits_.data() + i * words_; }

  std::size_t size_ = 0, words_ = 0;
  std::vector<Word> bits_;  // [N][words]
};

/// Calls visit(index) for every set bit, ascending.
template <typename F>
void for_each_bit(std::span<const Word> bits, F&& visit) {
  for (std::size_t i = 0; i < bits.size(); ++i)
    for (Word word = bits[i]; word != 0; word &= word - 1)
      visit(i * 64 + static_cast<std::size_t>(std::countr_zero(word)));
}

// Loops over words; spans of one call are of one length.
std::size_t count_bits(std::span<const Word> bits);
std::size_t count_common(std::span<const Word> a, std::span<const Word> b);
/// a &= b, and whether a bit is left.
bool keep_common(std::span<Word> a, std::span<const Word> b);
/// a |= b.
void add_all(std::span<Word> a, std::span<const Word> b);
/// a &= ~b.
void leave_out(std::span<Word> a, std::span<const Word> b);

}  // namespace gedge
