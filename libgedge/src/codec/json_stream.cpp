// JSON with lists of many objects, or many objects one after another. Where it can be, it is read
// object by object: one that fits a mould (codec/moulds.hpp) is known by its bytes, any other is
// given to simdjson alone. So simdjson indexes neither what came before nor more than one object
// at a time.
//
// What stands alone is not compared with anything.
//
// What stands around the elements simdjson reads without them. Where anything is out of the
// ordinary - an error, an element that is no object, two lists in one object - the whole text is
// read once more as it is, and what was handed on already is not handed on again: that reading is
// what words every error of the text. After many documents it begins with the one that is odd.
#include <simdjson.h>

#include <algorithm>

#include "codec/json_walker.hpp"
#include "codec/moulds.hpp"
#include "codec/stream_parsers.hpp"
#include "gedge/base/prefetch.hpp"

namespace gedge::codec {
namespace {

namespace ondemand = simdjson::ondemand;

constexpr int kMaxDocuments = 64;  // each one costs an index of the rest
constexpr std::size_t kLongestHead = 64 * 1024;
constexpr std::size_t kFirstWindow = 16 * 1024;
constexpr std::size_t kLongestAlone = 4 << 20;  // of an object without a list
constexpr std::size_t kFetched = 4096;          // more would push out what is needed before
constexpr std::string_view kTailHead = R"({"":[])";

// NUL where the text ends before a value.
char first_of(std::string_view token) { return token.empty() ? '\0' : token.front(); }

class JsonStream : public StreamContext {
 public:
  JsonStream(const Source& source, Diagnostics& diagnostics, const StreamOptions& options,
             StreamHandler& handler)
      : diagnostics_(diagnostics),
        options_(options),
        handler_(handler),
        said_before_(diagnostics.said()),
        mark_before_(diagnostics.mark()),
        walker_(source, diagnostics),
        moulds_({walker_.data(), walker_.size()}) {
    walker_.prepare(root_);
    walker_.prepare(element_);
  }

  bool run(bool by_elements);
  bool whole(Tape& tape);

 private:
  enum class Outcome { kDone, kFull, kOdd };

  std::optional<std::string> find_root_text(std::string_view key) override;
  bool all();
  bool document(ondemand::document& document);
  bool root_map(ondemand::value& root);
  bool root_field(ondemand::field& field, TapeBuilder& builder, bool& streamed);
  bool elements(ondemand::array list, int depth);
  void hand_on(Cursor element);
  void hand_on(Cursor root, bool streamed);
  bool is_clean() const { return diagnostics_.said() == said_before_; }

  Outcome by_elements();
  template <typename Read>
  bool succeeds(Read read);
  Outcome document_by_elements();
  std::size_t find_list(std::size_t begin) const;
  bool head(std::size_t begin, std::size_t list);
  Outcome list(std::size_t at, int depth);
  Outcome alone(std::size_t at);
  bool element(std::size_t at, int depth, std::size_t& end);
  void deliver(Cursor object, int depth);
  bool has_list(Cursor root) const;
  std::size_t window_of(std::size_t at) const;
  std::size_t to_brace(std::size_t at, std::size_t size) const;
  bool walk_element(ondemand::object& object, Mark at, int depth);
  bool tail();
  bool tail_fields(ondemand::object& object);
  /// Reads an object of which perhaps not all is in the window: empty where it is not.
  std::string_view open_object(JsonWindow window, ondemand::document& document,
                               ondemand::object& object);

  Diagnostics& diagnostics_;
  const StreamOptions& options_;
  StreamHandler& handler_;
  std::size_t said_before_ = 0;
  Diagnostics::Mark mark_before_;
  JsonWalker walker_;
  Moulds moulds_;
  Tape root_, element_;
  std::optional<TapeBuilder> root_builder_;
  std::size_t begin_ = 0;                        // of the present document
  std::size_t last_begin_ = 0, last_end_ = 0;    // of the last element that simdjson read
  std::size_t handed_on_ = 0, passed_over_ = 0;  // elements and documents; passed over: again
  bool is_alone_ = false;                        // the last document was an object without a list
};

// What is read element by element proves to be UTF-8 on the way.
bool JsonStream::run(bool by_elements) {
  const Source& source = walker_.source();
  const std::uint64_t most = std::min(options_.max_bytes, JsonWalker::kMaxBytes);
  if (by_elements && source.bytes().size() <= most) {
    walker_.set_silent(true);
    const Outcome outcome = this->by_elements();
    if (outcome != Outcome::kOdd) return outcome == Outcome::kDone;
    walker_.set_silent(false);
  }
  if (Diagnostics unsaid; !source.check_text(options_.max_bytes, unsaid)) {
    // Nothing would have been handed on.
    diagnostics_.rewind(mark_before_);
    return source.check_text(options_.max_bytes, diagnostics_);
  }
  if (source.bytes().size() > JsonWalker::kMaxBytes)
    return walker_.refuse(0, "more than 4 GiB in one file", "split the list into several files");
  // Parts that were made meanwhile may hold what is to be said once more.
  walker_.parts().next_element(by_elements && last_end_ == 0);
  return all();
}

bool JsonStream::all() {
  for (int count = 1;; ++count) {
    ondemand::document document;
    if (const auto error = walker_.open_rest(begin_, document)) {
      if (begin_ == 0) diagnostics_.rewind(mark_before_);
      return walker_.refuse_whole(error);
    }
    if (!this->document(document)) return false;
    const char* next = nullptr;
    if (document.current_location().get(next) != simdjson::SUCCESS) return true;
    begin_ = walker_.offset_of(next);
    if (begin_ >= walker_.size()) return walker_.refuse_whole(simdjson::INCOMPLETE_ARRAY_OR_OBJECT);
    if (*next != '{' && *next != '[')
      return walker_.refuse(begin_, "text after the end of the JSON value");
    if (count == kMaxDocuments)
      return walker_.refuse(begin_, "more than 64 documents in one file",
                            "put the objects into one List");
  }
}

bool JsonStream::whole(Tape& tape) {
  if (walker_.source().bytes().size() > JsonWalker::kMaxBytes)
    return walker_.refuse(0, "more than 4 GiB in one file", "split it into several files");
  ondemand::document document;
  if (const auto error = walker_.open_rest(0, document)) return walker_.refuse_whole(error);
  ondemand::value root;
  if (const auto broken = document.get_value().get(root)) return walker_.refuse_whole(broken);
  TapeBuilder builder(tape);
  if (!walker_.value("", root, tape, builder)) return false;
  const char* next = nullptr;
  if (document.current_location().get(next) != simdjson::SUCCESS) return true;
  if (walker_.offset_of(next) >= walker_.size())
    return walker_.refuse_whole(simdjson::INCOMPLETE_ARRAY_OR_OBJECT);
  return walker_.refuse(walker_.offset_of(next), "text after the end of the JSON value");
}

// By get_value(): get_object() would also judge the end of the text, which may hold another
// document.
bool JsonStream::document(ondemand::document& document) {
  begin_document();
  root_.clear();
  ondemand::value root;
  if (const auto error = document.get_value().get(root)) return walker_.refuse_whole(error);
  if (first_of(root.raw_json_token()) == '{') return root_map(root);
  ondemand::array list;
  if (const auto error = root.get_array().get(list)) return walker_.refuse_whole(error);
  return elements(list, 1);
}

bool JsonStream::root_map(ondemand::value& root) {
  TapeBuilder& builder = root_builder_.emplace(root_);
  builder.begin(Shape::kMap, walker_.mark_of(root.raw_json_token()));
  ondemand::object object;
  if (const auto error = root.get_object().get(object)) return walker_.refuse_whole(error);
  bool streamed = false;
  for (auto item : object) {
    ondemand::field field;
    if (std::move(item).get(field) != simdjson::SUCCESS) return walker_.refuse_structure('}');
    if (!root_field(field, builder, streamed)) return false;
  }
  builder.end();
  root_builder_.reset();
  hand_on(Cursor(root_, 0), streamed);
  return true;
}

bool JsonStream::root_field(ondemand::field& field, TapeBuilder& builder, bool& streamed) {
  std::string_view name;
  if (!walker_.key(field, root_, builder, name)) return false;
  ondemand::value& inner = field.value();
  const std::string_view token = inner.raw_json_token();
  if (name != options_.list_key || first_of(token) != '[')
    return walker_.value(name, inner, root_, builder);
  builder.begin(Shape::kList, walker_.mark_of(token));
  builder.end();
  ondemand::array array;
  if (inner.get_array().get(array)) return walker_.refuse_structure(']');
  if (!handler_.wants_elements(builder.partial_root())) {
    builder.reopen();
    return walker_.items(array, root_, builder);
  }
  streamed = true;
  return elements(array, 2);
}

bool JsonStream::elements(ondemand::array list, int depth) {
  for (auto item : list) {
    ondemand::value inner;
    if (std::move(item).get(inner) != simdjson::SUCCESS) return walker_.refuse_structure(']');
    if (diagnostics_.is_full()) return false;
    walker_.parts().next_element(is_clean());
    element_.clear();
    TapeBuilder builder(element_, depth);
    walker_.set_in_element(true);
    if (!walker_.value("", inner, element_, builder)) return false;
    walker_.set_in_element(false);
    hand_on(Cursor(element_, 0));
  }
  return true;
}

void JsonStream::hand_on(Cursor element) {
  ++handed_on_;
  if (passed_over_ > 0)
    --passed_over_;
  else
    handler_.element(element, *this);
}

void JsonStream::hand_on(Cursor root, bool streamed) {
  ++handed_on_;
  if (passed_over_ > 0)
    --passed_over_;
  else
    handler_.document(root, streamed);
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
  const std::size_t rest = walker_.size() - begin_;
  if (parser.iterate(walker_.data() + begin_, rest, rest + simdjson::SIMDJSON_PADDING)
          .get(document))
    return std::nullopt;
  std::string_view text;
  if (document.find_field_unordered(wanted).get_string().get(text)) return std::nullopt;
  return std::string(text);
}

// Documents one after another: lists, objects with a list, objects without one.
JsonStream::Outcome JsonStream::by_elements() {
  for (int count = 0;; ++count) {
    const std::size_t begin = begin_, handed_on = handed_on_;
    if (diagnostics_.is_full()) return Outcome::kFull;
    begin_document();
    root_.clear();
    const Outcome outcome = document_by_elements();
    if (outcome == Outcome::kOdd) {
      const bool is_far = count >= kMaxDocuments;
      begin_ = is_far ? begin : 0;
      passed_over_ = is_far ? handed_on_ - handed_on : handed_on_;
    }
    if (outcome != Outcome::kDone) return outcome;
    begin_ = walker_.skip_space(begin_);
    if (begin_ == walker_.size()) return Outcome::kDone;
  }
}

// Moves begin_ behind it. After an object without a list there is most likely another one.
JsonStream::Outcome JsonStream::document_by_elements() {
  const std::size_t begin = walker_.skip_space(begin_);
  const char first = begin < walker_.size() ? walker_.data()[begin] : '\0';
  if (is_alone_ && first == '{' && alone(begin) == Outcome::kDone) return Outcome::kDone;
  const bool was_alone = std::exchange(is_alone_, false);
  moulds_.clear();
  if (first == '[') return list(begin + 1, 1);
  if (first != '{') return Outcome::kOdd;
  const std::size_t open = find_list(begin);
  if (open == 0 || !succeeds([&] { return head(begin, open); })) {
    if (was_alone) return Outcome::kOdd;
    is_alone_ = true;
    return alone(begin);
  }
  const Outcome outcome = list(open + 1, 2);
  if (outcome != Outcome::kDone) return outcome;
  return tail() ? Outcome::kDone : Outcome::kOdd;
}

JsonStream::Outcome JsonStream::alone(std::size_t at) {
  root_builder_.reset();
  std::size_t end = 0;
  if (!element(at, 0, end)) return Outcome::kOdd;
  begin_ = end;
  return Outcome::kDone;
}

// Whether something was read and had nothing wrong with it; else nothing is said about it yet.
template <typename Read>
bool JsonStream::succeeds(Read read) {
  const Diagnostics::Mark mark = diagnostics_.mark();
  const std::size_t said = diagnostics_.said();
  if (read() && diagnostics_.said() == said) return true;
  diagnostics_.rewind(mark);
  return false;
}

// Where the bracket stands that seems to open the list; 0 where none does.
std::size_t JsonStream::find_list(std::size_t begin) const {
  const std::string_view text(walker_.data(), std::min(walker_.size(), begin + kLongestHead));
  const std::string name = "\"" + std::string(options_.list_key) + "\"";
  std::size_t at = text.find(name, begin);
  for (; at != std::string_view::npos; at = text.find(name, at + 1)) {
    const std::size_t colon = walker_.skip_space(at + name.size());
    if (colon >= text.size() || text[colon] != ':') continue;
    const std::size_t open = walker_.skip_space(colon + 1);
    if (open < text.size() && text[open] == '[') return open;
  }
  return 0;
}

// The fields before the list, which has to be what find_list() took for it.
bool JsonStream::head(std::size_t begin, std::size_t list) {
  std::string text(walker_.data() + begin, list + 1 - begin);
  const std::size_t size = text.size();
  text.append(simdjson::SIMDJSON_PADDING, ' ');
  ondemand::document document;
  ondemand::value root;
  ondemand::object object;
  if (walker_.open({text.data(), size, begin}, document)) return false;
  if (document.get_value().get(root) || first_of(root.raw_json_token()) != '{') return false;
  TapeBuilder& builder = root_builder_.emplace(root_);
  builder.begin(Shape::kMap, walker_.mark_of(root.raw_json_token()));
  if (root.get_object().get(object)) return false;
  for (auto item : object) {
    ondemand::field field;
    std::string_view name;
    if (std::move(item).get(field) || !walker_.key(field, root_, builder, name)) return false;
    const Mark at = walker_.mark_of(field.value().raw_json_token());
    if (at.position == list) {
      if (name != options_.list_key) return false;
      builder.begin(Shape::kList, at);
      builder.end();
      return handler_.wants_elements(builder.partial_root());
    }
    if (!walker_.value(name, field.value(), root_, builder)) return false;
  }
  return false;
}

// Elements from `at` on, which is behind the bracket; moves begin_ behind the other one.
JsonStream::Outcome JsonStream::list(std::size_t at, int depth) {
  const auto byte = [&] { return at < walker_.size() ? walker_.data()[at] : '\0'; };
  at = walker_.skip_space(at);
  bool more = byte() != ']';
  while (more) {
    if (byte() != '{') return Outcome::kOdd;
    if (diagnostics_.is_full()) return Outcome::kFull;
    std::size_t end = 0;
    if (!element(at, depth, end)) return Outcome::kOdd;
    at = walker_.skip_space(end);
    more = byte() == ',';
    if (more) at = walker_.skip_space(at + 1);
  }
  if (byte() != ']') return Outcome::kOdd;
  begin_ = at + 1;
  return Outcome::kDone;
}

bool JsonStream::element(std::size_t at, int depth, std::size_t& end) {
  if (is_clean()) {
    if (const Mould* mould = moulds_.fit(at, end)) {
      // The next element is most likely as long, and is looked at once this one is dealt with.
      const std::size_t next = std::min({mould->bytes.size(), kFetched, walker_.size() - end});
      prefetch(walker_.data() + end, next);
      deliver(Cursor(mould->tape, 0), depth);
      const std::size_t last = mould->lines > 0 ? mould->present(mould->last_line) : 0;
      walker_.source().pass_lines(at, end, mould->lines, last);
      return true;
    }
  }
  const std::size_t rest = walker_.size() - at;
  ondemand::document document;
  ondemand::object object;
  std::string_view raw;
  for (std::size_t size = window_of(at); raw.empty(); size *= 4) {
    raw = open_object({walker_.data() + at, to_brace(at, size), at}, document, object);
    if (raw.empty() && (size >= rest || (depth == 0 && size >= kLongestAlone))) return false;
  }
  end = at + raw.size();
  last_begin_ = at;
  last_end_ = end;
  const Mark mark{static_cast<std::uint32_t>(at), 0};
  const bool has_others = depth > 0 || handed_on_ > 0 || walker_.skip_space(end) < walker_.size();
  walker_.parts().next_element(has_others && is_clean());
  if (!succeeds([&] { return walk_element(object, mark, depth); })) return false;
  if (depth == 0 && has_list(Cursor(element_, 0))) return false;
  deliver(Cursor(element_, 0), depth);
  if (is_clean() && walker_.parts().is_settled() && moulds_.learn(raw, element_))
    walker_.prepare(element_);
  return true;
}

void JsonStream::deliver(Cursor object, int depth) {
  if (depth == 0)
    hand_on(object, false);
  else
    hand_on(object);
}

bool JsonStream::has_list(Cursor root) const {
  bool is_there = false;
  root.fields([&](std::string_view key, Cursor value) {
    is_there = is_there || (key == options_.list_key && value.is_list());
  });
  return is_there;
}

// A guess at where the element ends: where the next one begins as this one does.
std::size_t JsonStream::window_of(std::size_t at) const {
  constexpr std::size_t kBeginning = 12;
  const std::string_view text(walker_.data(), walker_.size());
  if (last_end_ == 0 || last_end_ > at) return kFirstWindow;
  const std::string_view beginning = text.substr(last_end_ - 1, at - last_end_ + 1 + kBeginning);
  const std::size_t most = std::max<std::size_t>(kFirstWindow, 4 * (last_end_ - last_begin_));
  const std::size_t next = text.substr(at, most).find(beginning);
  return next == std::string_view::npos ? kFirstWindow : next + 1;
}

// How many of `size` bytes from `at` on are a window that most likely does not end within a text.
std::size_t JsonStream::to_brace(std::size_t at, std::size_t size) const {
  const std::string_view bytes(walker_.data() + at, std::min(size, walker_.size() - at));
  const std::size_t last = bytes.rfind('}');
  return last == std::string_view::npos ? bytes.size() : last + 1;
}

std::string_view JsonStream::open_object(JsonWindow window, ondemand::document& document,
                                         ondemand::object& object) {
  ondemand::value value;
  std::string_view raw;
  if (walker_.open(window, document) || document.get_value().get(value) ||
      value.get_object().get(object) || object.raw_json().get(raw) || object.reset().error())
    return {};
  return trim_json_end(raw);
}

bool JsonStream::walk_element(ondemand::object& object, Mark at, int depth) {
  element_.clear();
  TapeBuilder builder(element_, depth);
  walker_.set_in_element(true);
  const bool done = walker_.fill(object, element_, builder, at);
  walker_.set_in_element(false);
  return done;
}

// The fields behind the list, as those of an object that begins with an empty one.
bool JsonStream::tail() {
  const std::size_t rest = walker_.size() - begin_;
  ondemand::document document;
  ondemand::object object;
  std::string text;
  std::string_view raw;
  for (std::size_t size = kFirstWindow; raw.empty(); size *= 4) {
    text.assign(kTailHead).append(walker_.data() + begin_, to_brace(begin_, size));
    const JsonWindow window{text.data(), text.size(), begin_ - kTailHead.size()};
    text.append(simdjson::SIMDJSON_PADDING, ' ');
    raw = open_object({text.data(), window.size, window.shift}, document, object);
    if (raw.empty() && size >= rest) return false;
  }
  if (!succeeds([&] { return tail_fields(object); })) return false;
  begin_ += raw.size() - kTailHead.size();
  hand_on(Cursor(root_, 0), true);
  return true;
}

bool JsonStream::tail_fields(ondemand::object& object) {
  TapeBuilder& builder = *root_builder_;
  bool is_first = true;
  for (auto item : object) {
    ondemand::field field;
    std::string_view name;
    if (std::move(item).get(field)) return false;
    if (std::exchange(is_first, false)) continue;
    if (!walker_.key(field, root_, builder, name) || name == options_.list_key) return false;
    if (!walker_.value(name, field.value(), root_, builder)) return false;
  }
  builder.end();
  root_builder_.reset();
  return true;
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
  return JsonStream(source, diagnostics, options, handler).run(true);
}

bool stream_whole_json(const Source& source, Diagnostics& diagnostics, const StreamOptions& options,
                       StreamHandler& handler) {
  return JsonStream(source, diagnostics, options, handler).run(false);
}

}  // namespace gedge::codec
