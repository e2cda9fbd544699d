// term/style.hpp - whether text is coloured, decided once for each stream, and how.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace gedge::cli {

enum class ColorChoice : std::uint8_t { kAuto, kAlways, kNever };

/// What the environment says about colour. Empty strings stand for unset variables.
struct ColorEnvironment {
  std::string no_color, clicolor_force, term;
};

/// The flag, then NO_COLOR (not empty: off), then CLICOLOR_FORCE (not empty, not "0": on), then
/// whether the stream is a terminal and TERM is not "dumb". Source: no-color.org,
/// bixense.com/clicolors.
bool wants_color(ColorChoice choice, const ColorEnvironment& environment, bool is_terminal);

/// What a piece of text is. Colour only decorates: the meaning is always in a word too.
enum class Ink : std::uint8_t {
  kPlain,
  kGood,    ///< feasible, placed
  kWarn,    ///< stale, nearly over budget
  kBad,     ///< rejected, violated, error
  kStrong,  ///< the choice
  kDim,     ///< hints
};

/// Backgrounds of a heat map.
inline constexpr std::size_t kShades = 8;

class Style {
 public:
  explicit Style(bool on) : on_(on) {}
  bool on() const { return on_; }
  std::string paint(Ink ink, std::string_view text) const;
  /// `text` on the background of a level, 0 to kShades - 1, from light to dark; needs a terminal of
  /// 256 colours.
  std::string shade(std::size_t level, std::string_view text) const;

 private:
  bool on_;
};

}  // namespace gedge::cli
