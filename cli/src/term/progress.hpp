// term/progress.hpp - one line on a terminal that says how far a long run is, and vanishes.
#pragma once

#include <condition_variable>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>

#include "gedge/port/clock.hpp"
#include "term/stream.hpp"

namespace gedge::cli {

/// Shows nothing in the first half second, nothing unless the stream is a terminal, and nothing
/// when told to be quiet. Nobody else writes to the stream between show() and erase().
class ProgressLine {
 public:
  ProgressLine(Stream& err, bool quiet, const Clock& clock);
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;
  ~ProgressLine() { erase(); }

  bool enabled() const { return enabled_; }
  /// "planning  [=======>             ]  38/100   eta 6 s"; `total` 0: no bar. Cheap to call often.
  void show(std::string_view what, std::size_t done, std::size_t total);
  /// Draws what show() said last, if it is time to; from any thread.
  void refresh();
  /// Takes the line away, before anything else is written.
  void erase();

 private:
  void draw_if_due();
  std::string line(Micros elapsed) const;

  Stream& err_;
  bool enabled_;
  const Clock& clock_;
  Micros start_, last_{0};
  std::mutex mutex_;  // guards all below, and the stream while there is something to show
  std::string what_;
  std::size_t done_ = 0, total_ = 0;
  Micros what_since_{0};
  bool visible_ = false;
};

/// Refreshes a line ten times a second, so that it appears while one long step runs.
class ProgressTicker {
 public:
  explicit ProgressTicker(ProgressLine& line);
  ProgressTicker(const ProgressTicker&) = delete;
  ProgressTicker& operator=(const ProgressTicker&) = delete;
  ~ProgressTicker();

 private:
  void run();

  ProgressLine& line_;
  std::mutex mutex_;
  std::condition_variable ending_;
  bool ends_ = false;
  std::thread thread_;
};

}  // namespace gedge::cli
