// render/pixel_font.hpp - letters for pictures. They are part of the program: fonts of the system
// would make other pictures of the same matrix, and empty ones where there is none.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace gedge::cli {

inline constexpr std::size_t kGlyphWidth = 6, kGlyphHeight = 13;
inline constexpr std::size_t kGlyphAscent = 11;  ///< rows above the baseline

/// Rows from the top; in each, bit kGlyphWidth - 1 is the leftmost pixel.
using Glyph = std::array<std::uint8_t, kGlyphHeight>;

/// Of a printable letter of ASCII; of everything else an empty box.
const Glyph& glyph_of(char letter);

}  // namespace gedge::cli
