// render/heat_picture.hpp - where everything of a heat map lies, in pixels; SVG and PNG draw it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "gedge/latency/matrix.hpp"
#include "gedge/latency/pair_stats.hpp"
#include "term/style.hpp"

namespace gedge::cli {

/// The colours of a picture, 0xRRGGBB: paper, letters, what nobody measured, and the shades.
/// The last are YlOrRd of ColorBrewer (C. Brewer, colorbrewer2.org): rising darkness, which
/// survives printing and colour blindness.
inline constexpr std::size_t kPaper = 0, kLetters = 1, kGrey = 2, kFirstShade = 3;
inline constexpr std::array<std::uint32_t, kFirstShade + kShades> kHeatColours{
    0xffffff, 0x000000, 0xc8c8c8, 0xffffcc, 0xffeda0, 0xfed976,
    0xfeb24c, 0xfd8d3c, 0xfc4e2a, 0xe31a1c, 0xb10026};

enum class TextRun : std::uint8_t { kFrom, kUpTo, kUpward };

/// What a picture is drawn on. Places are pixels from the top left corner.
class HeatCanvas {
 public:
  virtual ~HeatCanvas() = default;
  /// Comes first: a sheet of paper.
  virtual void sheet(std::size_t width, std::size_t height) = 0;
  /// `colour` is an index of kHeatColours; `title` is for whoever points at it.
  virtual void square(std::size_t x, std::size_t y, std::size_t side, std::size_t colour,
                      const std::string& title) = 0;
  /// Letters of at most kLetterWidth pixels on a baseline that begins at (x, y), ends there, or
  /// begins there and goes upward.
  virtual void words(std::size_t x, std::size_t y, TextRun run, std::string_view text) = 0;
};

inline constexpr std::size_t kLetterWidth = 7;

/// At most 256 cells a side, so that no matrix makes a picture that a screen cannot show. Names
/// where there are up to 64 rows. Cost: O(N * N).
void draw_heat(const RttMatrix& matrix, const PairDetails& details, HeatCanvas& canvas);

}  // namespace gedge::cli
