// codec/tape_builder.hpp - what both parsers write onto a tape, and the checks both share.
#pragma once

#include <string_view>
#include <vector>

#include "codec/cursor.hpp"

namespace gedge::codec {

/// Where an entry stands, in the tape's own units (see TapeEntry).
struct Mark {
  std::uint32_t position = 0;
  std::uint32_t column = 0;
};

Position position_of(const Tape& tape, const TapeEntry& entry);

/// Writes one value onto a tape. Texts are borrowed: they live in the source or in the tape's
/// arena. After a fatal error (too deep, too large; reported) failed() is true and the parser
/// stops.
class TapeBuilder {
 public:
  /// Entries of one tape: 16 million take 400 MB.
  static constexpr std::size_t kMaxEntries = std::size_t{1} << 24;

  /// `depth`: levels of nesting around the value that are not on this tape.
  explicit TapeBuilder(Tape& tape, int depth = 0) : tape_(&tape), base_depth_(depth) {}

  void begin(Shape shape, Mark at);
  /// Closes the innermost container; reports keys that appear twice.
  void end();
  /// Takes the end of an empty list back, right after it.
  void reopen();
  /// A scalar, or a key where one is due.
  void scalar(std::string_view text, bool quoted, Mark at);
  /// A copy of entries of another tape and of their texts, as one value. `height`: levels of
  /// nesting in them.
  void splice(const std::vector<TapeEntry>& entries, int height, Mark at);

  /// The value on another tape, which outlives this one's content. `height`: as above.
  void link(const Tape& part, int height, Mark at);

  bool wants_key() const { return !open_.empty() && open_.back().key_due; }
  int open() const { return static_cast<int>(open_.size()); }
  bool failed() const { return failed_; }
  /// Levels of nesting on this tape so far.
  int height() const { return height_; }
  int depth() const { return base_depth_ + open(); }
  /// The root with what is written so far; only between fields of the root.
  Cursor partial_root();

 private:
  struct Frame {
    std::uint32_t index = 0;
    std::uint32_t count = 0;
    bool is_map = false;
    bool key_due = false;
  };
  TapeEntry& append(Shape shape, Mark at);
  bool admit(std::size_t entries, int levels, Mark at);
  void count_value();
  void check_keys(std::uint32_t map);
  void report_twice(std::uint32_t first, std::uint32_t second);

  Tape* tape_;
  int base_depth_;
  int height_ = 0;
  bool failed_ = false;
  std::vector<Frame> open_;
  std::vector<std::uint32_t> keys_;
};

}  // namespace gedge::codec
