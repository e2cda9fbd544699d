#include "codec/mould_fingerprint.hpp"

#include <algorithm>

#include "codec/fingerprints.hpp"

namespace gedge::codec {
namespace {

// One of these entries is `entry` or stands in it.
bool holds_open(const Tape& tape, std::uint32_t entry, const std::vector<std::uint32_t>& open) {
  const auto first = std::lower_bound(open.begin(), open.end(), entry);
  return first != open.end() && *first < tape.entries[entry].next;
}

}  // namespace

MouldFingerprint::MouldFingerprint(const Tape& tape, const std::vector<std::uint32_t>& open) {
  add_container(tape, Part{}, open);
}

void MouldFingerprint::add_container(const Tape& tape, const Part& part,
                                     const std::vector<std::uint32_t>& open) {
  const auto number = static_cast<std::uint32_t>(containers_.size());
  const TapeEntry& root = tape.entries[part.entry];
  const bool is_map = static_cast<Shape>(root.shape) == Shape::kMap;
  containers_.push_back({part, is_map, kEmptyMap, {}, {}});
  if (!is_map) containers_[number].items.resize(root.length);
  std::uint32_t item = 0;
  for (std::uint32_t at = part.entry + 1; at < root.next; ++item) {
    const TapeEntry& key = tape.entries[at];
    Part inner{at + (is_map ? 1 : 0), number, item, {}};
    if (is_map) inner.key = digest({key.text, key.length}, 0);
    at = tape.entries[inner.entry].next;
    add_part(tape, inner, open, number);
  }
}

void MouldFingerprint::add_part(const Tape& tape, const Part& part,
                                const std::vector<std::uint32_t>& open, std::uint32_t container) {
  const TapeEntry& entry = tape.entries[part.entry];
  if (holds_open(tape, part.entry, open)) {
    if (static_cast<Shape>(entry.shape) != Shape::kScalar) return add_container(tape, part, open);
    const std::string content(entry.text, entry.length);
    texts_.push_back({part, content, false, text_in_holder(part, content)});
    return;
  }
  const Cursor value(tape, part.entry);
  Container& holder = containers_[container];
  const bool is_text = value.shape() == Shape::kScalar && value.type() == ScalarType::kText;
  const Fingerprint fingerprint =
      is_text ? text_in_holder(part, value.raw_text()) : in_holder(part, value.fingerprint());
  if (!holder.is_map)
    holder.items[part.item] = fingerprint;
  else if (!value.is_null())
    holder.rest = with_field(holder.rest, fingerprint);
}

Fingerprint MouldFingerprint::text_in_holder(const Part& part, std::string_view text) const {
  return containers_[part.holder].is_map ? text_field_of(part.key, text) : text_of(text);
}

Fingerprint MouldFingerprint::in_holder(const Part& part, const Fingerprint& value) const {
  return containers_[part.holder].is_map ? field_of(part.key, value) : value;
}

void MouldFingerprint::put(const Part& part, const Fingerprint& value) {
  Container& holder = containers_[part.holder];
  if (holder.is_map)
    holder.sum = with_field(holder.sum, value);
  else
    holder.items[part.item] = value;
}

Fingerprint MouldFingerprint::present(const Tape& tape) {
  for (Container& container : containers_) container.sum = container.rest;
  for (Text& text : texts_) {
    const TapeEntry& entry = tape.entries[text.part.entry];
    const std::string_view content(entry.text, entry.length);
    if (text.differs || text.content != content) {
      text.differs = true;
      text.value = text_in_holder(text.part, content);
    }
    put(text.part, text.value);
  }
  for (std::size_t i = containers_.size(); i-- > 0;) {
    const Container& container = containers_[i];
    Fingerprint value = kEmptyList;
    if (container.is_map)
      value = map_of(container.sum);
    else
      for (const Fingerprint& item : container.items) value = with_item(value, item);
    if (i == 0) return value;
    put(container.part, in_holder(container.part, value));
  }
  return {};
}

}  // namespace gedge::codec
