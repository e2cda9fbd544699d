#include "codec/cursor.hpp"

#include <algorithm>
#include <cstring>

#include "codec/fingerprints.hpp"
#include "codec/json_text.hpp"
#include "codec/moulds.hpp"
#include "codec/tape_builder.hpp"

namespace gedge::codec {
namespace {

std::string_view name_of(ScalarType type) {
  switch (type) {
    case ScalarType::kNull:
      return "nothing";
    case ScalarType::kBool:
      return "a boolean";
    case ScalarType::kInteger:
    case ScalarType::kFloat:
      return "a number";
    case ScalarType::kText:
      return "text";
  }
  return "";
}

// YAML also writes +1, 08, .5 and 5. for numbers.
std::string json_number(std::string decimal) {
  const bool negative = decimal[0] == '-';
  if (negative || decimal[0] == '+') decimal.erase(0, 1);
  while (decimal.size() > 1 && decimal[0] == '0' && decimal[1] >= '0' && decimal[1] <= '9')
    decimal.erase(0, 1);
  if (decimal[0] == '.') decimal.insert(0, "0");
  const std::size_t dot = decimal.find('.');
  const bool bare = dot != std::string::npos &&
                    (dot + 1 == decimal.size() || decimal[dot + 1] < '0' || decimal[dot + 1] > '9');
  if (bare) decimal.insert(dot + 1, "0");
  return (negative ? "-" : "") + decimal;
}

}  // namespace

char* TextArena::allocate(std::size_t bytes) {
  if (blocks_.empty() || capacity_ - used_ < bytes) {
    capacity_ = std::max(kBlock, bytes);
    used_ = 0;
    blocks_.push_back(std::make_unique_for_overwrite<char[]>(capacity_));
  }
  char* place = blocks_.back().get() + used_;
  used_ += bytes;
  return place;
}

std::string_view TextArena::copy(std::string_view text) {
  if (text.empty()) return "";
  char* place = allocate(text.size());
  std::memcpy(place, text.data(), text.size());
  return {place, text.size()};
}

void TextArena::clear() {
  if (blocks_.size() == 1 && capacity_ == kBlock) {
    used_ = 0;
    return;
  }
  blocks_.clear();
  used_ = capacity_ = 0;
}

ScalarType Cursor::type() const {
  const TapeEntry& at = entry();
  if (shape() != Shape::kScalar || at.quoted) return ScalarType::kText;
  const ScalarType type = classify_plain({at.text, at.length});
  // JSON has no plain text: what YAML leaves as text is a number beyond every double.
  return tape_->is_json && type == ScalarType::kText ? ScalarType::kFloat : type;
}

std::string_view Cursor::raw_text() const {
  if (shape() != Shape::kScalar) return {};
  if (tape_->mould != nullptr && tape_->mould->reads != nullptr)
    tape_->mould->reads->push_back(index_);
  return content();
}

std::optional<Cursor> Cursor::key() const {
  if (!entry().in_map) return std::nullopt;
  return Cursor(*tape_, index_ - 1);
}

Place Cursor::place() const {
  const Position at = position_of(*tape_, entry());
  return {tape_->source->file(), at.line, at.column};
}

SourceSpan Cursor::where() const {
  const std::size_t quotes = is_quoted() ? 2 : 0;
  return tape_->source->span(position_of(*tape_, entry()), raw_text().size() + quotes);
}

void Cursor::fail(std::string what, std::string hint) const {
  if (diagnostics().is_full()) return diagnostics().drop();
  diagnostics().add(invalid_input(std::move(what), where(), std::move(hint)));
}

void Cursor::warn(std::string code, std::string message) const {
  diagnostics().warn(std::move(code), std::move(message), where());
}

void Cursor::fail_type(std::string_view expected, std::string hint) const {
  if (diagnostics().is_full()) return diagnostics().drop();
  const bool is_endless = type() == ScalarType::kFloat && !decimal_text(raw_text());
  if (is_endless && hint.empty()) hint = "write a finite number";
  std::string what;
  if (const auto name = key()) what = quote(name->raw_text()) + " ";
  what.append("must be ").append(expected).append(", not ");
  if (is_map())
    what += "a map";
  else if (is_list())
    what += "a list";
  else
    what.append(is_endless ? "an infinity or NaN" : name_of(type()));
  if (shape() == Shape::kScalar && !source().hides_values())
    what.append(" (").append(quote(raw_text())).append(")");
  fail(std::move(what), std::move(hint));
}

bool Cursor::expect(Shape wanted, std::string_view name) const {
  if (shape() == wanted) return true;
  if (!is_null()) fail_type(name);
  return false;
}

std::optional<std::string_view> Cursor::text() const {
  const ScalarType kind = type();
  if (shape() == Shape::kScalar) {
    if (kind == ScalarType::kText) return raw_text();
    if (kind == ScalarType::kNull) return std::nullopt;
    const auto example = [&] { return ": \"" + std::string(raw_text().substr(0, 80)) + "\""; };
    fail_type("text", "quote it" + (source().hides_values() ? "" : example()));
    return std::nullopt;
  }
  fail_type("text");
  return std::nullopt;
}

std::optional<bool> Cursor::boolean() const {
  if (is_null()) return std::nullopt;
  if (shape() == Shape::kScalar && type() == ScalarType::kBool) return bool_value(raw_text());
  fail_type("true or false", is_quoted() ? "write it without quotes" : "");
  return std::nullopt;
}

void Cursor::fail_range(std::int64_t least, std::int64_t most) const {
  std::string what;
  if (const auto name = key()) what = quote(name->raw_text()) + " ";
  fail(what + "must be between " + std::to_string(least) + " and " + std::to_string(most) +
       ", not " + quote(raw_text()));
}

std::optional<std::int64_t> Cursor::integer(std::int64_t least, std::int64_t most) const {
  if (is_null()) return std::nullopt;
  const ScalarType kind = type();
  const bool is_number = kind == ScalarType::kInteger || kind == ScalarType::kFloat;
  if (shape() != Shape::kScalar || !is_number) {
    fail_type("a whole number", is_quoted() ? "write it without quotes" : "");
    return std::nullopt;
  }
  const std::optional<std::int64_t> value = integer_value(raw_text());
  if (value && *value >= least && *value <= most) return value;
  if (!value && kind == ScalarType::kFloat)
    fail_type("a whole number");
  else
    fail_range(least, most);
  return std::nullopt;
}

std::optional<std::string> Cursor::text_or_number() const {
  if (is_null()) return std::nullopt;
  const ScalarType kind = type();
  if (shape() == Shape::kScalar) {
    if (kind == ScalarType::kText) return std::string(raw_text());
    if (kind != ScalarType::kBool)
      if (std::optional<std::string> decimal = decimal_text(raw_text())) return decimal;
  }
  fail_type("text or a number");
  return std::nullopt;
}

std::optional<Cursor> Cursor::find(std::string_view key) const {
  if (!is_map()) return std::nullopt;
  for (std::uint32_t at = index_ + 1; at < entry().next; at = tape_->entries[at + 1].next) {
    const TapeEntry& name = tape_->entries[at];
    if (std::string_view(name.text, name.length) == key) return Cursor(*tape_, at + 1);
  }
  return std::nullopt;
}

std::string Cursor::to_json() const {
  std::string out;
  if (is_map()) {
    fields([&](std::string_view name, Cursor value) {
      out += out.empty() ? "{" : ",";
      append_json_text(out, name);
      out.append(":").append(value.to_json());
    });
    return (out.empty() ? "{" : out) + "}";
  }
  if (is_list()) {
    items([&](Cursor item) { out.append(out.empty() ? "[" : ",").append(item.to_json()); });
    return (out.empty() ? "[" : out) + "]";
  }
  switch (type()) {
    case ScalarType::kNull:
      return "null";
    case ScalarType::kBool:
      return bool_value(raw_text()) ? "true" : "false";
    case ScalarType::kInteger:
    case ScalarType::kFloat:
      if (tape_->is_json) return std::string(raw_text());
      if (auto decimal = decimal_text(raw_text())) return json_number(*decimal);
      break;
    case ScalarType::kText:
      break;
  }
  append_json_text(out, raw_text());
  return out;
}

Fingerprint Cursor::fingerprint() const {
  if (index_ == 0 && tape_->fingerprint) return *tape_->fingerprint;
  if (Mould* const known = mould()) return known->fingerprint();
  if (is_map()) {
    Fingerprint sum = kEmptyMap;
    fields([&](std::string_view name, Cursor value) {
      if (value.is_null()) return;
      const Fingerprint key = digest(name, 0);
      sum = sum + (value.shape() == Shape::kScalar && value.type() == ScalarType::kText
                       ? digest(value.content(), text_seed(key))
                       : field_of(key, value.fingerprint()));
    });
    return sum;
  }
  if (is_list()) {
    Fingerprint sum = kEmptyList;
    items([&](Cursor item) { sum = with_item(sum, item.fingerprint()); });
    return sum;
  }
  const std::string_view text = content();
  const ScalarType kind = type();
  if (kind == ScalarType::kText) return text_of(text);
  const auto seed = kTypeSeed + static_cast<std::uint64_t>(kind);
  if (kind == ScalarType::kNull) return digest("", seed);
  if (kind == ScalarType::kBool) return digest(bool_value(text) ? "1" : "0", seed);
  constexpr auto number_seed = kTypeSeed + static_cast<std::uint64_t>(ScalarType::kInteger);
  if (const auto whole = integer_value(text)) return digest(std::to_string(*whole), number_seed);
  return digest(decimal_text(text).value_or(std::string(text)), seed);
}

}  // namespace gedge::codec
