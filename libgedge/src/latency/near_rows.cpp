#include "latency/near_rows.hpp"

#include <algorithm>
#include <array>

#include "gedge/base/target_clones.hpp"
#include "gedge/base/to_bits.hpp"

namespace gedge {
namespace {

constexpr std::size_t kTile = 64;  // rows and columns, so that a row of a tile is a word

using Tile = std::array<Word, kTile>;

template <std::size_t kCells>
[[gnu::always_inline]] inline Word bits_within(const Rtt* cells, std::size_t count,
                                               std::uint32_t limit) {
  std::array<std::uint8_t, kTile> good{};
  for (std::size_t i = 0; i < (kCells == 0 ? count : kCells); ++i)
    good[i] = cells[i].us <= limit ? 1 : 0;
  return to_bits(good);
}

GEDGE_FOR_EACH_TARGET void read_row(const Rtt* cells, std::size_t count, std::uint32_t limit,
                                    Word* out) {
  std::size_t first = 0;
  for (; first + kTile <= count; first += kTile)
    *out++ = bits_within<kTile>(cells + first, kTile, limit);
  if (first < count) *out = bits_within<0>(cells + first, count - first, limit);
}

// Halves change places, then quarters of each, down to single bits (Hacker's Delight, 7-3).
GEDGE_FOR_EACH_TARGET void transpose(Word* tile) {
  Word low = 0x00000000FFFFFFFFU;
  for (std::size_t step = 32; step != 0; step >>= 1, low ^= low << step)
    for (std::size_t i = 0; i < kTile; ++i) {
      if ((i & step) != 0) continue;
      const Word swapped = (tile[i] >> step ^ tile[i + step]) & low;
      tile[i] ^= swapped << step;
      tile[i + step] ^= swapped;
    }
}

// One direction of the names of a tile: within the limit, and measured at all.
struct Direction {
  Tile within{}, unmeasured{};
};

}  // namespace

NearRows::NearRows(const RttMatrix& matrix, Rtt limit) : NearRows(matrix.size()) {
  const Rtt longest = std::min(limit, kMaxRtt);
  if (matrix.symmetric())
    read_symmetric(matrix, longest);
  else
    read_both_directions(matrix, longest);
  for (std::size_t i = 0; i < size_; ++i) take({words_of(i), words_}, i);
}

void NearRows::read_symmetric(const RttMatrix& matrix, Rtt limit) {
  for (std::size_t i = 0; i < size_; ++i) {
    const auto cells = matrix.row(NameIndex{static_cast<std::uint32_t>(i)});
    read_row(cells.data(), size_, limit.us, words_of(i));
  }
}

// What RttMatrix::between says, for 64 * 64 pairs at once: the larger direction, or the one that is
// measured. Both tiles of a pair of blocks are read while they are near.
void NearRows::read_both_directions(const RttMatrix& matrix, Rtt limit) {
  const auto read = [&](std::size_t top, std::size_t left) {
    Direction out;
    const std::size_t count = std::min(kTile, size_ - left);
    for (std::size_t i = 0; i < std::min(kTile, size_ - top); ++i) {
      const auto cells = matrix.row(NameIndex{static_cast<std::uint32_t>(top + i)}).data() + left;
      read_row(cells, count, limit.us, &out.within[i]);
      Word measured = 0;
      read_row(cells, count, kMaxRtt.us, &measured);
      out.unmeasured[i] = ~measured;
    }
    return out;
  };
  for (std::size_t top = 0; top < size_; top += kTile)
    for (std::size_t left = top; left < size_; left += kTile) {
      const Direction there = read(top, left);
      Direction back = read(left, top);
      transpose(back.within.data());
      transpose(back.unmeasured.data());
      Tile near{};
      for (std::size_t i = 0; i < kTile; ++i)
        near[i] = (there.within[i] & (back.within[i] | back.unmeasured[i])) |
                  (there.unmeasured[i] & back.within[i]);
      for (std::size_t i = 0; top + i < size_ && i < kTile; ++i)
        words_of(top + i)[left / kTile] = near[i];
      transpose(near.data());
      for (std::size_t i = 0; left + i < size_ && i < kTile; ++i)
        words_of(left + i)[top / kTile] = near[i];
    }
}

std::uint64_t NearRows::pairs() const { return count_bits(bits_) / 2; }

GEDGE_FOR_EACH_TARGET std::size_t count_bits(std::span<const Word> bits) {
  std::size_t count = 0;
  for (const Word word : bits) count += static_cast<std::size_t>(std::popcount(word));
  return count;
}

GEDGE_FOR_EACH_TARGET std::size_t count_common(std::span<const Word> a, std::span<const Word> b) {
  std::size_t count = 0;
  for (std::size_t i = 0; i < a.size(); ++i)
    count += static_cast<std::size_t>(std::popcount(a[i] & b[i]));
  return count;
}

GEDGE_FOR_EACH_TARGET bool keep_common(std::span<Word> a, std::span<const Word> b) {
  Word left = 0;
  for (std::size_t i = 0; i < a.size(); ++i) left |= a[i] &= b[i];
  return left != 0;
}

GEDGE_FOR_EACH_TARGET void leave_out(std::span<Word> a, std::span<const Word> b) {
  for (std::size_t i = 0; i < a.size(); ++i) a[i] &= ~b[i];
}

GEDGE_FOR_EACH_TARGET void add_all(std::span<Word> a, std::span<const Word> b) {
  for (std::size_t i = 0; i < a.size(); ++i) a[i] |= b[i];
}

}  // namespace gedge
