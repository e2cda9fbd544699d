// codec/source.hpp - one input text: its name, its bytes, and where in it something stands.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "codec/diagnostics.hpp"
#include "gedge/base/error.hpp"

namespace gedge::codec {

bool is_utf8(std::string_view text);

/// Line and column start at 1; the column counts bytes.
struct Position {
  std::uint32_t line = 0;
  std::uint32_t column = 0;
};

/// Borrows the bytes: they outlive the Source, its tapes and its cursors. A byte-order mark is left
/// out. Not thread-safe: looking up a position moves a private bookmark, and costs the bytes
/// between it and the last one.
class Source {
 public:
  /// `padding`: bytes behind the end that may be read (their value does not matter); 64 spare the
  /// JSON parser a copy.
  Source(std::string name, std::string_view bytes, std::uint32_t file = 0, std::size_t padding = 0);

  const std::string& name() const { return name_; }
  std::string_view bytes() const { return bytes_; }
  /// Index of this text in Facts::files.
  std::uint32_t file() const { return file_; }
  std::size_t padding() const { return padding_; }
  /// Its values are secrets: nothing that is said repeats one.
  void hide_values() { hides_values_ = true; }
  bool hides_values() const { return hides_values_; }

  /// True if the first byte that is no white space is '{' or '['.
  bool is_json() const;

  /// Errors: more than `max_bytes`, UTF-16, a NUL byte, invalid UTF-8; then false.
  bool check_text(std::uint64_t max_bytes, Diagnostics& diagnostics) const;

  /// Position of a byte; lines end at '\n'.
  Position at_offset(std::size_t offset) const;
  /// Spares at_offset() a look at [begin, end), where `lines` lines end; behind them a line begins
  /// at `line_begin`.
  void pass_lines(std::size_t begin, std::size_t end, std::uint32_t lines,
                  std::size_t line_begin) const;
  /// Position of a libyaml mark, which counts lines and characters from 0.
  Position at_mark(std::size_t line, std::size_t column) const;

  /// With the line as excerpt, unless that is longer than 400 bytes.
  SourceSpan span(Position at, std::size_t length = 1) const;

 private:
  struct Bookmark {
    std::size_t offset = 0;  // where the line begins
    std::uint32_t line = 1;
    std::size_t seen = 0;  // no other line begins before
  };
  bool has_plain_lines() const;
  void seek_line(std::size_t line) const;  // libyaml's lines, from 0

  std::string name_;
  std::string_view bytes_;
  std::uint32_t file_;
  std::size_t padding_;
  bool hides_values_ = false;
  mutable Bookmark newline_;  // by '\n'
  mutable Bookmark yaml_;     // by libyaml's line breaks
  mutable std::optional<bool> plain_lines_;
};

}  // namespace gedge::codec
