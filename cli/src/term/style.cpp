#include "term/style.hpp"

#include <algorithm>
#include <array>
#include <rang.hpp>
#include <sstream>

namespace gedge::cli {

bool wants_color(ColorChoice choice, const ColorEnvironment& environment, bool is_terminal) {
  if (choice != ColorChoice::kAuto) return choice == ColorChoice::kAlways;
  if (!environment.no_color.empty()) return false;
  if (!environment.clicolor_force.empty() && environment.clicolor_force != "0") return true;
  return is_terminal && !environment.term.empty() && environment.term != "dumb";
}

std::string Style::paint(Ink ink, std::string_view text) const {
  if (!on_ || ink == Ink::kPlain || text.empty()) return std::string(text);
  rang::setControlMode(
      rang::control::Force);  // this text is coloured; rang's own opinion of streams never counts
  std::ostringstream painted;
  switch (ink) {
    case Ink::kPlain:
      break;
    case Ink::kGood:
      painted << rang::fg::green;
      break;
    case Ink::kWarn:
      painted << rang::fg::yellow;
      break;
    case Ink::kBad:
      painted << rang::fg::red;
      break;
    case Ink::kStrong:
      painted << rang::style::bold;
      break;
    case Ink::kDim:
      painted << rang::style::dim;
      break;
  }
  painted << text << rang::style::reset;
  return painted.str();
}

std::string Style::shade(std::size_t level, std::string_view text) const {
  if (!on_) return std::string(text);
  // Yellow to dark red among the 256 colours of xterm, as rang has 16 only. The light half bears
  // black letters, the dark half white ones.
  constexpr std::array<int, kShades> kBackgrounds{230, 229, 222, 215, 208, 202, 160, 88};
  constexpr int kBlack = 16, kWhite = 231;
  level = std::min(level, kShades - 1);
  const int letters = level < kShades / 2 ? kBlack : kWhite;
  return "\x1b[48;5;" + std::to_string(kBackgrounds[level]) + ";38;5;" + std::to_string(letters) +
         'm' + std::string(text) + "\x1b[0m";
}

}  // namespace gedge::cli
