// codec/profile_fields.hpp - maps of which every field is known: anything else is a mistake.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "codec/cursor.hpp"
#include "gedge/base/nearest.hpp"

namespace gedge::codec {

inline void fail_unknown(Cursor at, std::string_view what, std::string_view word,
                         const std::vector<std::string>& known) {
  const auto meant = nearest(word, known);
  at.fail("unknown " + std::string(what) + " " + quote(word),
          meant ? "did you mean " + *meant + "?" : "");
}

/// Calls use(key, value) for each field that `known` lists; the others are reported.
template <typename F>
void strict_fields(Cursor map, const std::vector<std::string>& known, F&& use) {
  map.fields([&](std::string_view key, Cursor value) {
    if (std::find(known.begin(), known.end(), key) != known.end())
      use(key, value);
    else
      fail_unknown(value.key().value_or(value), "field", key, known);
  });
}

/// Checks the fields of a map that gedge does not use.
inline void check_fields(Cursor map, const std::vector<std::string>& known) {
  strict_fields(map, known, [](std::string_view, Cursor) {});
}

}  // namespace gedge::codec
