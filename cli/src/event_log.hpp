// event_log.hpp - what a daemon says on standard error: one line an event, KEY=VALUE.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>

#include "gedge/base/error.hpp"
#include "gedge/port/wall_clock.hpp"
#include "term/stream.hpp"

namespace gedge::cli {

/// From any thread.
class EventLog {
 public:
  using Pairs = std::initializer_list<std::pair<std::string_view, std::string>>;

  EventLog(Stream& err, const WallClock& clock, bool quiet)
      : err_(err), clock_(clock), quiet_(quiet) {}

  /// "at=2026-11-22T01:00:00Z event=listening address=127.0.0.1:8787"; values with blanks, quotes
  /// or control characters are quoted and escaped. Where the stream loses what is late, a line
  /// "event=lost lines=N" says so before the next one that is written.
  void event(std::string_view name, Pairs pairs);
  /// What went wrong; the same again is told only after recovered().
  void failed(const Error& error);
  void recovered();

 private:
  std::string line_of(std::string_view name, Pairs pairs) const;
  void write(const std::string& line);
  void tell_lost();

  Stream& err_;
  const WallClock& clock_;
  bool quiet_;
  std::mutex mutex_;
  std::uint64_t lost_ = 0;  // lines of which it was said, or that said so
  std::string last_failure_;
};

}  // namespace gedge::cli
