// codec/diagnostics.hpp - collects what readers have to say; they go on after an error.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "gedge/base/error.hpp"

namespace gedge::codec {

/// Errors and warnings of one run. Bounded: a file with a million mistakes keeps the first
/// kMaxErrors of them and says how many more there are.
class Diagnostics {
 public:
  static constexpr std::size_t kMaxErrors = 1000;

  void add(Error error);
  void warn(std::string code, std::string message, SourceSpan where);

  bool ok() const { return errors_.empty(); }
  /// No error more is kept: parsers stop at the next object.
  bool is_full() const { return errors_.size() >= kMaxErrors; }
  std::size_t error_count() const { return errors_.size() + dropped_; }
  /// Errors and warnings so far: whoever looks before and after knows whether something was said.
  std::size_t said() const { return error_count() + warnings_.size(); }
  /// What has been said so far, to be taken back to.
  struct Mark {
    std::size_t errors = 0, warnings = 0, dropped = 0;
  };
  Mark mark() const { return {errors_.size(), warnings_.size(), dropped_}; }
  /// Unsays everything that was said since.
  void rewind(const Mark& mark);
  /// The same; the first error of it, in words. Empty: there was none.
  std::string take_back(const Mark& mark);
  /// Counts an error that is_full() keeps from being worded.
  void drop() { ++dropped_; }
  /// Sorted by origin, line and column; the last one says so where there may be more.
  Errors take_errors();
  std::vector<Warning> take_warnings();

 private:
  Errors errors_;
  std::vector<Warning> warnings_;
  std::size_t dropped_ = 0;
};

/// `text` in single quotes, cut at 80 bytes, with control characters, bidirectional marks and
/// invalid UTF-8 as \xNN: fit for a terminal.
std::string quote(std::string_view text);

/// True for text that quote() leaves as it is, but for its length.
bool is_printable(std::string_view text);

}  // namespace gedge::codec
