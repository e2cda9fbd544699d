// codec/watch.cpp - the few fields around an object, without looking into it.
#include "gedge/codec/watch.hpp"

#include <algorithm>
#include <array>
#include <initializer_list>
#include <utility>

#include "codec/json_fields.hpp"
#include "gedge/codec/api_requests.hpp"

namespace gedge {
namespace {

namespace ondemand = simdjson::ondemand;
using codec::end_of;
using codec::for_each_field;
using codec::PaddedText;
using codec::take;

constexpr std::int64_t kSecond = 1'000'000'000, kMostSeconds = 86'400;

constexpr std::array<std::pair<std::string_view, WatchType>, 5> kTypes{{
    {"ADDED", WatchType::kAdded},
    {"MODIFIED", WatchType::kModified},
    {"DELETED", WatchType::kDeleted},
    {"BOOKMARK", WatchType::kBookmark},
    {"ERROR", WatchType::kError},
}};

WatchType type_of(std::string_view word) {
  const auto known = std::find_if(kTypes.begin(), kTypes.end(),
                                  [&](const auto& type) { return type.first == word; });
  return known == kTypes.end() ? WatchType::kOther : known->second;
}

// What is no JSON object was mostly written by somebody else, for people to read.
Error refused(const char* what, simdjson::error_code code, std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \t\r\n");
  const bool is_readable = begin != std::string_view::npos && text[begin] != '{';
  return invalid_input(std::string("the server sent no ") + what + ": " +
                           (is_readable ? codec::begin_of_answer(text.substr(begin))
                                        : simdjson::error_message(code)),
                       {}, "see what stands between gedge and the API server");
}

// The bytes of a list; of anything else, nothing.
simdjson::error_code take_list(ondemand::value value, std::string_view& bytes) {
  ondemand::json_type type{};
  if (const auto error = value.type().get(type)) return error;
  if (type != ondemand::json_type::array) return simdjson::SUCCESS;
  ondemand::array list;
  if (const auto error = value.get_array().get(list)) return error;
  return list.raw_json().get(bytes);
}

simdjson::error_code take_metadata(ondemand::value value, WatchLine& line) {
  ondemand::object metadata;
  if (const auto error = value.get_object().get(metadata)) return error;
  return for_each_field(metadata, [&](std::string_view key, ondemand::value of) {
    if (key == "name") return take(of, line.name);
    if (key == "namespace") return take(of, line.namespace_name);
    if (key == "uid") return take(of, line.uid);
    if (key == "resourceVersion") return take(of, line.version);
    if (key == "managedFields") return take_list(of, line.managed_fields);
    return simdjson::SUCCESS;
  });
}

// What is no number, as a server that fails may say, is left out.
simdjson::error_code take_details(ondemand::value value, WatchLine& line) {
  ondemand::object details;
  if (value.get_object().get(details)) return simdjson::SUCCESS;
  return for_each_field(details, [&](std::string_view key, ondemand::value of) {
    std::int64_t seconds = 0;
    if (key == "retryAfterSeconds" && !of.get_int64().get(seconds))
      line.retry_after = Nanos{kSecond * std::clamp(seconds, std::int64_t{0}, kMostSeconds)};
    return simdjson::SUCCESS;
  });
}

simdjson::error_code take_object(ondemand::value value, WatchLine& line) {
  ondemand::object object;
  if (const auto error = value.get_object().get(object)) return error;
  const auto error = for_each_field(object, [&](std::string_view key, ondemand::value of) {
    if (key == "kind") return take(of, line.kind);
    if (key == "metadata") return take_metadata(of, line);
    if (key == "reason") return take(of, line.reason);
    if (key == "message") return take(of, line.message);
    if (key == "details") return take_details(of, line);
    if (key != "code") return simdjson::SUCCESS;
    std::int64_t code = 0;
    const auto wrong = of.get_int64().get(code);
    line.code = static_cast<int>(std::clamp<std::int64_t>(code, 0, 999));
    return wrong;
  });
  if (error) return error;
  if (const auto wrong = object.reset().error()) return wrong;
  return object.raw_json().get(line.object);
}

}  // namespace

class WatchReader::Parts {
 public:
  // Room for a text, and for others that are somewhat longer: what nobody touches costs nothing,
  // and new room is touched anew.
  simdjson::error_code expect(std::size_t bytes) {
    constexpr std::size_t kLeast = std::size_t{1} << 20;
    return bytes <= parser.capacity() ? simdjson::SUCCESS
                                      : parser.allocate(std::max(kLeast, bytes + bytes / 4));
  }

  PaddedText padded;
  ondemand::parser parser;
};

WatchReader::WatchReader() : parts_(std::make_unique<Parts>()) {}
WatchReader::~WatchReader() = default;

Result<WatchLine> WatchReader::read(std::string_view line, std::size_t padding) {
  const simdjson::padded_string_view text = parts_->padded(line, padding);
  WatchLine read;
  std::string type;
  ondemand::document document;
  ondemand::object event;
  auto error = parts_->parser.iterate(text).get(document);
  if (!error) error = document.get_object().get(event);
  if (!error)
    error = for_each_field(event, [&](std::string_view key, ondemand::value value) {
      if (key == "type") return take(value, type);
      return key == "object" ? take_object(value, read) : simdjson::SUCCESS;
    });
  if (!error) error = end_of(document);
  if (!error && (type.empty() || read.object.empty())) error = simdjson::NO_SUCH_FIELD;
  if (error) return refused("event of a watch", error, line);
  read.type = type_of(type);
  if (read.type == WatchType::kOther) read.message = std::move(type);
  // Into the line that was handed in, not into the copy.
  for (std::string_view* const part : {&read.object, &read.managed_fields})
    if (!part->empty())
      *part = line.substr(static_cast<std::size_t>(part->data() - text.data()), part->size());
  return read;
}

Result<ListMeta> WatchReader::read_list(std::string_view body, std::size_t padding) {
  const simdjson::padded_string_view text = parts_->padded(body, padding);
  ListMeta meta;
  ondemand::document document;
  ondemand::object list, metadata;
  bool has_items = false, has_metadata = false;
  auto error = parts_->expect(text.size());
  if (!error) error = parts_->parser.iterate(text).get(document);
  if (!error) error = document.get_object().get(list);
  if (!error)
    error = for_each_field(list, [&](std::string_view key, ondemand::value value) {
      has_items = has_items || key == "items";
      if (key != "metadata") return simdjson::SUCCESS;
      has_metadata = true;
      if (const auto wrong = value.get_object().get(metadata)) return wrong;
      return for_each_field(metadata, [&](std::string_view name, ondemand::value of) {
        if (name == "resourceVersion") return take(of, meta.version);
        if (name == "continue") return take(of, meta.next);
        return simdjson::SUCCESS;
      });
    });
  if (!error) error = end_of(document);
  if (!error && (!has_items || !has_metadata)) error = simdjson::NO_SUCH_FIELD;
  if (error) return refused("list", error, body);
  return meta;
}

Result<std::vector<std::string>> WatchReader::read_items(std::string_view body,
                                                         std::size_t padding) {
  const simdjson::padded_string_view text = parts_->padded(body, padding);
  std::vector<std::string> items;
  ondemand::document document;
  ondemand::array all;
  auto error = parts_->parser.iterate(text).get(document);
  if (!error) error = document["items"].get_array().get(all);
  if (error) return refused("list", error, body);
  for (auto item : all) {
    ondemand::object object;
    std::string_view bytes;
    error = item.get_object().get(object);
    if (!error) error = object.raw_json().get(bytes);
    if (error) return refused("list", error, body);
    items.emplace_back(bytes);
  }
  return items;
}

Error unknown_change(std::string_view path, const WatchLine& line) {
  Error error;
  error.code = Errc::kInvalidInput;
  error.what = "the watch of " + std::string(path) + " tells a change of type '" + line.message +
               "', which is left alone, as those that follow";
  error.hint = "use a gedge that is as new as the server";
  return error;
}

}  // namespace gedge
