// term/stream.hpp - standard output or standard error: bytes out, and what is known about the other
// end.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "term/style.hpp"

namespace gedge::cli {

/// Collects bytes and writes them to a descriptor; without a descriptor it keeps them, for tests.
class Stream {
 public:
  /// `descriptor` stays open. Whether it is a terminal, and how wide, is asked once.
  Stream(int descriptor, ColorChoice choice, const ColorEnvironment& environment);
  /// Keeps what is written. `width` 0: not a terminal.
  static Stream in_memory(std::size_t width = 0, bool color = false);

  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;
  ~Stream() { flush(); }

  void write(std::string_view bytes);
  void line(std::string_view text) { write(text), write("\n"); }
  void flush();
  /// Colour as the flag says; the flag is known only after the stream is.
  void set_color(ColorChoice choice, const ColorEnvironment& environment);

  const Style& style() const { return style_; }
  bool is_terminal() const { return terminal_; }
  /// Columns of the terminal; 0 where there is none or it does not say.
  std::size_t width() const { return width_; }
  /// The reader is gone: nothing more is written, and that is no error.
  bool closed() const { return closed_; }
  /// Errno of the first write that failed for another reason; 0: none.
  int error() const { return error_; }
  /// From now on nothing waits for whoever reads, or for a disk that is full: what cannot be
  /// written within a tenth of a second is lost, and so is what follows, until something can be.
  /// No failure lasts, then: closed() and error() say nothing of it.
  void lose_late() { loses_late_ = true; }
  /// Lines lost so far, those included of which a part was written.
  std::uint64_t lost() const { return lost_; }
  /// What a stream in memory received so far.
  const std::string& text() const { return buffer_; }

 private:
  void send(std::string_view left);
  void offer(std::string_view bytes);
  Stream(std::size_t width, bool color) : style_(color), terminal_(width > 0), width_(width) {}

  int descriptor_ = -1;
  Style style_;
  bool terminal_ = false;
  std::size_t width_ = 0;
  bool closed_ = false;
  int error_ = 0;
  bool loses_late_ = false;
  bool waits_ = true;     // the last line that was offered was taken
  bool is_torn_ = false;  // and its end was not
  std::uint64_t lost_ = 0;
  std::string buffer_;
};

}  // namespace gedge::cli
