// render/canvas.hpp - what pictures are drawn on, in pixels: SVG and PNG show the same.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "gedge/base/result.hpp"
#include "term/style.hpp"

namespace gedge::cli {

/// The colours of a picture, 0xRRGGBB: paper, letters, what nobody measured, and the shades.
/// The last are YlOrRd of ColorBrewer (C. Brewer, colorbrewer2.org): rising darkness, which
/// survives printing and colour blindness.
inline constexpr std::size_t kPaper = 0, kLetters = 1, kGrey = 2, kFirstShade = 3;
inline constexpr std::array<std::uint32_t, kFirstShade + kShades> kPictureColours{
    0xffffff, 0x000000, 0xc8c8c8, 0xffffcc, 0xffeda0, 0xfed976,
    0xfeb24c, 0xfd8d3c, 0xfc4e2a, 0xe31a1c, 0xb10026};

enum class TextRun : std::uint8_t { kFrom, kUpTo, kUpward };

/// What a picture is drawn on. Places are pixels from the top left corner.
class Canvas {
 public:
  virtual ~Canvas() = default;
  /// Comes first: a sheet of paper, and what the picture shows.
  virtual void sheet(std::size_t width, std::size_t height, std::string_view title) = 0;
  /// `colour` is an index of kPictureColours; `title` is for whoever points at it.
  virtual void block(std::size_t x, std::size_t y, std::size_t width, std::size_t height,
                     std::size_t colour, const std::string& title) = 0;
  /// Letters of at most kLetterWidth pixels on a baseline that begins at (x, y), ends there, or
  /// begins there and goes upward.
  virtual void words(std::size_t x, std::size_t y, TextRun run, std::string_view text) = 0;
};

inline constexpr std::size_t kLetterWidth = 7;

using Drawing = std::function<void(Canvas&)>;
std::string draw_svg(const Drawing& draw);
/// Errors: kInternal where libpng is not there or fails.
Result<std::string> draw_png(const Drawing& draw);

}  // namespace gedge::cli
