// term/text.hpp - text as a terminal shows it: widths in columns, no control characters.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace gedge::cli {

/// `text` with everything a terminal could obey written out: control characters as \n, \t, \x1b or
/// \u009b, bytes that are no UTF-8 as \xNN, characters that change direction or cannot be seen as
/// \u202e.
std::string escape_controls(std::string_view text);

/// Columns of a terminal that escaped text takes: 2 for wide characters, 0 for combining ones.
std::size_t display_width(std::string_view text);

/// Lines that printed text takes on a terminal of that width, 0: one that says none. Colours take
/// no room; what is too long goes on in the next line.
std::size_t rows_on_screen(std::string_view text, std::size_t width);

/// At most `width` columns of `text`: the middle gives way to "..". Below 5 columns the end is cut
/// instead.
std::string shorten_middle(std::string_view text, std::size_t width);

/// The longest start of `text` that fits into `width` columns.
std::string cut_end(std::string_view text, std::size_t width);

/// "a, b and c".
template <typename Range>
std::string join_words(const Range& words, std::string_view separator = ", ",
                       std::string_view last = " and ") {
  std::string joined;
  std::size_t left = words.size();
  for (const auto& word : words) {
    joined += word;
    --left;
    if (left > 0) joined += left == 1 ? last : separator;
  }
  return joined;
}

}  // namespace gedge::cli
