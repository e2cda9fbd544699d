// codec/rtt_alike.hpp - numbers that look alike, as nearly all of a table do: some rows of them at
// once, each number as one word.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "gedge/base/duration.hpp"
#include "gedge/base/units.hpp"

namespace gedge::codec {

/// Numbers with as many digits behind the point as those before them, at most seven characters
/// each, one separator behind each. All others are left to who reads any cell, and gives the same.
class AlikeRtts {
 public:
  /// Where a number ends tells where the next begins: of several rows at once nobody waits.
  static constexpr std::size_t kRows = 4;
  using Rows = std::array<std::string_view, kRows>;

  /// How a number and the separator behind it lie in a word, the separator in the highest byte.
  struct Form {
    std::size_t shift = 0;      // of the word, and the place of the first bit that tells its end
    std::size_t behind = 0;     // bytes from there on
    std::uint64_t marks = 0;    // separator and point, where the digit 0 is 0
    std::uint64_t allowed = 0;  // gives a byte its high bit if it may not stand there
    std::uint64_t even = 0, odd = 0;  // what pairs of digits weigh
  };

  /// Whole numbers, until others were seen.
  AlikeRtts(char separator, TimeUnit unit);

  /// Expects numbers that look like the first of these two rows, if both look alike.
  void expect(std::string_view first, std::string_view second);

  /// Up to `count` numbers of each row, as long as all look alike; those of the second row go to
  /// cells[stride]. Returns how many of each were read, and moves behind their separators.
  std::size_t read(Rows& rows, Rtt* cells, std::size_t stride, std::size_t count) const;

 private:
  void set_form(std::size_t fraction);

  char separator_;
  std::size_t shift_;         // digits behind the point down to a microsecond
  std::size_t fraction_ = 0;  // digits behind the point
  bool is_of_use_ = false;    // whole words can tell
  Form form_;
};

}  // namespace gedge::codec
