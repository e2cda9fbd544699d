// codec/words.hpp - fields whose value is one word of a list.
#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "codec/cursor.hpp"
#include "gedge/base/nearest.hpp"

namespace gedge::codec {

/// One of `words`; else reports it with the nearest of them. Null: empty, not reported.
template <typename Words>
std::optional<std::size_t> read_word(Cursor value, const Words& words) {
  const auto text = value.text();
  if (!text) return std::nullopt;
  const auto found = std::find(words.begin(), words.end(), *text);
  if (found != words.end()) return static_cast<std::size_t>(found - words.begin());
  const std::vector<std::string> known(words.begin(), words.end());
  std::string list;
  for (const std::string& word : known) list.append(list.empty() ? "" : ", ").append(word);
  const auto meant = nearest(*text, known);
  const std::string name = value.key() ? quote(value.key()->raw_text()) : "it";
  value.fail(name + " cannot be " + quote(*text),
             meant ? "did you mean " + *meant + "?" : "use one of " + list);
  return std::nullopt;
}

}  // namespace gedge::codec
