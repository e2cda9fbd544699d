#include "codec/json_walker.hpp"

#include <algorithm>
#include <type_traits>

#include "codec/json_text.hpp"

namespace gedge::codec {
namespace {

namespace ondemand = simdjson::ondemand;

constexpr std::string_view kNoJson = "no valid JSON: ";

// NUL where the text ends before a value.
char first_of(std::string_view token) { return token.empty() ? '\0' : token.front(); }

bool is_space(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }

std::string hint_for(char before, char found, char close) {
  if (before == ',' && found == close) return "remove the comma before it";
  if (before == '{' && found == '{') return "if this is a template, render it first";
  const bool is_word = (found >= 'a' && found <= 'z') || (found >= 'A' && found <= 'Z');
  if (is_word && (before == '{' || before == ','))
    return "quote it; text that begins with '{' or '[' is read as JSON";
  return "";
}

}  // namespace

std::string_view trim_json_end(std::string_view text) {
  return text.substr(0, text.find_last_not_of(" \t\r\n") + 1);
}

JsonWalker::JsonWalker(const Source& source, Diagnostics& diagnostics)
    : source_(source), diagnostics_(diagnostics) {
  if (source.bytes().size() <= kMaxBytes) pad();
}

// simdjson reads up to 64 bytes behind the end, and takes the byte right there for the text's end.
void JsonWalker::pad() {
  const std::string_view bytes = source_.bytes();
  size_ = bytes.size();
  data_ = bytes.data();
  if (source_.padding() >= simdjson::SIMDJSON_PADDING &&
      (data_[size_] == '\0' || is_space(data_[size_])))
    return;
  padded_.reserve(size_ + simdjson::SIMDJSON_PADDING);
  padded_.assign(bytes);
  padded_.append(simdjson::SIMDJSON_PADDING, ' ');
  data_ = padded_.data();
}

std::size_t JsonWalker::skip_space(std::size_t at) const {
  while (at < size_ && is_space(data_[at])) ++at;
  return at;
}

simdjson::error_code JsonWalker::open(JsonWindow window, ondemand::document& document) {
  window_ = window;
  document_ = &document;
  return parser_.iterate(window.text, window.size, window.size + simdjson::SIMDJSON_PADDING)
      .get(document);
}

simdjson::error_code JsonWalker::open_rest(std::size_t begin, ondemand::document& document) {
  begin_ = begin;
  return open({data_ + begin, size_ - begin, begin}, document);
}

void JsonWalker::prepare(Tape& tape) const {
  tape.source = &source_;
  tape.diagnostics = &diagnostics_;
  tape.is_json = true;
}

bool JsonWalker::refuse(std::size_t offset, const std::string& what, std::string hint) {
  if (is_silent_) return false;
  const SourceSpan where = source_.span(source_.at_offset(offset));
  diagnostics_.add(invalid_input(std::string(kNoJson) + what, where, std::move(hint)));
  return false;
}

bool JsonWalker::refuse_whole(simdjson::error_code error) {
  if (is_silent_) return false;
  if (error == simdjson::MEMALLOC) return refuse(begin_, "not enough memory for its index");
  const JsonBreak broken = find_json_break({data_ + begin_, size_ - begin_});
  if (!broken.what.empty()) return refuse(begin_ + broken.offset, broken.what, broken.hint);
  return refuse(begin_, simdjson::error_message(error));
}

// What stands before the token tells what is missing.
bool JsonWalker::refuse_structure(char close) {
  if (is_silent_) return false;
  const char* at = nullptr;
  if (document_->current_location().get(at) != simdjson::SUCCESS || offset_of(at) >= size_)
    return refuse_whole(simdjson::TAPE_ERROR);
  const std::string_view before = trim_json_end({data_, offset_of(at)});
  const char last = before.empty() ? '\0' : before.back();
  std::string expected = std::string("',' or '") + close + "'";
  if (last == ',') expected = close == '}' ? "a key in double quotes" : "a value";
  if (last == '{') expected = "a key in double quotes or '}'";
  if (last == '"' && close == '}' && *at != ':') expected = "':', " + expected;
  std::string_view found(at, size_ - offset_of(at));
  found = found.substr(0, std::min<std::size_t>(found.find_first_of(" \t\r\n,:]}", 1), 40));
  return refuse(offset_of(at), quote(found) + " where " + expected + " should stand",
                hint_for(last, *at, close));
}

bool JsonWalker::value(std::string_view key, ondemand::value value, Tape& tape,
                       TapeBuilder& builder) {
  const std::string_view token = value.raw_json_token();
  const Mark at = mark_of(token);
  if (is_behind(token)) return refuse_whole(simdjson::INCOMPLETE_ARRAY_OR_OBJECT);
  if (first_of(token) == '{' || first_of(token) == '[') return container(key, value, tape, builder);
  if (first_of(token) == '"') {
    // Consumed here: what nobody consumes is skipped, and "a": then passes for a key.
    ondemand::raw_json_string consumed;
    if (value.get_raw_json_string().get(consumed)) return refuse_structure(']');
  }
  return scalar(trim_json_end(token), tape, builder, at);
}

bool JsonWalker::container(std::string_view key, ondemand::value& value, Tape& tape,
                           TapeBuilder& builder) {
  const std::string_view token = value.raw_json_token();
  const Mark at = mark_of(token);
  const bool tries = is_element_ && !key.empty() && parts_.worth_trying(key);
  if (token[0] == '{') {
    ondemand::object object;
    if (value.get_object().get(object)) return refuse_structure('}');
    return tries ? shared(object, tape, builder, at) : fill(object, tape, builder, at);
  }
  ondemand::array array;
  if (value.get_array().get(array)) return refuse_structure(']');
  return tries ? shared(array, tape, builder, at) : fill(array, tape, builder, at);
}

// Skipping to the end of a value checks no more than that its brackets are balanced; equal bytes
// were checked before.
template <typename Container>
bool JsonWalker::shared(Container& container, Tape& tape, TapeBuilder& builder, Mark at) {
  constexpr char close = std::is_same_v<Container, ondemand::object> ? '}' : ']';
  std::string_view raw;
  if (container.raw_json().get(raw)) return refuse_structure(close);
  raw = trim_json_end(raw);
  if (const SharedPart* part = parts_.find(raw)) {
    builder.link(part->tape, part->height, at);
    return !builder.failed();
  }
  SharedPart* part = parts_.begin(raw);
  if (container.reset().error()) return refuse_structure(close);
  if (part == nullptr) return fill(container, tape, builder, at);
  prepare(part->tape);
  TapeBuilder inner(part->tape, builder.depth());
  if (!fill(container, part->tape, inner, at)) return false;
  part->height = inner.height();
  parts_.end(*part);
  builder.link(part->tape, part->height, at);
  return !builder.failed();
}

bool JsonWalker::fill(ondemand::object& object, Tape& tape, TapeBuilder& builder, Mark at) {
  builder.begin(Shape::kMap, at);
  if (builder.failed()) return false;
  for (auto item : object) {
    ondemand::field field;
    if (std::move(item).get(field) != simdjson::SUCCESS) return refuse_structure('}');
    std::string_view name;
    if (!key(field, tape, builder, name)) return false;
    if (!value(name, field.value(), tape, builder)) return false;
  }
  builder.end();
  return true;
}

bool JsonWalker::fill(ondemand::array& array, Tape& tape, TapeBuilder& builder, Mark at) {
  builder.begin(Shape::kList, at);
  return !builder.failed() && items(array, tape, builder);
}

bool JsonWalker::items(ondemand::array& array, Tape& tape, TapeBuilder& builder) {
  for (auto item : array) {
    ondemand::value inner;
    if (std::move(item).get(inner) != simdjson::SUCCESS) return refuse_structure(']');
    if (!value("", inner, tape, builder)) return false;
  }
  builder.end();
  return true;
}

bool JsonWalker::key(ondemand::field& field, Tape& tape, TapeBuilder& builder,
                     std::string_view& name) {
  const char* const begin = field.key().raw();
  const char* end = begin;
  while (*end != '"') end += *end == '\\' ? 2 : 1;
  const std::string_view inside(begin, static_cast<std::size_t>(end - begin));
  if (!string(inside, offset_of(begin), tape, name)) return false;
  builder.scalar(name, true, {static_cast<std::uint32_t>(offset_of(begin) - 1), 0});
  return !builder.failed();
}

bool JsonWalker::string(std::string_view inside, std::size_t offset, Tape& tape,
                        std::string_view& out) {
  if (inside.find('\\') == std::string_view::npos) {
    out = borrow(inside);
    return true;
  }
  std::size_t bad = 0;
  if (json_unescape(inside, tape.arena, out, bad)) return true;
  return refuse(offset + bad, "an escape that JSON does not have, or half a surrogate pair");
}

bool JsonWalker::scalar(std::string_view token, Tape& tape, TapeBuilder& builder, Mark at) {
  const std::size_t offset = at.position;
  if (token[0] == '"') {
    if (token.size() < 2 || token.back() != '"') return refuse_whole(simdjson::UNCLOSED_STRING);
    std::string_view text;
    if (!string(token.substr(1, token.size() - 2), offset + 1, tape, text)) return false;
    builder.scalar(text, true, at);
    return !builder.failed();
  }
  const bool literal = token == "true" || token == "false" || token == "null";
  if (!literal && !is_json_number(token)) {
    if (token[0] == '}' || token[0] == ']' || token[0] == ',' || token[0] == ':')
      return refuse(offset, quote(token.substr(0, 1)) + " where a value should stand",
                    token[0] == ']' ? "remove the comma before it" : "");
    return refuse(offset, quote(token) + " is no value", "quote it if it is text");
  }
  builder.scalar(borrow(token), false, at);
  return !builder.failed();
}

}  // namespace gedge::codec
