// codec/yaml_stream.cpp - libyaml's events onto tapes. Cost: about 40 ns a byte, nearly all of it
// libyaml's.
#include <yaml.h>

#include <array>
#include <optional>

#include "codec/stream_parsers.hpp"
#include "codec/tape_builder.hpp"
#include "codec/yaml_anchors.hpp"

namespace gedge::codec {
namespace {

constexpr std::string_view kCoreTag = "tag:yaml.org,2002:";

class Parser {
 public:
  explicit Parser(std::string_view bytes) {
    ready_ = yaml_parser_initialize(&parser_) != 0;
    if (!ready_) return;
    yaml_parser_set_encoding(&parser_, YAML_UTF8_ENCODING);
    yaml_parser_set_input_string(&parser_, reinterpret_cast<const unsigned char*>(bytes.data()),
                                 bytes.size());
  }
  Parser(const Parser&) = delete;
  Parser& operator=(const Parser&) = delete;
  ~Parser() {
    drop();
    if (ready_) yaml_parser_delete(&parser_);
  }

  /// The next event, null after an error; it lives until the next call.
  const yaml_event_t* next() {
    drop();
    held_ = ready_ && yaml_parser_parse(&parser_, &event_) != 0;
    return held_ ? &event_ : nullptr;
  }
  const yaml_parser_t& state() const { return parser_; }

 private:
  void drop() {
    if (held_) yaml_event_delete(&event_);
    held_ = false;
  }
  yaml_parser_t parser_{};
  yaml_event_t event_{};
  bool ready_ = false, held_ = false;
};

Mark mark_of(const yaml_mark_t& mark) {
  return {static_cast<std::uint32_t>(mark.line), static_cast<std::uint32_t>(mark.column)};
}

std::string_view text_of(const yaml_char_t* text, std::size_t length) {
  return {reinterpret_cast<const char*>(text), length};
}

std::string_view text_of(const yaml_char_t* text) {
  return text == nullptr ? std::string_view()
                         : std::string_view(reinterpret_cast<const char*>(text));
}

bool opens(const yaml_event_t& event) {
  return event.type == YAML_MAPPING_START_EVENT || event.type == YAML_SEQUENCE_START_EVENT;
}

bool closes(const yaml_event_t& event) {
  return event.type == YAML_MAPPING_END_EVENT || event.type == YAML_SEQUENCE_END_EVENT;
}

std::string_view anchor_of(const yaml_event_t& event) {
  if (event.type == YAML_SCALAR_EVENT) return text_of(event.data.scalar.anchor);
  if (event.type == YAML_MAPPING_START_EVENT) return text_of(event.data.mapping_start.anchor);
  if (event.type == YAML_SEQUENCE_START_EVENT) return text_of(event.data.sequence_start.anchor);
  return {};
}

std::string_view core_tag_of(ScalarType type) {
  switch (type) {
    case ScalarType::kNull:
      return "null";
    case ScalarType::kBool:
      return "bool";
    case ScalarType::kInteger:
      return "int";
    case ScalarType::kFloat:
      return "float";
    case ScalarType::kText:
      return "str";
  }
  return "";
}

class YamlStream : public StreamContext {
 public:
  YamlStream(const Source& source, Diagnostics& diagnostics, const StreamOptions& options,
             StreamHandler& handler)
      : source_(source),
        diagnostics_(diagnostics),
        options_(options),
        handler_(handler),
        parser_(source.bytes()) {
    for (Tape* tape : {&root_, &element_}) {
      tape->source = &source;
      tape->diagnostics = &diagnostics;
    }
  }

  bool run();
  bool whole(Tape& tape);

 private:
  std::optional<std::string> find_root_text(std::string_view key) override;
  const yaml_event_t* next();
  void report_syntax();
  void refuse(Mark at, std::string what, std::string hint);
  bool document();
  bool root_map(const yaml_event_t& start);
  bool elements(int depth);
  bool value(const yaml_event_t* event, Tape& tape, TapeBuilder& builder);
  bool write(const yaml_event_t& event, Tape& tape, TapeBuilder& builder);
  void scalar(const yaml_event_t& event, Tape& tape, TapeBuilder& builder);
  void plain_key(std::string_view text, Mark at, Tape& tape, TapeBuilder& builder);
  bool is_plain(const yaml_event_t& event);
  void check_tag(std::string_view tag, std::string_view core, Mark at);

  const Source& source_;
  Diagnostics& diagnostics_;
  const StreamOptions& options_;
  StreamHandler& handler_;
  Parser parser_;
  YamlAnchors anchors_;
  Tape root_, element_;
  std::optional<TapeBuilder> root_builder_;
  std::size_t document_number_ = 0;
  std::optional<Parser> ahead_;  // of find_root_text
  std::size_t ahead_number_ = 0;
};

void YamlStream::refuse(Mark at, std::string what, std::string hint) {
  if (diagnostics_.is_full()) return diagnostics_.drop();
  const SourceSpan where = source_.span(source_.at_mark(at.position, at.column));
  diagnostics_.add(invalid_input(std::move(what), where, std::move(hint)));
}

std::string hint_for(std::string_view problem, char found) {
  if (found == '\t') return "indent with spaces, not with tabs";
  if (found == '@' || found == '`' || found == '%')
    return "quote text that begins with this character";
  if (found == '{') return "quote template expressions, or render the template first";
  if (problem.find("mapping values are not allowed") != std::string_view::npos)
    return "check the indentation, or quote text that has ': ' in it";
  if (problem.find("expected ',' or '") != std::string_view::npos)
    return "separate with ',' and close what was opened";
  if (problem.find("expected key") != std::string_view::npos ||
      problem.find("expected '-'") != std::string_view::npos)
    return "check the indentation of this line and of the one above";
  if (problem.find("could not find expected ':'") != std::string_view::npos)
    return "write `key: value`";
  if (problem.find("did not find expected") != std::string_view::npos)
    return "close what was opened before; the text may be cut off";
  return "";
}

void YamlStream::report_syntax() {
  const yaml_parser_t& state = parser_.state();
  const std::string_view problem = state.problem == nullptr ? "out of memory" : state.problem;
  const bool reading = state.error == YAML_READER_ERROR;
  const Position at = reading ? source_.at_offset(state.problem_offset)
                              : source_.at_mark(state.problem_mark.line, state.problem_mark.column);
  const SourceSpan where = source_.span(at);
  const auto column = static_cast<std::size_t>(where.column);
  // The excerpt shows tabs as spaces; the bytes tell.
  std::string_view line = source_.bytes();
  for (int skip = 1; skip < where.line; ++skip) line.remove_prefix(line.find('\n') + 1);
  const char found = column <= line.size() ? line[column - 1] : '\0';
  std::string what = "no valid YAML: ";
  what += found == '\t' && problem.find("cannot start any token") != std::string_view::npos
              ? "a tab where only spaces may stand"
              : std::string(problem);
  if (state.context != nullptr) what.append(" ").append(state.context);
  if (state.context != nullptr && state.context_mark.line != state.problem_mark.line)
    what.append(" begun in line ").append(std::to_string(state.context_mark.line + 1));
  diagnostics_.add(invalid_input(std::move(what), where, hint_for(problem, found)));
}

const yaml_event_t* YamlStream::next() {
  const yaml_event_t* event = parser_.next();
  if (event == nullptr) report_syntax();
  return event;
}

bool YamlStream::run() {
  for (;;) {
    const yaml_event_t* event = next();
    if (event == nullptr) return false;
    if (event->type == YAML_STREAM_END_EVENT) return true;
    if (event->type != YAML_DOCUMENT_START_EVENT) continue;
    if (diagnostics_.is_full()) return false;
    ++document_number_;
    begin_document();
    anchors_.clear();
    if (!document()) return false;
  }
}

bool YamlStream::whole(Tape& tape) {
  for (;;) {
    const yaml_event_t* event = next();
    if (event == nullptr) return false;
    if (event->type == YAML_STREAM_END_EVENT) break;
    if (event->type != YAML_DOCUMENT_START_EVENT) continue;
    const Mark at = mark_of(event->start_mark);
    event = next();
    if (event == nullptr) return false;
    anchors_.clear();
    // Empty documents may stand anywhere: a file often ends with `---`.
    const bool is_filled = !tape.entries.empty() && !Cursor(tape, 0).is_null();
    Tape& target = is_filled ? element_ : tape;
    target.clear();
    TapeBuilder builder(target);
    if (!value(event, target, builder)) return false;
    if (!is_filled || Cursor(target, 0).is_null()) continue;
    refuse(at, "a second document", "give one document");
    return false;
  }
  if (!tape.entries.empty()) return true;
  refuse({}, "nothing in it", "");
  return false;
}

bool YamlStream::document() {
  const yaml_event_t* event = next();
  if (event == nullptr) return false;
  root_.clear();
  if (event->type == YAML_MAPPING_START_EVENT) return root_map(*event);
  if (event->type == YAML_SEQUENCE_START_EVENT && anchor_of(*event).empty()) return elements(1);
  TapeBuilder builder(root_);
  if (!value(event, root_, builder)) return false;
  handler_.document(Cursor(root_, 0), false);
  return true;
}

bool YamlStream::root_map(const yaml_event_t& start) {
  TapeBuilder& builder = root_builder_.emplace(root_);
  bool streamed = false;
  if (!write(start, root_, builder)) return false;
  while (builder.open() > 0) {
    const yaml_event_t* event = next();
    if (event == nullptr) return false;
    const bool at_list = builder.open() == 1 && !builder.wants_key() &&
                         event->type == YAML_SEQUENCE_START_EVENT && anchor_of(*event).empty() &&
                         !anchors_.waits();
    const TapeEntry& last = root_.entries.back();
    const bool named = at_list && std::string_view(last.text, last.length) == options_.list_key;
    if (!write(*event, root_, builder)) return false;
    if (!named) continue;
    builder.end();
    if (handler_.wants_elements(builder.partial_root())) {
      streamed = true;
      if (!elements(2)) return false;
    } else {
      builder.reopen();
    }
  }
  root_builder_.reset();
  handler_.document(Cursor(root_, 0), streamed);
  return true;
}

// One tape for one element; `depth`: the containers around it.
bool YamlStream::elements(int depth) {
  for (;;) {
    const yaml_event_t* event = next();
    if (event == nullptr) return false;
    if (event->type == YAML_SEQUENCE_END_EVENT) return true;
    if (diagnostics_.is_full()) return false;
    element_.clear();
    TapeBuilder builder(element_, depth);
    if (!value(event, element_, builder)) return false;
    handler_.element(Cursor(element_, 0), *this);
  }
}

bool YamlStream::value(const yaml_event_t* event, Tape& tape, TapeBuilder& builder) {
  for (;;) {
    if (!write(*event, tape, builder)) return false;
    if (builder.open() == 0) return true;
    event = next();
    if (event == nullptr) return false;
  }
}

bool YamlStream::write(const yaml_event_t& event, Tape& tape, TapeBuilder& builder) {
  const Mark at = mark_of(event.start_mark);
  const auto index = static_cast<std::uint32_t>(tape.entries.size());
  if (builder.wants_key() && event.type != YAML_SCALAR_EVENT && !closes(event)) {
    refuse(at, "a key must be text", "write the key as one plain word");
    return false;
  }
  const std::string_view anchor = anchor_of(event);
  if (!anchor.empty() && !anchors_.declare(std::string(anchor), tape, index, builder.open(), at))
    return false;
  switch (event.type) {
    case YAML_SCALAR_EVENT:
      scalar(event, tape, builder);
      break;
    case YAML_ALIAS_EVENT:
      if (!anchors_.expand(std::string(text_of(event.data.alias.anchor)), tape, builder, at))
        return false;
      break;
    case YAML_MAPPING_START_EVENT:
      check_tag(text_of(event.data.mapping_start.tag), "map", at);
      builder.begin(Shape::kMap, at);
      break;
    case YAML_SEQUENCE_START_EVENT:
      check_tag(text_of(event.data.sequence_start.tag), "seq", at);
      builder.begin(Shape::kList, at);
      break;
    default:
      builder.end();
      break;
  }
  if (builder.failed()) return false;
  return opens(event) || !anchors_.waits() || anchors_.complete(tape, builder.open());
}

void YamlStream::check_tag(std::string_view tag, std::string_view core, Mark at) {
  if (tag.empty() || tag == "!") return;
  const bool is_core = tag.substr(0, kCoreTag.size()) == kCoreTag;
  const std::string name =
      is_core ? "!!" + std::string(tag.substr(kCoreTag.size())) : std::string(tag);
  if (name == "!!" + std::string(core)) return;
  refuse(at, "tag " + quote(name) + " is not read here", "remove the tag");
}

// True for text that YAML may read as something else. A tag decides, where it fits the text.
bool YamlStream::is_plain(const yaml_event_t& event) {
  const auto& scalar = event.data.scalar;
  const std::string_view tag = text_of(scalar.tag);
  const bool plain = scalar.style == YAML_PLAIN_SCALAR_STYLE;
  if (tag.empty()) return plain;
  if (tag == "!" || tag == std::string(kCoreTag) + "str") return false;
  const ScalarType type = classify_plain(text_of(scalar.value, scalar.length));
  check_tag(tag, core_tag_of(type), mark_of(event.start_mark));
  return type != ScalarType::kText;
}

void YamlStream::scalar(const yaml_event_t& event, Tape& tape, TapeBuilder& builder) {
  const bool plain = is_plain(event);
  const std::string_view text =
      tape.arena.copy(text_of(event.data.scalar.value, event.data.scalar.length));
  const Mark at = mark_of(event.start_mark);
  if (builder.wants_key() && plain)
    plain_key(text, at, tape, builder);
  else
    builder.scalar(text, !plain, at);
}

// Keys become text as in kubectl: `n` is "false", 017 is "15".
void YamlStream::plain_key(std::string_view text, Mark at, Tape& tape, TapeBuilder& builder) {
  const ScalarType type = classify_plain(text);
  if (text == "<<") refuse(at, "merge keys ('<<') are not read", "write the merged fields out");
  if (type == ScalarType::kNull || type == ScalarType::kFloat)
    refuse(at, "a key must be text, not " + quote(text), "quote it: \"" + std::string(text) + "\"");
  if (type == ScalarType::kBool) text = bool_value(text) ? "true" : "false";
  if (type == ScalarType::kInteger)
    if (const auto decimal = decimal_text(text)) text = tape.arena.copy(*decimal);
  builder.scalar(text, false, at);
}

// Looked for by a second parser that follows: only where elements without `kind` come before the
// list's own kind. It starts anew for a second key of one document only.
std::optional<std::string> YamlStream::find_root_text(std::string_view wanted) {
  if (!root_builder_) return std::nullopt;
  if (const auto met = root_builder_->partial_root().find(wanted)) {
    if (met->type() != ScalarType::kText || met->shape() != Shape::kScalar) return std::nullopt;
    return std::string(met->raw_text());
  }
  if (!ahead_ || ahead_number_ >= document_number_) {
    ahead_.emplace(source_.bytes());
    ahead_number_ = 0;
  }
  int depth = 0;
  bool is_key = false, found = false;
  while (const yaml_event_t* event = ahead_->next()) {
    if (event->type == YAML_STREAM_END_EVENT) break;
    if (event->type == YAML_DOCUMENT_START_EVENT) ++ahead_number_;
    if (ahead_number_ < document_number_) continue;
    if (event->type == YAML_DOCUMENT_END_EVENT) return std::nullopt;
    if (found && event->type == YAML_SCALAR_EVENT)
      return std::string(text_of(event->data.scalar.value, event->data.scalar.length));
    if (depth == 1 && !closes(*event)) is_key = !is_key;
    found = depth == 1 && is_key && event->type == YAML_SCALAR_EVENT &&
            text_of(event->data.scalar.value, event->data.scalar.length) == wanted;
    if (opens(*event)) ++depth;
    if (closes(*event)) --depth;
  }
  ahead_.reset();
  return std::nullopt;
}

class NoHandler final : public StreamHandler {
  bool wants_elements(Cursor) override { return false; }
  void element(Cursor, StreamContext&) override {}
  void document(Cursor, bool) override {}
};

}  // namespace

bool stream_yaml(const Source& source, Diagnostics& diagnostics, const StreamOptions& options,
                 StreamHandler& handler) {
  return YamlStream(source, diagnostics, options, handler).run();
}

bool parse_yaml(const Source& source, Tape& tape) {
  NoHandler handler;
  const StreamOptions options;
  return YamlStream(source, *tape.diagnostics, options, handler).whole(tape);
}

}  // namespace gedge::codec
