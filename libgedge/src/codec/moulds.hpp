// codec/moulds.hpp - elements of a JSON list that differ from an earlier one in nothing but the
// content of some texts are recognised by their bytes, and need no parser.
//
// A mould is an element that simdjson has walked: its bytes, its tape, and holes where a text (no
// key, no number) may be another one. Bytes that equal a mould's but for the content of its holes,
// which is UTF-8 without quotes, backslashes and control characters, are JSON whenever the mould's
// are, and of the same structure: the mould's tape, with other texts, is theirs. Parts that came
// before byte by byte (codec/shared_parts.hpp) have no holes: they are what makes an element one of
// its template.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "codec/cursor.hpp"
#include "codec/mould_fingerprint.hpp"

namespace gedge::codec {

struct Mould {
  /// A text that may differ: where its content stood in the element that the mould was made of.
  struct Hole {
    std::uint32_t begin = 0, end = 0;  // from the element's first byte
    std::uint32_t entry = 0;           // of the tape
  };
  /// One that does.
  struct Open {
    Hole hole;
    std::uint32_t number = 0;   // among the holes
    std::uint32_t now_end = 0;  // of the present content, in the source
  };
  /// Content of the present element: of an entry that has a hole.
  std::string_view text(std::uint32_t entry) const {
    return {tape.entries[entry].text, tape.entries[entry].length};
  }
  Fingerprint fingerprint();
  /// Where something stands in the present element that stood at `position` of the source.
  std::uint32_t present(std::uint32_t position) const;
  /// YAML: the column in which an entry stands now.
  std::uint32_t present_column(const TapeEntry& entry) const;

  std::uint32_t number = 0;  // of all moulds of a text, from 0
  Tape tape;                 // of the present element
  std::string_view bytes;
  std::uint32_t begin = 0, now = 0;  // where the element stood in the source, and stands
  std::uint32_t lines = 0;           // that end in it
  std::uint32_t last_line = 0;       // where the one behind them begins, in the source
  std::vector<Hole> holes;
  std::vector<Open> open;                // in the order of holes; grows
  std::vector<std::uint32_t> prefixes;   // up to each hole and to the end: equal for equal bytes
  Mould* next = nullptr;                 // which came after it the last time
  std::uint32_t line = 0, now_line = 0;  // YAML: in which it stood, and stands
  std::unique_ptr<MouldFingerprint> fingerprints;  // once somebody asked for one
  /// Entries whose texts were read, while somebody wants to know.
  std::vector<std::uint32_t>* reads = nullptr;
};

/// The text of a field's name.
inline bool is_key(const Tape& tape, std::uint32_t entry) {
  return entry + 1 < tape.entries.size() && tape.entries[entry + 1].in_map != 0;
}

/// Texts that stand on the tape as in the source: values without escapes that are no part.
std::vector<Mould::Hole> holes_of(const Tape& tape);

/// The moulds of one list. Bounded in number and size; only what comes a second time becomes one.
class Moulds {
 public:
  /// `text` is what the elements stand in, with eight bytes behind it that may be read.
  explicit Moulds(std::string_view text) : text_(text) {}

  /// The element that begins at `at`, if it is one of a mould: `end` is where it ends. Its tape
  /// holds until the next call.
  Mould* fit(std::size_t at, std::size_t& end);
  /// An element that was walked and has nothing wrong with it. Takes its tape over where true.
  bool learn(std::string_view bytes, Tape& tape);
  /// Elements of the next list are other ones; numbers go on.
  void clear();

 private:
  static constexpr std::size_t kMaxMoulds = 1024, kMaxEntries = std::size_t{1} << 18;
  static constexpr std::size_t kMaxBytes = std::size_t{1} << 16, kMaxHoles = 256;
  static constexpr int kMaxTries = 32;
  static constexpr std::size_t kSeen = 4096;

  bool matches(const Mould& mould, std::size_t& segment, std::size_t& at);
  std::size_t skip_equal(std::size_t at, std::string_view bytes) const;
  void open_what_differs(Mould& mould, std::size_t at) const;
  Mould* other_than(const Mould& failed, std::size_t segment, std::size_t& from) const;
  void put_in(Mould& mould, std::size_t at);
  std::vector<std::uint32_t> prefixes_of(const Mould& mould) const;

  std::string_view text_;
  std::vector<std::unique_ptr<Mould>> moulds_;
  Mould* last_ = nullptr;
  std::size_t entries_ = 0;
  std::uint32_t count_ = 0;
  std::array<std::uint32_t, kMaxHoles> ends_{};  // of the texts that were found in holes
  bool found_closed_ = false;                    // some of them perhaps differ in a closed one
  std::vector<std::uint64_t> seen_once_;         // [kSeen], once anything was
};

}  // namespace gedge::codec
