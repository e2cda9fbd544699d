#include "io/answer_draft.hpp"

#include <algorithm>
#include <new>
#include <utility>

namespace gedge {
namespace {

// What parsers may read behind a text.
constexpr std::size_t kSlack = 64;
// Of an announced length, what is believed before it has come.
constexpr std::size_t kMostBelieved = std::size_t{64} << 20;
// What may be kept while nothing is under way.
constexpr std::size_t kMostKept = std::size_t{256} << 10;

// What grows beyond the first is given the second at once: room that nobody touches costs nothing,
// and each doubling would touch as much anew as it copies.
constexpr std::size_t kSmall = std::size_t{64} << 10, kLarge = std::size_t{1} << 20;

// Room for `more` bytes and for what parsers read behind them, doubling.
void make_room(std::string& text, std::size_t more) {
  const std::size_t needed = text.size() + more + kSlack;
  if (needed <= text.capacity()) return;
  const std::size_t least = text.capacity() >= kSmall ? kLarge : 0;
  text.reserve(std::max({needed, 2 * text.capacity(), least}));
}

void shrink(std::string& text) {
  if (text.capacity() > kMostKept) text = {};
  text.clear();
}

}  // namespace

void AnswerDraft::begin() {
  header_bytes_ = scanned_ = 0;
  excess_ = Excess::kNone;
}

bool AnswerDraft::take_header(std::size_t bytes) {
  header_bytes_ += bytes;
  if (header_bytes_ <= limits_.most_header_bytes) return true;
  excess_ = Excess::kHeader;
  return false;
}

bool AnswerDraft::take_body(std::string_view bytes, std::size_t expected) try {
  if (bytes.size() > limits_.most_body_bytes - body_.size()) {
    excess_ = Excess::kBody;
    return false;
  }
  if (body_.empty() && expected > 0) make_room(body_, std::min(expected, kMostBelieved));
  make_room(body_, bytes.size());
  body_.append(bytes);
  return true;
} catch (const std::bad_alloc&) {  // no exception may pass through C
  excess_ = Excess::kBody;
  return false;
}

bool AnswerDraft::take_of_stream(std::string_view bytes) try {
  make_room(lines_, bytes.size());
  lines_.append(bytes);
  return true;
} catch (const std::bad_alloc&) {
  excess_ = Excess::kBody;
  return false;
}

// A stream may be silent for long when much has come at once.
void AnswerDraft::let_go_of_room() {
  if (lines_.capacity() > kMostKept && lines_.size() < kSmall) lines_.shrink_to_fit();
}

std::string AnswerDraft::finish_body() {
  make_room(body_, 0);
  return std::exchange(body_, {});
}

void AnswerDraft::rest() {
  shrink(body_);
  shrink(lines_);
}

std::size_t AnswerDraft::most_bytes() const {
  if (excess_ == Excess::kHeader) return limits_.most_header_bytes;
  return excess_ == Excess::kLine ? limits_.most_line_bytes : limits_.most_body_bytes;
}

}  // namespace gedge
