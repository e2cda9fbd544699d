// simdjson's On-Demand iteration onto tapes. Every value is walked, also those that nobody reads,
// so broken JSON is refused wherever it stands; only bytes that equal a value that was walked are
// not walked again (codec/shared_parts.hpp). Memory beside the text: simdjson's index, 4 bytes a
// bracket, comma, colon or scalar, and those parts.
#include <simdjson.h>

#include <limits>
#include <type_traits>

#include "codec/json_text.hpp"
#include "codec/shared_parts.hpp"
#include "codec/stream_parsers.hpp"
#include "codec/tape_builder.hpp"

namespace gedge::codec {
namespace {

namespace ondemand = simdjson::ondemand;

constexpr int kMaxDocuments = 64;  // each one costs an index of the rest
constexpr std::string_view kNoJson = "no valid JSON: ";

std::string_view trim_end(std::string_view text) {
  return text.substr(0, text.find_last_not_of(" \t\r\n") + 1);
}

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

class JsonStream : public StreamContext {
 public:
  JsonStream(const Source& source, Diagnostics& diagnostics, const StreamOptions& options,
             StreamHandler& handler)
      : source_(source),
        diagnostics_(diagnostics),
        options_(options),
        handler_(handler),
        said_before_(diagnostics.said()) {
    for (Tape* tape : {&root_, &element_}) {
      tape->source = &source;
      tape->diagnostics = &diagnostics;
      tape->is_json = true;
    }
  }

  bool run();
  bool whole(Tape& tape);

 private:
  std::optional<std::string> find_root_text(std::string_view key) override;
  void pad();
  bool document(ondemand::document& document);
  bool root_map(ondemand::value& root);
  bool elements(ondemand::array list, int depth);
  bool value(std::string_view key, ondemand::value value, Tape& tape, TapeBuilder& builder);
  bool container(std::string_view key, ondemand::value& value, Tape& tape, TapeBuilder& builder);
  template <typename Container>
  bool shared(Container& container, Tape& tape, TapeBuilder& builder, Mark at);
  bool fill(ondemand::object& object, Tape& tape, TapeBuilder& builder, Mark at);
  bool fill(ondemand::array& array, Tape& tape, TapeBuilder& builder, Mark at);
  bool items(ondemand::array& array, Tape& tape, TapeBuilder& builder);
  bool key(ondemand::field& field, Tape& tape, TapeBuilder& builder, std::string_view& name);
  bool scalar(std::string_view token, Tape& tape, TapeBuilder& builder, Mark at);
  bool string(std::string_view inside, std::size_t offset, Tape& tape, std::string_view& out);
  bool refuse(std::size_t offset, const std::string& what, std::string hint = {});
  bool refuse_structure(char close);
  bool refuse_whole(simdjson::error_code error);
  std::size_t offset_of(const char* at) const { return static_cast<std::size_t>(at - data_); }
  Mark mark_of(std::string_view token) const {
    return {static_cast<std::uint32_t>(offset_of(token.data())), 0};
  }
  // Texts are borrowed from the source, not from a padded copy of it.
  std::string_view borrow(std::string_view token) const {
    return source_.bytes().substr(offset_of(token.data()), token.size());
  }

  const Source& source_;
  Diagnostics& diagnostics_;
  const StreamOptions& options_;
  StreamHandler& handler_;
  Tape root_, element_;
  SharedParts parts_;
  std::size_t said_before_ = 0;
  bool is_element_ = false;  // what is read now is an element, not something around them
  std::optional<TapeBuilder> root_builder_;
  ondemand::parser parser_;
  ondemand::document* document_ = nullptr;
  std::string padded_;
  const char* data_ = nullptr;
  std::size_t size_ = 0;
  std::size_t begin_ = 0;  // of the present document
};

bool JsonStream::refuse(std::size_t offset, const std::string& what, std::string hint) {
  const SourceSpan where = source_.span(source_.at_offset(offset));
  diagnostics_.add(invalid_input(std::string(kNoJson) + what, where, std::move(hint)));
  return false;
}

bool JsonStream::refuse_whole(simdjson::error_code error) {
  if (error == simdjson::MEMALLOC) return refuse(begin_, "not enough memory for its index");
  const JsonBreak broken = find_json_break({data_ + begin_, size_ - begin_});
  if (!broken.what.empty()) return refuse(begin_ + broken.offset, broken.what, broken.hint);
  return refuse(begin_, simdjson::error_message(error));
}

// simdjson stopped at a token that may not stand there; what stands before it tells what is
// missing.
bool JsonStream::refuse_structure(char close) {
  const char* at = nullptr;
  if (document_->current_location().get(at) != simdjson::SUCCESS || offset_of(at) >= size_)
    return refuse_whole(simdjson::TAPE_ERROR);
  const std::string_view before = trim_end({data_, offset_of(at)});
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

// simdjson reads up to 64 bytes behind the end, and takes the byte right there for the text's end.
void JsonStream::pad() {
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

bool JsonStream::run() {
  if (source_.bytes().size() >= std::numeric_limits<std::uint32_t>::max())
    return refuse(0, "more than 4 GiB in one file", "split the list into several files");
  pad();
  for (int count = 1;; ++count) {
    ondemand::document document;
    const std::size_t rest = size_ - begin_;
    const auto error =
        parser_.iterate(data_ + begin_, rest, rest + simdjson::SIMDJSON_PADDING).get(document);
    if (error != simdjson::SUCCESS) return refuse_whole(error);
    document_ = &document;
    if (!this->document(document)) return false;
    const char* next = nullptr;
    if (document.current_location().get(next) != simdjson::SUCCESS) return true;
    if (offset_of(next) >= size_) return refuse_whole(simdjson::INCOMPLETE_ARRAY_OR_OBJECT);
    begin_ = offset_of(next);
    if (*next != '{' && *next != '[') return refuse(begin_, "text after the end of the JSON value");
    if (count == kMaxDocuments)
      return refuse(begin_, "more than 64 documents in one file", "put the objects into one List");
  }
}

bool JsonStream::whole(Tape& tape) {
  if (source_.bytes().size() >= std::numeric_limits<std::uint32_t>::max())
    return refuse(0, "more than 4 GiB in one file", "split it into several files");
  pad();
  ondemand::document document;
  const auto error =
      parser_.iterate(data_, size_, size_ + simdjson::SIMDJSON_PADDING).get(document);
  if (error != simdjson::SUCCESS) return refuse_whole(error);
  document_ = &document;
  ondemand::value root;
  if (const auto broken = document.get_value().get(root)) return refuse_whole(broken);
  TapeBuilder builder(tape);
  if (!value("", root, tape, builder)) return false;
  const char* next = nullptr;
  if (document.current_location().get(next) != simdjson::SUCCESS) return true;
  if (offset_of(next) >= size_) return refuse_whole(simdjson::INCOMPLETE_ARRAY_OR_OBJECT);
  return refuse(offset_of(next), "text after the end of the JSON value");
}

// By get_value(): get_object() would also judge the end of the text, which may hold another
// document.
bool JsonStream::document(ondemand::document& document) {
  begin_document();
  root_.clear();
  ondemand::value root;
  if (const auto error = document.get_value().get(root)) return refuse_whole(error);
  if (first_of(root.raw_json_token()) == '{') return root_map(root);
  ondemand::array list;
  if (const auto error = root.get_array().get(list)) return refuse_whole(error);
  return elements(list, 1);
}

bool JsonStream::root_map(ondemand::value& root) {
  TapeBuilder& builder = root_builder_.emplace(root_);
  builder.begin(Shape::kMap, mark_of(root.raw_json_token()));
  ondemand::object object;
  if (const auto error = root.get_object().get(object)) return refuse_whole(error);
  bool streamed = false;
  for (auto item : object) {
    ondemand::field field;
    if (std::move(item).get(field) != simdjson::SUCCESS) return refuse_structure('}');
    std::string_view name;
    if (!key(field, root_, builder, name)) return false;
    ondemand::value& inner = field.value();
    const std::string_view token = inner.raw_json_token();
    if (name != options_.list_key || first_of(token) != '[') {
      if (!value(name, inner, root_, builder)) return false;
      continue;
    }
    builder.begin(Shape::kList, mark_of(token));
    builder.end();
    ondemand::array array;
    if (inner.get_array().get(array)) return refuse_structure(']');
    if (!handler_.wants_elements(builder.partial_root())) {
      builder.reopen();
      if (!items(array, root_, builder)) return false;
      continue;
    }
    streamed = true;
    if (!elements(array, 2)) return false;
  }
  builder.end();
  root_builder_.reset();
  handler_.document(Cursor(root_, 0), streamed);
  return true;
}

bool JsonStream::elements(ondemand::array list, int depth) {
  for (auto item : list) {
    ondemand::value inner;
    if (std::move(item).get(inner) != simdjson::SUCCESS) return refuse_structure(']');
    if (diagnostics_.is_full()) return false;
    parts_.next_element(diagnostics_.said() == said_before_);
    element_.clear();
    TapeBuilder builder(element_, depth);
    is_element_ = true;
    if (!value("", inner, element_, builder)) return false;
    is_element_ = false;
    handler_.element(Cursor(element_, 0), *this);
  }
  return true;
}

bool JsonStream::value(std::string_view key, ondemand::value value, Tape& tape,
                       TapeBuilder& builder) {
  const std::string_view token = value.raw_json_token();
  const Mark at = mark_of(token);
  if (at.position >= size_) return refuse_whole(simdjson::INCOMPLETE_ARRAY_OR_OBJECT);
  if (first_of(token) == '{' || first_of(token) == '[') return container(key, value, tape, builder);
  if (first_of(token) == '"') {
    // Consumed here: what nobody consumes is skipped, and "a": then passes for a key.
    ondemand::raw_json_string consumed;
    if (value.get_raw_json_string().get(consumed)) return refuse_structure(']');
  }
  return scalar(trim_end(token), tape, builder, at);
}

bool JsonStream::container(std::string_view key, ondemand::value& value, Tape& tape,
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
bool JsonStream::shared(Container& container, Tape& tape, TapeBuilder& builder, Mark at) {
  constexpr char close = std::is_same_v<Container, ondemand::object> ? '}' : ']';
  std::string_view raw;
  if (container.raw_json().get(raw)) return refuse_structure(close);
  raw = trim_end(raw);
  if (const SharedPart* part = parts_.find(raw)) {
    builder.link(part->tape, part->height, at);
    return !builder.failed();
  }
  SharedPart* part = parts_.begin(raw);
  if (container.reset().error()) return refuse_structure(close);
  if (part == nullptr) return fill(container, tape, builder, at);
  part->tape.source = &source_;
  part->tape.diagnostics = &diagnostics_;
  part->tape.is_json = true;
  TapeBuilder inner(part->tape, builder.depth());
  if (!fill(container, part->tape, inner, at)) return false;
  part->height = inner.height();
  parts_.end(*part);
  builder.link(part->tape, part->height, at);
  return !builder.failed();
}

bool JsonStream::fill(ondemand::object& object, Tape& tape, TapeBuilder& builder, Mark at) {
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

bool JsonStream::fill(ondemand::array& array, Tape& tape, TapeBuilder& builder, Mark at) {
  builder.begin(Shape::kList, at);
  return !builder.failed() && items(array, tape, builder);
}

bool JsonStream::items(ondemand::array& array, Tape& tape, TapeBuilder& builder) {
  for (auto item : array) {
    ondemand::value inner;
    if (std::move(item).get(inner) != simdjson::SUCCESS) return refuse_structure(']');
    if (!value("", inner, tape, builder)) return false;
  }
  builder.end();
  return true;
}

bool JsonStream::key(ondemand::field& field, Tape& tape, TapeBuilder& builder,
                     std::string_view& name) {
  const char* const begin = field.key().raw();
  const char* end = begin;
  while (*end != '"') end += *end == '\\' ? 2 : 1;
  const std::string_view inside(begin, static_cast<std::size_t>(end - begin));
  if (!string(inside, offset_of(begin), tape, name)) return false;
  builder.scalar(name, true, {static_cast<std::uint32_t>(offset_of(begin) - 1), 0});
  return !builder.failed();
}

bool JsonStream::string(std::string_view inside, std::size_t offset, Tape& tape,
                        std::string_view& out) {
  if (inside.find('\\') == std::string_view::npos) {
    out = borrow(inside);
    return true;
  }
  std::size_t bad = 0;
  if (json_unescape(inside, tape.arena, out, bad)) return true;
  return refuse(offset + bad, "an escape that JSON does not have, or half a surrogate pair");
}

bool JsonStream::scalar(std::string_view token, Tape& tape, TapeBuilder& builder, Mark at) {
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

// Looked for by a second pass over the document: only where elements without `kind` come before the
// list's own kind.
std::optional<std::string> JsonStream::find_root_text(std::string_view wanted) {
  if (!root_builder_) return std::nullopt;
  if (const auto met = root_builder_->partial_root().find(wanted)) {
    if (met->shape() != Shape::kScalar || !met->is_quoted()) return std::nullopt;
    return std::string(met->raw_text());
  }
  ondemand::parser parser;
  ondemand::document document;
  const std::size_t rest = size_ - begin_;
  if (parser.iterate(data_ + begin_, rest, rest + simdjson::SIMDJSON_PADDING).get(document))
    return std::nullopt;
  std::string_view text;
  if (document.find_field_unordered(wanted).get_string().get(text)) return std::nullopt;
  return std::string(text);
}

class NoHandler final : public StreamHandler {
  bool wants_elements(Cursor) override { return false; }
  void element(Cursor, StreamContext&) override {}
  void document(Cursor, bool) override {}
};

}  // namespace

bool parse_json(const Source& source, Tape& tape) {
  NoHandler handler;
  const StreamOptions options;
  return JsonStream(source, *tape.diagnostics, options, handler).whole(tape);
}

bool stream_json(const Source& source, Diagnostics& diagnostics, const StreamOptions& options,
                 StreamHandler& handler) {
  return JsonStream(source, diagnostics, options, handler).run();
}

}  // namespace gedge::codec
