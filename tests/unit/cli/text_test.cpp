#include "term/text.hpp"

#include <doctest/doctest.h>

#include <vector>

using namespace gedge::cli;

TEST_CASE("text: nothing a terminal obeys gets through") {
  CHECK(escape_controls("plain web-0") == "plain web-0");
  CHECK(escape_controls("a\x1b[31mb") == "a\\x1b[31mb");
  CHECK(escape_controls("a\nb\tc\rd") == "a\\nb\\tc\\rd");
  CHECK(escape_controls(std::string_view("\0\x7f", 2)) == "\\x00\\x7f");
  CHECK(escape_controls("\xc2\x9b") ==
        "\\u009b");  // C1: one character that starts an escape sequence
  CHECK(escape_controls("\xe2\x80\xae"
                        "abc") == "\\u202eabc");                // right-to-left override
  CHECK(escape_controls("\xf3\xa0\x81\x81") == "\\U000e0041");  // tag character
}

TEST_CASE("text: what is no UTF-8 is shown byte by byte") {
  CHECK(escape_controls("\xff") == "\\xff");
  CHECK(escape_controls("\xc3") == "\\xc3");                    // cut short
  CHECK(escape_controls("\xc0\xaf") == "\\xc0\\xaf");           // overlong
  CHECK(escape_controls("\xed\xa0\x80") == "\\xed\\xa0\\x80");  // surrogate
  CHECK(escape_controls("\xf4\x90\x80\x80") == "\\xf4\\x90\\x80\\x80");
  CHECK(escape_controls("Zürich 東京") == "Zürich 東京");
}

TEST_CASE("text: width counts columns and not bytes") {
  CHECK(display_width("web-0") == 5);
  CHECK(display_width("Zürich") == 6);
  CHECK(display_width("東京") == 4);
  CHECK(display_width("e\xcc\x81") == 1);  // e and a combining accent
  CHECK(display_width("") == 0);
}

TEST_CASE("text: the middle gives way and start and end stay") {
  CHECK(shorten_middle("short", 5) == "short");
  CHECK(shorten_middle("checkoutservice-7", 10) == "chec..ce-7");
  CHECK(shorten_middle("checkoutservice-7", 11) == "check..ce-7");
  CHECK(shorten_middle("checkoutservice-7", 4) == "chec");
  CHECK(shorten_middle("checkoutservice-7", 0) == "");
}

TEST_CASE("text: shortening never leaves more columns than asked for and never half a character") {
  const std::vector<std::string> samples{"checkoutservice-7", "東京東京東京東京",
                                         "Zürich-Süd-Größe-Ähre", "a東b京c東d京e",
                                         "e\xcc\x81"
                                         "e\xcc\x81"
                                         "e\xcc\x81"
                                         "e\xcc\x81"
                                         "e\xcc\x81"
                                         "e\xcc\x81"};
  for (const std::string& sample : samples)
    for (std::size_t width = 0; width <= display_width(sample) + 1; ++width) {
      const std::string shortened = shorten_middle(sample, width);
      CAPTURE(sample);
      CAPTURE(width);
      CHECK(display_width(shortened) <= width);
      CHECK(escape_controls(shortened) == shortened);  // still valid UTF-8
    }
}

TEST_CASE("text: lines that are too long take several on a screen, colours take no room") {
  CHECK(rows_on_screen("", 10) == 0);
  CHECK(rows_on_screen("a\n", 10) == 1);
  CHECK(rows_on_screen("a\n\nb\n", 10) == 3);
  CHECK(rows_on_screen("0123456789\n", 10) == 1);
  CHECK(rows_on_screen("0123456789a\nb\n", 10) == 3);
  CHECK(rows_on_screen("\x1b[1;31m0123456789\x1b[0m\n", 10) == 1);
  CHECK(rows_on_screen("0123\x1b[1;31m456789a\x1b[0m\n", 10) == 2);
  CHECK(rows_on_screen("東京東京東京\n", 10) == 2);
  CHECK(rows_on_screen("0123456789a\nb\n", 0) == 2);
}

TEST_CASE("text: words are joined as people write them") {
  CHECK(join_words(std::vector<std::string>{}) == "");
  CHECK(join_words(std::vector<std::string>{"a"}) == "a");
  CHECK(join_words(std::vector<std::string>{"a", "b"}) == "a and b");
  CHECK(join_words(std::vector<std::string>{"a", "b", "c"}, ", ", " or ") == "a, b or c");
}
