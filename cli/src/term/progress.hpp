// term/progress.hpp - one line on a terminal that says how far a long run is, and vanishes.
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "term/stream.hpp"

namespace gedge::cli {

/// Shows nothing in the first half second, nothing unless the stream is a terminal, and nothing
/// when told to be quiet.
class ProgressLine {
 public:
  using Clock = std::function<std::chrono::milliseconds()>;  ///< since any moment; never goes back

  ProgressLine(Stream& err, bool quiet, Clock now);
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;
  ~ProgressLine() { erase(); }

  /// "planning  [=======>             ]  38/100   eta 6 s"; `total` 0: no bar. Cheap to call often.
  void show(std::string_view what, std::size_t done, std::size_t total);
  /// Takes the line away, before anything else is written.
  void erase();

 private:
  std::string line(std::string_view what, std::size_t done, std::size_t total,
                   std::chrono::milliseconds elapsed) const;

  Stream& err_;
  bool enabled_;
  Clock now_;
  std::chrono::milliseconds start_, last_{0};
  std::string what_;
  std::chrono::milliseconds what_since_{0};
  bool visible_ = false;
};

}  // namespace gedge::cli
