// codec/yaml_moulds.hpp - YAML documents that differ from an earlier one in nothing but some plain
// words are recognised by their bytes, and need no parser.
//
// As for JSON (codec/moulds.hpp), but here texts may be keys, and nothing ends where a quote says
// so. A text may be another one only where it differed in two documents that are otherwise alike,
// and only if it is one word of letters, digits and "._/-" that YAML takes for text, or stands in
// quotes on one line without escapes. Such a word ends where the one before it ended, whatever it
// says, so that all other bytes are read as they were read the first time. What it says may still
// be wrong where it is a key that comes twice: that is looked for.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "codec/moulds.hpp"

namespace gedge::codec {

/// The moulds of one text. Bounded in number and size.
class YamlMoulds {
 public:
  /// How a document begins that may be one of a mould; it ends where the next one begins, or with
  /// the text.
  static constexpr std::string_view kBeginning = "---\n";

  explicit YamlMoulds(std::string_view text) : text_(text) {}

  /// The document that begins at `at`, in line `line` of the text (from 0), if it is one of a
  /// mould: `end` is where it ends. Its tape holds until the next call.
  Mould* fit(std::size_t at, std::uint32_t line, std::size_t& end);
  /// A document that was parsed and has nothing wrong with it. Takes its tape over where true.
  bool learn(std::string_view bytes, std::uint32_t line, Tape& tape);

 private:
  static constexpr std::size_t kMaxMoulds = 256, kMaxEntries = std::size_t{1} << 18;
  static constexpr std::size_t kMaxBytes = std::size_t{1} << 16, kMaxHoles = 256;
  static constexpr std::size_t kMaxTries = 32;

  using Holes = std::vector<Mould::Hole>;
  /// A document, and every text of it that may be another one.
  struct Pattern {
    std::uint64_t hash = 0;  // of all other bytes
    std::string_view bytes;
    Holes texts;
  };
  /// Entries of a key that may be another one and of the map it stands in.
  struct OwnKey {
    std::uint32_t map = 0, key = 0;
  };
  /// Only texts that differed somewhere are holes.
  struct Known {
    std::unique_ptr<Mould> mould;
    Pattern pattern;
    std::vector<bool> is_open;  // of its texts
    std::vector<OwnKey> own_keys;
    std::size_t next = 0;  // which came after it the last time
  };
  bool matches(const Mould& mould, std::size_t at, std::size_t& end);
  void put_in(Mould& mould, std::size_t at, std::uint32_t line);
  static std::vector<OwnKey> own_keys_of(const Mould& mould);
  static bool come_once(const Tape& tape, const std::vector<OwnKey>& keys);
  static bool open_texts(const Pattern& earlier, const Pattern& pattern,
                         std::vector<bool>& is_open);
  bool make(Pattern pattern, std::vector<bool> is_open, std::uint32_t line, Tape& tape,
            std::size_t where);

  std::string_view text_;
  std::vector<Known> known_;
  std::unordered_map<std::uint64_t, std::size_t> by_hash_;  // of patterns
  std::array<Pattern, 256> seen_once_;
  std::size_t last_ = 0, entries_ = 0;
  std::uint32_t count_ = 0;
  std::array<std::string_view, kMaxHoles> found_{};  // in the holes
};

}  // namespace gedge::codec
