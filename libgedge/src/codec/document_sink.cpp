#include "codec/document_sink.hpp"

#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>
#include <utility>

#include "codec/scalar.hpp"

namespace gedge::codec {
namespace {

// Characters that a terminal acts upon or that turn text around: DEL, C1 controls, zero-width and
// bidirectional marks.
struct Hidden {
  std::size_t length = 0;  // 0: the text does not begin with one
  unsigned code = 0;
};

Hidden hidden_at(std::string_view text) {
  const auto byte = [&](std::size_t i) {
    return i < text.size() ? static_cast<unsigned char>(text[i]) : 0u;
  };
  if (byte(0) == 0x7F) return {1, 0x7F};
  if (byte(0) == 0xC2 && byte(1) >= 0x80 && byte(1) < 0xA0) return {2, byte(1)};
  if (byte(0) != 0xE2 || (byte(1) != 0x80 && byte(1) != 0x81)) return {};
  const unsigned code = 0x2000u + ((byte(1) & 0x3Fu) << 6) + (byte(2) & 0x3Fu);
  const bool hides = (code >= 0x200B && code <= 0x200F) || (code >= 0x2028 && code <= 0x202E) ||
                     (code >= 0x2060 && code <= 0x206F);
  return hides ? Hidden{3, code} : Hidden{};
}

void append_escaped(std::string& out, unsigned code) {
  constexpr std::string_view digits = "0123456789abcdef";
  out += "\\u";
  for (int shift = 12; shift >= 0; shift -= 4) out += digits[(code >> shift) & 15u];
}

/// JSON text of one value. Hidden characters can only stand in its strings, so they are escaped
/// afterwards.
std::string json_text(const Json& value, int indent) {
  std::string raw = value.dump(indent, ' ', false, Json::error_handler_t::replace);
  const auto suspicious = [](char c) { return static_cast<unsigned char>(c) >= 0x7F; };
  if (std::none_of(raw.begin(), raw.end(), suspicious)) return raw;
  std::string out;
  for (std::size_t i = 0; i < raw.size();) {
    const Hidden hidden = hidden_at(std::string_view(raw).substr(i));
    if (hidden.length == 0) {
      out += raw[i++];
      continue;
    }
    append_escaped(out, hidden.code);
    i += hidden.length;
  }
  return out;
}

constexpr std::uint64_t every(std::uint64_t byte) { return byte * 0x0101010101010101; }

/// True if no byte of the word is `byte`.
bool lacks(std::uint64_t word, std::uint64_t byte) {
  const std::uint64_t other = word ^ every(byte);
  return ((other - every(1)) & ~other & every(0x80)) == 0;
}

/// Printable ASCII without quotes and backslashes, eight bytes at a time.
bool needs_no_escape(std::string_view text) {
  for (; text.size() >= 8; text.remove_prefix(8)) {
    std::uint64_t word = 0;
    std::memcpy(&word, text.data(), sizeof word);
    const bool is_low = ((word - every(0x20)) & ~word & every(0x80)) != 0;
    const bool is_high = (word & every(0x80)) != 0;
    if (is_low || is_high || !lacks(word, '"') || !lacks(word, '\\') || !lacks(word, 0x7F))
      return false;
  }
  return std::all_of(text.begin(), text.end(),
                     [](char c) { return c >= 0x20 && c < 0x7F && c != '"' && c != '\\'; });
}

void append_text(std::string& out, std::string_view text) {
  if (!needs_no_escape(text)) {
    out += json_text(Json(text), -1);
    return;
  }
  out += '"';
  out += text;
  out += '"';
}

/// Without blanks and line ends. What is written is gathered, and handed on by flush().
class JsonValueSink final : public ValueSink {
 public:
  explicit JsonValueSink(std::string& out) : out_(out) {}

  void begin_map() override { open('{'); }
  void end_map() override { close('}'); }
  void begin_list() override { open('['); }
  void end_list() override { close(']'); }
  void empty_list() override {
    separate();
    put("[]");
  }
  void key(std::string_view name) override {
    text(name);
    put(':');
    first_ = true;
  }
  void text(std::string_view value) override {
    separate();
    if (!needs_no_escape(value)) return put(json_text(Json(value), -1));
    put('"');
    put(value);
    put('"');
  }
  void number(std::int64_t value) override {
    separate();
    std::array<char, 20> digits{};
    const auto [end, error] = std::to_chars(digits.data(), digits.data() + digits.size(), value);
    static_cast<void>(error);  // 20 characters hold every int64
    put({digits.data(), static_cast<std::size_t>(end - digits.data())});
  }
  void boolean(bool value) override {
    separate();
    put(value ? "true" : "false");
  }
  void null() override {
    separate();
    put("null");
  }
  /// The value is complete; another one may follow.
  void flush() {
    out_.append(gathered_.data(), used_);
    used_ = 0;
    first_ = true;
  }

 private:
  void put(char c) { put(std::string_view(&c, 1)); }
  void put(std::string_view text) {
    if (text.size() > gathered_.size() - used_) {
      out_.append(gathered_.data(), std::exchange(used_, 0));
      if (text.size() > gathered_.size()) {
        out_.append(text);
        return;
      }
    }
    std::memcpy(gathered_.data() + used_, text.data(), text.size());
    used_ += text.size();
  }
  void separate() {
    if (!first_) put(',');
    first_ = false;
  }
  void open(char bracket) {
    separate();
    put(bracket);
    first_ = true;
  }
  void close(char bracket) {
    put(bracket);
    first_ = false;
  }
  std::string& out_;
  std::array<char, 1024> gathered_{};
  std::size_t used_ = 0;
  bool first_ = true;
};

constexpr std::size_t kPiece = 1 << 20;

/// Two spaces a level; items of lists that are given as such have a line each.
class JsonSink final : public DocumentSink {
 public:
  /// `take`: null to keep all in `out`; else long lists are handed on.
  JsonSink(std::string& out, int depth, const TextTaker* take = nullptr)
      : out_(out), depth_(depth), take_(take) {}

  void field(std::string_view key, const Json& value) override {
    begin(key);
    for (const char c : json_text(value, 2)) {  // strings hold no raw line end
      out_ += c;
      if (c == '\n') indent(depth_);
    }
  }

  void list(std::string_view key, std::size_t count,
            const std::function<Json(std::size_t)>& item) override {
    lines(key, count, [&](std::size_t i) { out_ += json_text(item(i), -1); });
  }

  void stream(std::string_view key, std::size_t count,
              const std::function<void(std::size_t, ValueSink&)>& item) override {
    JsonValueSink sink(out_);
    lines(key, count, [&](std::size_t i) {
      item(i, sink);
      sink.flush();
    });
  }

  void object(std::string_view key, const std::function<void(DocumentSink&)>& fill) override {
    begin(key);
    braces(fill, depth_);
  }

  void braces(const std::function<void(DocumentSink&)>& fill, int depth) {
    out_ += '{';
    JsonSink inner(out_, depth + 1, take_);
    fill(inner);
    out_ += '\n';
    indent(depth);
    out_ += '}';
  }

 private:
  template <typename F>
  void lines(std::string_view key, std::size_t count, F append_item) {
    begin(key);
    out_ += count == 0 ? "[" : "[\n";
    const std::size_t start = out_.size();
    for (std::size_t i = 0; i < count; ++i) {
      if (i == kSample && take_ == nullptr)
        make_room((out_.size() - start) / kSample * (count - i));
      indent(depth_ + 1);
      append_item(i);
      out_ += i + 1 < count ? ",\n" : "\n";
      if (take_ != nullptr && out_.size() >= kPiece) {
        (*take_)(out_);
        out_.clear();
      }
    }
    if (count > 0) indent(depth_);
    out_ += ']';
  }
  // For a long list, by its first items: doubling would copy it over and over.
  void make_room(std::size_t bytes) { out_.reserve(out_.size() + bytes + bytes / 8); }
  void begin(std::string_view key) {
    out_ += first_ ? "\n" : ",\n";
    indent(depth_);
    first_ = false;
    append_text(out_, key);
    out_ += ": ";
  }
  void indent(int depth) { out_.append(2 * static_cast<std::size_t>(depth), ' '); }

  static constexpr std::size_t kSample = 32;

  std::string& out_;
  int depth_;
  const TextTaker* take_;
  bool first_ = true;
};

/// "2026-01-02" and what begins like it: a date to readers of YAML 1.1.
bool is_like_a_date(std::string_view text) {
  return text.size() >= 8 && text[4] == '-' &&
         std::all_of(text.begin(), text.begin() + 4, [](char c) { return c >= '0' && c <= '9'; });
}

void emit_text(YAML::Emitter& out, const std::string& text) {
  const bool plain =
      !text.empty() && classify_plain(text) == ScalarType::kText && !is_like_a_date(text);
  if (!plain) out << YAML::DoubleQuoted;
  out << text;
}

/// Depth is that of answers: a handful of levels.
void emit(YAML::Emitter& out, const Json& value) {
  if (value.is_object()) {
    out << YAML::BeginMap;
    for (const auto& [key, field] : value.items()) {
      out << YAML::Key;
      emit_text(out, key);
      out << YAML::Value;
      emit(out, field);
    }
    out << YAML::EndMap;
  } else if (value.is_array()) {
    const bool flow = value.empty();
    if (flow) out << YAML::Flow;
    out << YAML::BeginSeq;
    for (const Json& item : value) emit(out, item);
    out << YAML::EndSeq;
  } else if (value.is_string()) {
    emit_text(out, value.get<std::string>());
  } else if (value.is_null()) {
    out << YAML::Null;
  } else {
    out << value.dump();  // true, false and numbers read the same in YAML
  }
}

class YamlValueSink final : public ValueSink {
 public:
  explicit YamlValueSink(YAML::Emitter& out) : out_(out) {}

  void begin_map() override { out_ << YAML::BeginMap; }
  void end_map() override { out_ << YAML::EndMap; }
  void begin_list() override { out_ << YAML::BeginSeq; }
  void end_list() override { out_ << YAML::EndSeq; }
  void empty_list() override { out_ << YAML::Flow << YAML::BeginSeq << YAML::EndSeq; }
  void key(std::string_view name) override {
    out_ << YAML::Key;
    emit_text(out_, std::string(name));
    out_ << YAML::Value;
  }
  void text(std::string_view value) override { emit_text(out_, std::string(value)); }
  void number(std::int64_t value) override { out_ << std::to_string(value); }
  void boolean(bool value) override { out_ << (value ? "true" : "false"); }
  void null() override { out_ << YAML::Null; }

 private:
  YAML::Emitter& out_;
};

class YamlSink final : public DocumentSink {
 public:
  explicit YamlSink(YAML::Emitter& out) : out_(out) {}

  void field(std::string_view key, const Json& value) override {
    begin(key);
    emit(out_, value);
  }
  void list(std::string_view key, std::size_t count,
            const std::function<Json(std::size_t)>& item) override {
    begin(key);
    if (count == 0) out_ << YAML::Flow;
    out_ << YAML::BeginSeq;
    for (std::size_t i = 0; i < count; ++i) emit(out_, item(i));
    out_ << YAML::EndSeq;
  }
  void stream(std::string_view key, std::size_t count,
              const std::function<void(std::size_t, ValueSink&)>& item) override {
    begin(key);
    if (count == 0) out_ << YAML::Flow;
    out_ << YAML::BeginSeq;
    YamlValueSink sink(out_);
    for (std::size_t i = 0; i < count; ++i) item(i, sink);
    out_ << YAML::EndSeq;
  }
  void object(std::string_view key, const std::function<void(DocumentSink&)>& fill) override {
    begin(key);
    out_ << YAML::BeginMap;
    fill(*this);
    out_ << YAML::EndMap;
  }

 private:
  void begin(std::string_view key) { out_ << YAML::Key << std::string(key) << YAML::Value; }
  YAML::Emitter& out_;
};

}  // namespace

std::string write_document(TextFormat format, const std::function<void(DocumentSink&)>& fill) {
  if (format == TextFormat::kYaml) {
    YAML::Emitter emitter;
    emitter.SetOutputCharset(YAML::EscapeNonAscii);
    emitter << YAML::BeginMap;
    YamlSink sink(emitter);
    fill(sink);
    emitter << YAML::EndMap;
    return std::string(emitter.c_str(), emitter.size()) + "\n";
  }
  std::string out;
  JsonSink(out, 0).braces(fill, 0);
  out += '\n';
  return out;
}

void write_document(TextFormat format, const std::function<void(DocumentSink&)>& fill,
                    const TextTaker& take) {
  // An emitter of YAML keeps what it wrote; whoever wants a long document takes JSON.
  if (format == TextFormat::kYaml) return take(write_document(format, fill));
  std::string out;
  JsonSink(out, 0, &take).braces(fill, 0);
  out += '\n';
  take(out);
}

void put_head(DocumentSink& sink, std::string_view kind) {
  sink.field("apiVersion", kApiVersion);
  sink.field("kind", kind);
}

}  // namespace gedge::codec
