// codec/json_text.hpp - the parts of JSON that are judged byte by byte: strings, numbers, and where
// a broken text breaks.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "codec/cursor.hpp"

namespace gedge::codec {

/// -?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?
bool is_json_number(std::string_view text);

/// Replaces escapes; `text` stands between the quotes. False for an escape that JSON does not have
/// and for half a surrogate pair; `bad` is then its offset.
bool json_unescape(std::string_view text, TextArena& arena, std::string_view& out,
                   std::size_t& bad);

/// Adds `text` as a JSON string, quotes included; of UTF-8.
void append_json_text(std::string& out, std::string_view text);

/// What is wrong with brackets and quotes, and at which byte.
struct JsonBreak {
  std::size_t offset = 0;
  std::string what;  ///< empty: brackets and quotes are in order
  std::string hint = {};
};

/// Looks only at brackets and strings, to explain what the parser refused as a whole.
JsonBreak find_json_break(std::string_view text);

}  // namespace gedge::codec
