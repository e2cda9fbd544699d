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
#include "options.hpp"
#include "term/stream.hpp"

namespace gedge::cli {

/// What somebody should look at, or what did not work; everything else is kInfo.
LogLevel level_of(std::string_view event);

/// From any thread.
class EventLog {
 public:
  using Pairs = std::initializer_list<std::pair<std::string_view, std::string>>;

  EventLog(Stream& err, const WallClock& clock, const OutputOptions& output)
      : err_(err), clock_(clock), least_(output.quiet ? LogLevel::kNone : output.log_level) {}

  /// "at=2026-11-22T01:00:00Z level=info event=listening address=127.0.0.1:8787"; values with
  /// blanks, quotes or control characters are quoted and escaped. Where the stream loses what is
  /// late, a line "event=lost lines=N" says so before the next one that is written.
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
  LogLevel least_;
  std::mutex mutex_;
  std::uint64_t lost_ = 0;  // lines of which it was said, or that said so
  std::string last_failure_;
};

}  // namespace gedge::cli
