#include "codec/mould_fingerprint.hpp"

#include <algorithm>

namespace gedge::codec {
namespace {

// One of these entries is `entry` or stands in it.
bool holds_open(const Tape& tape, std::uint32_t entry, const std::vector<std::uint32_t>& open) {
  const auto first = std::lower_bound(open.begin(), open.end(), entry);
  return first != open.end() && *first < tape.entries[entry].next;
}

bool is_scalar(const Tape& tape, std::uint32_t entry) {
  return static_cast<Shape>(tape.entries[entry].shape) == Shape::kScalar;
}

// Not by a cursor, which writes down what is read.
std::string_view text_on(const Tape& tape, std::uint32_t entry) {
  return {tape.entries[entry].text, tape.entries[entry].length};
}

bool is_text(const Cursor& value) {
  return value.shape() == Shape::kScalar && value.type() == ScalarType::kText;
}

// What a field adds to its map.
Fingerprint field_on(const Tape& tape, std::uint32_t entry) {
  const Fingerprint key = digest(text_on(tape, entry - 1), 0);
  const Cursor value(tape, entry);
  if (is_text(value)) return digest(text_on(tape, entry), text_seed(key));
  return value.is_null() ? Fingerprint{} : field_of(key, value.fingerprint());
}

}  // namespace

MouldFingerprint::MouldFingerprint(const Tape& tape, const std::vector<std::uint32_t>& open) {
  rest_ = rest_of(tape, 0, Way{}, open);
}

// What a container that holds open texts adds to the one it stands in, but for those.
Fingerprint MouldFingerprint::rest_of(const Tape& tape, std::uint32_t entry, const Way& way,
                                      const std::vector<std::uint32_t>& open) {
  const bool is_map = static_cast<Shape>(tape.entries[entry].shape) == Shape::kMap;
  return is_map ? rest_of_map(tape, entry, way, open) : rest_of_list(tape, entry, way, open);
}

Fingerprint MouldFingerprint::rest_of_map(const Tape& tape, std::uint32_t entry, const Way& way,
                                          const std::vector<std::uint32_t>& open) {
  Fingerprint sum = kEmptyMap;
  const std::uint32_t end = tape.entries[entry].next;
  for (std::uint32_t at = entry + 2; at < end; at = tape.entries[at].next + 1) {
    if (std::binary_search(open.begin(), open.end(), at - 1)) {
      renamed_.push_back({at, way});
      continue;
    }
    const Fingerprint key = digest(text_on(tape, at - 1), 0);
    if (holds_open(tape, at, open)) {
      const Way step = way_of(key);
      if (is_scalar(tape, at))
        texts_.push_back({at, text_seed(key), way});
      else
        sum = sum + step * rest_of(tape, at, way * step, open);
      continue;
    }
    sum = sum + field_on(tape, at);
  }
  return sum;
}

Fingerprint MouldFingerprint::rest_of_list(const Tape& tape, std::uint32_t entry, const Way& way,
                                           const std::vector<std::uint32_t>& open) {
  const std::uint32_t end = tape.entries[entry].next;
  std::vector<std::uint32_t> items;
  for (std::uint32_t at = entry + 1; at < end; at = tape.entries[at].next) items.push_back(at);
  std::vector<Way> ways(items.size(), way);
  for (std::size_t i = items.size(); i-- > 1;) ways[i - 1] = ways[i] * kNext;
  Fingerprint sum = kEmptyList;
  for (std::size_t i = 0; i < items.size(); ++i) {
    const std::uint32_t at = items[i];
    Fingerprint item;
    if (!holds_open(tape, at, open))
      item = Cursor(tape, at).fingerprint();
    else if (is_scalar(tape, at))
      texts_.push_back(
          {at, kTypeSeed + static_cast<std::uint64_t>(ScalarType::kText), ways[i] * kItem});
    else
      item = rest_of(tape, at, ways[i] * kItem, open);
    sum = with_item(sum, item);
  }
  return sum;
}

Fingerprint MouldFingerprint::present(const Tape& tape) const {
  Fingerprint sum = rest_;
  for (const Text& text : texts_)
    sum = sum + text.way * digest(text_on(tape, text.entry), text.seed);
  for (const Renamed& renamed : renamed_) sum = sum + renamed.way * field_on(tape, renamed.entry);
  return sum;
}

}  // namespace gedge::codec
