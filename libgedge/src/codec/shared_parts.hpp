// codec/shared_parts.hpp - parts of a text that come again byte by byte are read once.
//
// Of 50,000 pods most say the same about their containers, their labels and who manages which
// field. Equal bytes mean equal values, so a part that was walked and checked once stands on a tape
// of its own, and the tapes of later objects link to it.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "codec/cursor.hpp"

namespace gedge::codec {

struct SharedPart {
  std::string_view bytes;
  Tape tape;
  int height = 0;             // levels of nesting in it
  std::uint64_t element = 0;  // in which it was read; linked to in later ones only
  bool complete = false;      // the tape is
  std::uint32_t column = 0;   // YAML: of the key
};

/// The parts of one text. Bounded: at most kMaxParts parts and kMaxEntries entries, and none of
/// more than kMaxBytes; nothing is remembered of what came once but a hash.
class SharedParts {
 public:
  /// Every object of a list is an element. Values with errors or warnings are said to be wrong in
  /// each place, so nothing is shared once a reader has complained.
  void next_element(bool clean) {
    ++element_;
    enabled_ = enabled_ && clean;
    settled_ = true;
  }
  /// Nothing in the present element is expected to be a part once it has come more often: what was
  /// looked for was found, or is under keys whose values hardly ever come again.
  bool is_settled() const { return enabled_ && settled_; }

  /// Whether looking for values under that key has been worth its time. True: find() comes next.
  bool worth_trying(std::string_view key);
  /// What came before with the same bytes; empty if nothing did.
  SharedPart* find(std::string_view bytes);
  /// After find() was empty: a part to fill if these bytes came before, else empty.
  SharedPart* begin(std::string_view bytes);
  /// The part that begin() gave is complete.
  void end(SharedPart& part);

 private:
  static constexpr std::size_t kMaxParts = 4096, kMaxEntries = std::size_t{1} << 20;
  static constexpr std::size_t kMaxBytes = std::size_t{1} << 17;
  static constexpr std::size_t kMaxKeys = 256, kSeen = 4096;
  static constexpr std::uint32_t kSample = 64, kLongestPause = 512, kEnough = 32;

  struct Habit {
    std::uint32_t tries = 0, hits = 0;
    std::uint32_t skip = 0, pause = kSample;  // values to let pass; how many the next time
    bool is_hopeless() const { return pause > kSample || (tries >= kEnough && hits < tries / 4); }
  };
  bool has_room() const { return parts_.size() < kMaxParts && entries_ < kMaxEntries; }

  bool enabled_ = true, settled_ = true;
  std::uint64_t element_ = 0;
  std::uint64_t hash_ = 0;  // of the bytes that find() was asked for last
  std::size_t entries_ = 0;
  std::unordered_map<std::uint64_t, std::unique_ptr<SharedPart>> parts_;
  std::map<std::string, Habit, std::less<>> habits_;
  Habit* habit_ = nullptr;                // of the key that worth_trying() was asked for last
  std::vector<std::uint64_t> seen_once_;  // [kSeen], once anything was
};

}  // namespace gedge::codec
