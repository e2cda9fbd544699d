#include "term/text.hpp"

#include <algorithm>
#include <array>
#include <cstdint>

namespace gedge::cli {
namespace {

struct Symbol {
  std::uint32_t code = 0;
  std::size_t length = 1;  // bytes
  bool valid = false;      // false: one byte that is no UTF-8
};

struct CodeRange {
  std::uint32_t first, last;
};

template <std::size_t N>
bool contains(const std::array<CodeRange, N>& ranges, std::uint32_t code) {
  for (const CodeRange& range : ranges)
    if (code >= range.first && code <= range.last) return true;
  return false;
}

// Unicode 15: blocks whose characters are shown on top of the one before.
constexpr std::array<CodeRange, 6> kCombining{{{0x0300, 0x036f},
                                               {0x0483, 0x0489},
                                               {0x1ab0, 0x1aff},
                                               {0x1dc0, 0x1dff},
                                               {0x20d0, 0x20ff},
                                               {0xfe00, 0xfe0f}}};
// Unicode 15, UAX 11: East Asian Wide and Fullwidth, and the emoji blocks.
constexpr std::array<CodeRange, 9> kWide{{{0x1100, 0x115f},
                                          {0x2e80, 0xa4cf},
                                          {0xac00, 0xd7a3},
                                          {0xf900, 0xfaff},
                                          {0xfe30, 0xfe6f},
                                          {0xff00, 0xff60},
                                          {0xffe0, 0xffe6},
                                          {0x1f300, 0x1faff},
                                          {0x20000, 0x3fffd}}};
// C0 and C1 controls; soft hyphen; zero width and direction marks; line separators, embeddings and
// overrides; invisible operators and isolates; byte order mark; interlinear marks; tags.
constexpr std::array<CodeRange, 9> kUnsafe{{{0x00, 0x1f},
                                            {0x7f, 0x9f},
                                            {0xad, 0xad},
                                            {0x200b, 0x200f},
                                            {0x2028, 0x202e},
                                            {0x2060, 0x206f},
                                            {0xfeff, 0xfeff},
                                            {0xfff9, 0xfffb},
                                            {0xe0000, 0xe007f}}};

Symbol decode(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<std::uint8_t>(text[i]); };
  const std::uint32_t lead = byte(0);
  if (lead < 0x80) return {lead, 1, true};
  const std::size_t length = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
  if (lead < 0xc2 || lead > 0xf4 || text.size() < length) return {lead, 1, false};
  std::uint32_t code = lead & (0x7fu >> length);
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xc0) != 0x80) return {lead, 1, false};
    code = code << 6 | (byte(i) & 0x3fu);
  }
  const std::uint32_t least = length == 4 ? 0x10000 : length == 3 ? 0x800 : 0x80;
  const bool surrogate = code >= 0xd800 && code <= 0xdfff;
  if (code < least || code > 0x10ffff || surrogate) return {lead, 1, false};
  return {code, length, true};
}

std::string hex(std::string_view prefix, std::uint32_t value, int digits) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text(prefix);
  for (int shift = (digits - 1) * 4; shift >= 0; shift -= 4) text += kDigits[value >> shift & 0xf];
  return text;
}

std::string escaped(Symbol symbol) {
  if (!symbol.valid) return hex("\\x", symbol.code, 2);
  if (symbol.code == '\n') return "\\n";
  if (symbol.code == '\t') return "\\t";
  if (symbol.code == '\r') return "\\r";
  if (symbol.code < 0x80) return hex("\\x", symbol.code, 2);
  return symbol.code <= 0xffff ? hex("\\u", symbol.code, 4) : hex("\\U", symbol.code, 8);
}

std::size_t width_of(std::uint32_t code) {
  if (contains(kCombining, code)) return 0;
  return contains(kWide, code) ? 2 : 1;
}

// The longest start, or with `from_end` the longest end, that fits into `width` columns.
std::string_view fitting(std::string_view text, std::size_t width, bool from_end) {
  std::size_t best = from_end ? text.size() : 0;
  std::size_t used = 0;
  const std::size_t total = display_width(text);
  for (std::size_t at = 0; at < text.size();) {
    const Symbol symbol = decode(text.substr(at));
    if (from_end && total - used <= width) return text.substr(at);
    used += width_of(symbol.code);
    at += symbol.length;
    if (!from_end && used <= width) best = at;
  }
  return from_end ? std::string_view{} : text.substr(0, best);
}

// Nothing but visible ASCII: most names.
bool is_plain(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return c >= ' ' && c <= '~'; });
}

}  // namespace

std::string escape_controls(std::string_view text) {
  if (is_plain(text)) return std::string(text);
  std::string safe;
  safe.reserve(text.size());
  for (std::size_t at = 0; at < text.size();) {
    const Symbol symbol = decode(text.substr(at));
    if (symbol.valid && !contains(kUnsafe, symbol.code))
      safe.append(text.substr(at, symbol.length));
    else
      safe += escaped(symbol);
    at += symbol.length;
  }
  return safe;
}

std::size_t display_width(std::string_view text) {
  if (is_plain(text)) return text.size();
  std::size_t width = 0;
  for (std::size_t at = 0; at < text.size();) {
    const Symbol symbol = decode(text.substr(at));
    width += width_of(symbol.code);
    at += symbol.length;
  }
  return width;
}

std::size_t rows_on_screen(std::string_view text, std::size_t width) {
  std::size_t rows = 0;
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    std::size_t used = 0;
    for (std::string_view rest = line; !rest.empty();) {
      const std::size_t escape = rest.find('\x1b');
      used += display_width(rest.substr(0, escape));
      if (escape == std::string_view::npos) break;
      rest.remove_prefix(std::min(rest.find('m', escape), rest.size() - 1) + 1);
    }
    rows += width == 0 ? 1 : std::max<std::size_t>(1, (used + width - 1) / width);
  }
  return rows;
}

std::string cut_end(std::string_view text, std::size_t width) {
  return std::string(fitting(text, width, false));
}

std::string shorten_middle(std::string_view text, std::size_t width) {
  constexpr std::size_t kLeastWithDots = 5;
  if (display_width(text) <= width) return std::string(text);
  if (width < kLeastWithDots) return cut_end(text, width);
  const std::string_view end = fitting(text, (width - 2) / 2, true);
  const std::string_view start = fitting(text, width - 2 - display_width(end), false);
  return std::string(start) + ".." + std::string(end);
}

}  // namespace gedge::cli
