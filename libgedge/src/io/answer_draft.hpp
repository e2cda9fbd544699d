// io/answer_draft.hpp - what has come of an answer so far, and how much of it may come.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "gedge/io/api_client.hpp"
#include "io/call_failure.hpp"

namespace gedge {

/// A body, or the lines of a stream.
class AnswerDraft {
 public:
  explicit AnswerDraft(const ApiLimits& limits) : limits_(limits) {}

  /// Of the next request.
  void begin();
  /// False, here and below: that is more than is allowed, see excess(), or there is no memory.
  bool take_header(std::size_t bytes);
  /// `expected`: of the whole body, as the head says; 0: it does not say.
  bool take_body(std::string_view bytes, std::size_t expected);
  bool take_of_stream(std::string_view bytes);
  bool is_silent() const { return header_bytes_ == 0; }

  /// With room behind it for what parsers read there.
  std::string finish_body();
  /// Calls told(line) for those that have come whole, until `is_dropped`. False: one is longer than
  /// allowed.
  template <typename F>
  bool hand_over_lines(const bool& is_dropped, F&& told);
  /// Lets go of what the request needed.
  void rest();

  Excess excess() const { return excess_; }
  /// Of that.
  std::size_t most_bytes() const;

 private:
  void let_go_of_room();

  const ApiLimits& limits_;
  std::string body_, lines_;
  std::size_t header_bytes_ = 0, scanned_ = 0;
  Excess excess_ = Excess::kNone;
};

template <typename F>
bool AnswerDraft::hand_over_lines(const bool& is_dropped, F&& told) {
  std::size_t begin = 0;
  while (!is_dropped) {
    const std::size_t end = lines_.find('\n', scanned_);
    if (end == std::string::npos) break;
    std::string_view line(lines_.data() + begin, end - begin);
    if (line.ends_with('\r')) line.remove_suffix(1);
    begin = scanned_ = end + 1;
    if (line.size() > limits_.most_line_bytes) {
      excess_ = Excess::kLine;
      return false;
    }
    if (!line.empty()) told(line);
  }
  lines_.erase(0, begin);
  let_go_of_room();
  scanned_ = lines_.size();
  if (scanned_ <= limits_.most_line_bytes) return true;
  excess_ = Excess::kLine;
  return false;
}

}  // namespace gedge
