// codec/json_fields.hpp - a look at single fields of a JSON text, by simdjson's On-Demand.
#pragma once

#include <simdjson.h>

#include <string>
#include <string_view>
#include <utility>

namespace gedge::codec {

/// A text with room behind it, as the parser needs it.
class PaddedText {
 public:
  /// The text itself where it has `padding` bytes behind it, else a copy that lives until the next
  /// call.
  simdjson::padded_string_view operator()(std::string_view text, std::size_t padding = 0) {
    if (padding >= simdjson::SIMDJSON_PADDING)
      return simdjson::padded_string_view(text, text.size() + padding);
    copy_.assign(text);
    copy_.resize(text.size() + simdjson::SIMDJSON_PADDING);
    return simdjson::padded_string_view(copy_.data(), text.size(), copy_.size());
  }

 private:
  std::string copy_;
};

/// Texts that are absent or null stay as they are; anything else is an error.
inline simdjson::error_code take(simdjson::ondemand::value value, std::string& text) {
  bool is_null = false;
  if (const auto error = value.is_null().get(is_null); error || is_null) return error;
  std::string_view found;
  const auto error = value.get_string().get(found);
  if (!error) text = found;
  return error;
}

/// Calls visit(key, value) for each field; what it does not look at is skipped.
template <typename F>
simdjson::error_code for_each_field(simdjson::ondemand::object object, F&& visit) {
  for (auto entry : object) {
    simdjson::ondemand::field field;
    if (const auto error = std::move(entry).get(field)) return error;
    std::string_view key;
    if (const auto error = field.unescaped_key().get(key)) return error;
    if (const auto error = visit(key, field.value())) return error;
  }
  return simdjson::SUCCESS;
}

/// Nothing stands behind a document that was read to its end.
inline simdjson::error_code end_of(simdjson::ondemand::document& document) {
  const char* next = nullptr;
  const bool has_more = document.current_location().get(next) == simdjson::SUCCESS;
  return has_more ? simdjson::TRAILING_CONTENT : simdjson::SUCCESS;
}

}  // namespace gedge::codec
