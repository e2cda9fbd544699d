// codec/yaml_stream.cpp - libyaml's events onto tapes. Cost: about 40 ns a byte, nearly all of it
// libyaml's, of the bytes that did not come before: documents that are like an earlier one but for
// some words are left out (codec/yaml_moulds.hpp), and of others the blocks that came before
// (codec/yaml_reduction.hpp).
#include <functional>
#include <optional>
#include <utility>

#include "codec/stream_parsers.hpp"
#include "codec/tape_builder.hpp"
#include "codec/yaml_anchors.hpp"
#include "codec/yaml_moulds.hpp"
#include "codec/yaml_parser.hpp"
#include "codec/yaml_reduction.hpp"

namespace gedge::codec {
namespace {

constexpr std::string_view kCoreTag = "tag:yaml.org,2002:";

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
  /// Reads the text as it is. The first `skip` values for the handler were handed on before.
  YamlStream(const Source& source, Diagnostics& diagnostics, const StreamOptions& options,
             StreamHandler& handler, std::size_t skip = 0)
      : source_(source),
        diagnostics_(diagnostics),
        options_(options),
        handler_(handler),
        skip_(skip) {
    parser_.emplace(source.bytes());
    own_tapes();
  }
  /// Reads it without what came before. Stops without a word at whatever is out of the ordinary, or
  /// where the handler had something to say: then run_reduced() is false.
  YamlStream(const Source& source, Diagnostics& diagnostics, const StreamOptions& options,
             StreamHandler& handler, YamlReduction& reduction)
      : source_(source),
        diagnostics_(diagnostics),
        options_(options),
        handler_(handler),
        reduction_(&reduction),
        said_before_(diagnostics.said()),
        moulds_(source.bytes()) {
    own_tapes();
  }

  bool run();
  bool run_reduced();
  bool whole(Tape& tape);
  /// How many values the handler got.
  std::size_t handed_on() const { return handed_on_; }

 private:
  bool gave_up() const { return gave_up_ || unsaid_.said() > 0; }
  std::size_t line_of(const yaml_event_t& event) const {
    return first_line_ + event.start_mark.line;
  }
  std::size_t end_of_document(std::size_t begin) const;
  bool read_document(std::size_t begin, std::size_t end);
  bool take_mould(Mould& mould);
  std::optional<std::string> find_root_text(std::string_view key) override;
  const yaml_event_t* next();
  void own_tapes();
  Mark mark_of(const yaml_mark_t& mark) const;
  bool give_up();
  bool hand_on(Tape& tape, const std::function<void(Cursor)>& take);
  bool part(const yaml_event_t& event, TapeBuilder& builder);
  bool part_left_out(const yaml_event_t& event, TapeBuilder& builder);
  bool part_to_remember(const yaml_event_t& event, TapeBuilder& builder);
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
  std::optional<YamlParser> parser_;
  std::size_t first_line_ = 0;  // of what the parser is given, in the reduced text
  std::size_t skip_ = 0, handed_on_ = 0;
  YamlReduction* reduction_ = nullptr;
  bool gave_up_ = false;
  std::size_t said_before_ = 0;
  Diagnostics unsaid_;                      // what parsing has to say while reduction_ is set
  std::vector<bool> flow_;                  // of each open container: braces or brackets
  std::optional<YamlReduction::Site> due_;  // of which the value comes next
  std::size_t last_line_ = 0;               // of the last event, in the reduced text
  std::optional<YamlMoulds> moulds_;
  bool is_whole_root_ = false;  // root_ is all of the last document
  YamlAnchors anchors_;
  Tape root_, element_;
  std::optional<TapeBuilder> root_builder_;
  std::size_t document_number_ = 0;
  std::optional<YamlParser> ahead_;  // of find_root_text
  std::size_t ahead_number_ = 0;
};

void YamlStream::own_tapes() {
  for (Tape* tape : {&root_, &element_}) {
    tape->source = &source_;
    tape->diagnostics = reduction_ != nullptr ? &unsaid_ : &diagnostics_;
  }
}

Mark YamlStream::mark_of(const yaml_mark_t& mark) const {
  const auto line = reduction_ != nullptr ? reduction_->line_in_text(first_line_ + mark.line)
                                          : static_cast<std::uint32_t>(mark.line);
  return {line, static_cast<std::uint32_t>(mark.column)};
}

bool YamlStream::give_up() {
  gave_up_ = true;
  return false;
}

// The root of a tape to the handler, unless that had it before.
bool YamlStream::hand_on(Tape& tape, const std::function<void(Cursor)>& take) {
  if (reduction_ == nullptr) {
    if (skip_ == 0) take(Cursor(tape, 0));
    if (skip_ > 0) --skip_;
    return true;
  }
  if (gave_up() || !reduction_->pass(last_line_)) return give_up();
  tape.diagnostics = &diagnostics_;
  take(Cursor(tape, 0));
  tape.diagnostics = &unsaid_;
  ++handed_on_;
  return diagnostics_.said() == said_before_ || give_up();
}

void YamlStream::refuse(Mark at, std::string what, std::string hint) {
  if (reduction_ != nullptr) {
    give_up();
    return;
  }
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
  if (reduction_ != nullptr) {
    give_up();
    return;
  }
  const yaml_parser_t& state = parser_->state();
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
  const yaml_event_t* event = parser_->next();
  if (event == nullptr) report_syntax();
  return event;
}

// Document by document, each of them by its bytes or by a parser of its own: a line `---` ends
// whatever came before.
bool YamlStream::run_reduced() {
  const std::size_t size = source_.bytes().size();
  for (std::size_t at = 0, end = 0; at < size; at = end) {
    Mould* const mould = moulds_->fit(at, reduction_->lines_in_text(), end);
    if (mould == nullptr) end = end_of_document(at);
    if (!(mould != nullptr ? take_mould(*mould) : read_document(at, end))) return false;
    if (mould != nullptr) reduction_->pass_over(end, mould->lines);
  }
  return true;
}

// Of a text that begins with directives, which belong to what follows, all of it is one.
std::size_t YamlStream::end_of_document(std::size_t begin) const {
  const std::string_view text = source_.bytes();
  if (text[begin] == '%') return text.size();
  const std::string next = "\n" + std::string(YamlMoulds::kBeginning);
  const std::size_t end = text.find(next, begin);
  return end == std::string_view::npos ? text.size() : end + 1;
}

bool YamlStream::read_document(std::size_t begin, std::size_t end) {
  const std::uint32_t line = reduction_->lines_in_text();
  first_line_ = reduction_->lines();
  reduction_->go_on_to(end);
  parser_.emplace(*reduction_);
  is_whole_root_ = false;
  const std::size_t before = handed_on_;
  if (!run() || gave_up()) return false;
  if (is_whole_root_ && handed_on_ == before + 1 &&
      moulds_->learn(source_.bytes().substr(begin, end - begin), line, root_))
    own_tapes();
  return true;
}

bool YamlStream::take_mould(Mould& mould) {
  ++document_number_;
  begin_document();
  mould.tape.diagnostics = &diagnostics_;
  handler_.document(Cursor(mould.tape, 0), false);
  ++handed_on_;
  return diagnostics_.said() == said_before_;
}

bool YamlStream::run() {
  for (;;) {
    const yaml_event_t* event = next();
    if (event == nullptr) return false;
    if (event->type == YAML_STREAM_END_EVENT)
      return reduction_ == nullptr || line_of(*event) == reduction_->lines() || give_up();
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
  return hand_on(root_, [this](Cursor root) { handler_.document(root, false); });
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
  is_whole_root_ = !streamed;
  return hand_on(root_, [&](Cursor root) { handler_.document(root, streamed); });
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
    if (!hand_on(element_, [this](Cursor element) { handler_.element(element, *this); }))
      return false;
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
  if (reduction_ != nullptr) {
    last_line_ = line_of(event);
    if (has_properties(event)) return give_up();
    if (due_) return part(event, builder);
    if (opens(event)) flow_.push_back(is_flow(event));
    if (closes(event)) flow_.pop_back();
    if (builder.wants_key() && event.type == YAML_SCALAR_EVENT && !flow_.back()) {
      const YamlReduction::Site* site = reduction_->take(line_of(event), event.start_mark.column);
      if (site != nullptr) due_ = *site;
    }
  }
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

// The value of a key at which a block stands.
bool YamlStream::part(const yaml_event_t& event, TapeBuilder& builder) {
  return due_->is_left_out ? part_left_out(event, builder) : part_to_remember(event, builder);
}

bool YamlStream::part_left_out(const yaml_event_t& event, TapeBuilder& builder) {
  const YamlReduction::Site site = *std::exchange(due_, std::nullopt);
  const bool is_stand_in =
      event.type == YAML_SCALAR_EVENT && line_of(event) == site.line &&
      event.data.scalar.style == YAML_PLAIN_SCALAR_STYLE &&
      text_of(event.data.scalar.value, event.data.scalar.length) == YamlReduction::kStandIn;
  if (!is_stand_in) return give_up();
  builder.link(site.part->tape, site.part->height, mark_of(event.start_mark));
  return !builder.failed() || give_up();
}

// What it holds begins inside of the block, and what comes next behind it.
bool YamlStream::part_to_remember(const yaml_event_t& event, TapeBuilder& builder) {
  const YamlReduction::Site site = *std::exchange(due_, std::nullopt);
  if (!opens(event)) return give_up();
  const Mark at = mark_of(event.start_mark);
  Tape& tape = site.part->tape;
  tape.source = &source_;
  tape.diagnostics = &unsaid_;
  TapeBuilder inner(tape, builder.depth());
  for (const yaml_event_t* next_event = &event; next_event != nullptr; next_event = next()) {
    const bool is_behind = line_of(*next_event) >= site.end_line;
    if (is_behind && !closes(*next_event)) return give_up();
    if (!write(*next_event, tape, inner)) return give_up();
    if (inner.open() > 0) continue;
    if (!is_behind) return give_up();
    break;
  }
  if (gave_up_) return false;
  tape.diagnostics = &diagnostics_;
  site.part->height = inner.height();
  reduction_->remember(*site.part);
  builder.link(tape, site.part->height, at);
  return !builder.failed() || give_up();
}

void YamlStream::check_tag(std::string_view tag, std::string_view core, Mark at) {
  if (tag.empty() || tag == "!") return;
  const bool is_core = tag.substr(0, kCoreTag.size()) == kCoreTag;
  const std::string name =
      is_core ? "!!" + std::string(tag.substr(kCoreTag.size())) : std::string(tag);
  if (name == "!!" + std::string(core)) return;
  if (source_.hides_values())
    return refuse(at, "a tag that is not read here", "quote text that begins with '!'");
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
  YamlReduction reduction(source.bytes(), options.list_key);
  YamlStream reduced(source, diagnostics, options, handler, reduction);
  if (reduced.run_reduced()) return true;
  return stream_whole_yaml(source, diagnostics, options, handler, reduced.handed_on());
}

bool stream_whole_yaml(const Source& source, Diagnostics& diagnostics, const StreamOptions& options,
                       StreamHandler& handler, std::size_t skip) {
  return YamlStream(source, diagnostics, options, handler, skip).run();
}

bool parse_yaml(const Source& source, Tape& tape) {
  NoHandler handler;
  const StreamOptions options;
  return YamlStream(source, *tape.diagnostics, options, handler).whole(tape);
}

}  // namespace gedge::codec
