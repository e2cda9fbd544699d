// codec/cursor.hpp - one way to read fields, whether the bytes were YAML or JSON.
//
// Both parsers (libyaml events, simdjson On-Demand) write what they see onto the same compact Tape:
// 24 bytes an entry, texts borrowed from the input where they stand there literally. The tape holds
// one object at a time (a document, or one element of a streamed list), so a List of 300 MB stays
// in bounded memory. What makes a text invalid as such (syntax, nesting beyond 64, duplicate keys,
// unknown tags, over-budget aliases) is found while the tape is written, in every corner of the
// input; what makes a value wrong for its field is found here and reported with its place.
//
//   std::optional<Document> document = Document::parse(source, diagnostics);
//   if (!document) return;                        // already reported
//   document->root().fields([&](std::string_view key, Cursor value) {
//     if (key == "name") { if (auto t = value.text()) name = *t; }
//     else if (key == "peers") value.items([&](Cursor peer) { read_peer(peer); });
//   });                                           // fields that nobody reads cost nothing
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "codec/diagnostics.hpp"
#include "codec/scalar.hpp"
#include "codec/source.hpp"
#include "gedge/model/place.hpp"

namespace gedge::codec {

/// Nesting that is still read; one level more is refused.
inline constexpr int kMaxDepth = 64;

enum class Shape : std::uint8_t { kScalar, kMap, kList };

/// Of entries that stand for the root of another tape.
inline constexpr std::uint32_t kLink = 3;

/// 128 bits of a value's content: equal for equal content, whatever the syntax and the order of
/// fields.
struct Fingerprint {
  std::uint64_t low = 0, high = 0;
  friend auto operator<=>(const Fingerprint&, const Fingerprint&) = default;
};

struct TapeEntry {
  const char* text = nullptr;     // scalars and keys
  std::uint32_t length = 0;       // bytes of text; containers: number of fields or items;
                                  // links: which of the linked tapes
  std::uint32_t next = 0;         // index of the entry behind this value
  std::uint32_t position = 0;     // JSON: byte offset; YAML: line from 0
  std::uint32_t column : 24 = 0;  // YAML: character from 0, at most kMaxColumn
  std::uint32_t shape : 2 = 0;
  std::uint32_t quoted : 1 = 0;  // text by its form: quoted, block scalar or !!str
  std::uint32_t in_map : 1 = 0;  // the entry before is this value's key
};
static_assert(sizeof(TapeEntry) == 24);

/// Texts that stand nowhere in the input as such. Addresses are stable until clear().
class TextArena {
 public:
  char* allocate(std::size_t bytes);
  std::string_view copy(std::string_view text);
  void clear();

 private:
  static constexpr std::size_t kBlock = 64 * 1024;
  std::vector<std::unique_ptr<char[]>> blocks_;
  std::size_t used_ = 0, capacity_ = 0;
};

struct Mould;

struct Tape {
  std::vector<TapeEntry> entries;
  TextArena arena;
  const Source* source = nullptr;
  Diagnostics* diagnostics = nullptr;
  bool is_json = false;
  std::vector<const Tape*> linked;
  std::optional<Fingerprint> fingerprint;  // of the root, once it is known
  Mould* mould = nullptr;  // codec/moulds.hpp; null: of a tape that was written for one value

  void clear() {
    entries.clear();
    linked.clear();
    arena.clear();
  }
};

/// One value. Cheap to copy; valid as long as its tape is unchanged. A null value (null, ~, nothing
/// at all) means "absent" as in the Kubernetes API: typed reads give nothing and report nothing.
class Cursor {
 public:
  Cursor(const Tape& tape, std::uint32_t index) : tape_(&tape), index_(index) {
    if (entry().shape == kLink) *this = Cursor(*tape.linked[entry().length], 0);
  }

  Shape shape() const { return static_cast<Shape>(entry().shape); }
  bool is_map() const { return shape() == Shape::kMap; }
  bool is_list() const { return shape() == Shape::kList; }
  /// Type of a scalar; kText for maps and lists.
  ScalarType type() const;
  bool is_null() const { return shape() == Shape::kScalar && type() == ScalarType::kNull; }
  /// Number of fields or items; 0 for scalars.
  std::uint32_t size() const { return shape() == Shape::kScalar ? 0 : entry().length; }
  /// A scalar as it stands, unescaped; empty for maps and lists.
  std::string_view raw_text() const;
  bool is_quoted() const { return entry().quoted != 0; }

  // Typed reads: empty for null; empty after an error was reported.
  std::optional<std::string_view> text() const;
  std::optional<bool> boolean() const;
  std::optional<std::int64_t> integer(
      std::int64_t least = std::numeric_limits<std::int64_t>::min(),
      std::int64_t most = std::numeric_limits<std::int64_t>::max()) const;
  /// Text or a plain number in decimal notation, never through a double: what a Kubernetes quantity
  /// or IntOrString may be. NaN and infinities are refused.
  std::optional<std::string> text_or_number() const;

  /// The value of `key`; empty where it is absent. Cost: O(fields).
  std::optional<Cursor> find(std::string_view key) const;
  /// Calls f(std::string_view key, Cursor value) for each field, in the order of the text.
  /// Null: no call. Anything but a map: reported, false.
  template <typename F>
  bool fields(F&& f) const;
  /// Calls f(Cursor item) for each item. Null: no call. Anything but a list: reported, false.
  template <typename F>
  bool items(F&& f) const;

  /// The key of a value that stands in a map and not on a tape of its own.
  std::optional<Cursor> key() const;

  /// The tape of a value that came before with the same bytes; null for others. Two values with one
  /// of these are equal.
  const Tape* shared() const {
    return index_ == 0 && tape_->fingerprint.has_value() ? tape_ : nullptr;
  }

  /// What this element of a list has in common with others; null where that is not known.
  Mould* mould() const { return index_ == 0 ? tape_->mould : nullptr; }
  /// Which entry of that tape this is; 0 for a root and for what stands on another one.
  std::uint32_t index_on(const Tape& tape) const { return tape_ == &tape ? index_ : 0; }

  Place place() const;
  SourceSpan where() const;
  /// Reports an error at this value. Style: lower case, one clause, no full stop.
  void fail(std::string what, std::string hint = {}) const;
  void warn(std::string code, std::string message) const;
  /// "'replicas' must be" + `what` + what was found instead.
  void fail_type(std::string_view expected, std::string hint = {}) const;
  const Source& source() const { return *tape_->source; }
  Diagnostics& diagnostics() const { return *tape_->diagnostics; }

  /// This value as JSON text, numbers as they were written.
  std::string to_json() const;

  Fingerprint fingerprint() const;

 private:
  const TapeEntry& entry() const { return tape_->entries[index_]; }
  std::string_view content() const { return {entry().text, entry().length}; }
  bool expect(Shape shape, std::string_view name) const;
  void fail_range(std::int64_t least, std::int64_t most) const;

  const Tape* tape_;
  std::uint32_t index_;
};

/// A whole text on one tape, for inputs that are one value (a profile, a matrix, an annotation).
/// Lists of many objects are streamed instead, see codec/stream.hpp.
class Document {
 public:
  /// Errors: everything that makes the text invalid, a second document, an empty text; reported,
  /// and then empty. `source` and `diagnostics` outlive the document.
  static std::optional<Document> parse(const Source& source, Diagnostics& diagnostics,
                                       std::uint64_t max_bytes = 1ull << 30);
  Cursor root() const { return {*tape_, 0}; }

 private:
  explicit Document(std::unique_ptr<Tape> tape) : tape_(std::move(tape)) {}
  std::unique_ptr<Tape> tape_;
};

template <typename F>
bool Cursor::fields(F&& f) const {
  if (!expect(Shape::kMap, "a map")) return is_null();
  for (std::uint32_t at = index_ + 1; at < entry().next; at = tape_->entries[at + 1].next) {
    const TapeEntry& key = tape_->entries[at];
    f(std::string_view(key.text, key.length), Cursor(*tape_, at + 1));
  }
  return true;
}

template <typename F>
bool Cursor::items(F&& f) const {
  if (!expect(Shape::kList, "a list")) return is_null();
  for (std::uint32_t at = index_ + 1; at < entry().next; at = tape_->entries[at].next)
    f(Cursor(*tape_, at));
  return true;
}

}  // namespace gedge::codec
