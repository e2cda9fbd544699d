#include "io/http2_call.hpp"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <ctime>
#include <string>

#include "io/call_failure.hpp"

namespace gedge {
namespace {

constexpr std::int64_t kMostRetrySeconds = 1'000'000'000;
constexpr std::size_t kFieldOverhead = 32;  // of a field, as HTTP/2 counts

template <typename Number>
std::optional<Number> number_of(std::string_view text) {
  Number number = 0;
  const char* const end = text.data() + text.size();
  const auto [rest, failed] = std::from_chars(text.data(), end, number);
  return failed == std::errc{} && rest == end ? std::optional(number) : std::nullopt;
}

// Seconds, or a date.
std::optional<Nanos> pause_of(std::string_view text) {
  std::optional<std::int64_t> seconds = number_of<std::int64_t>(text);
  if (!seconds) {
    std::tm date{};
    const std::string copy(text);
    if (::strptime(copy.c_str(), "%a, %d %b %Y %H:%M:%S GMT", &date) == nullptr) return {};
    seconds = ::timegm(&date) - std::time(nullptr);
  }
  return std::chrono::seconds(std::clamp<std::int64_t>(*seconds, 0, kMostRetrySeconds));
}

}  // namespace

bool Http2Call::take_field(std::string_view name, std::string_view value) {
  if (name == ":status") status = number_of<unsigned>(value).value_or(0);
  if (name == "retry-after") retry_after = pause_of(value);
  if (name == "content-length") length = number_of<std::size_t>(value).value_or(0);
  return draft.take_header(name.size() + value.size() + kFieldOverhead);
}

bool Http2Call::take(std::string_view bytes) {
  if (request.is_answer_unread) return true;
  return has_stream_begun() ? draft.take_of_stream(bytes) : draft.take_body(bytes, length);
}

bool Http2Call::may_be_sent_again() const {
  const bool is_harmless = request.verb == ApiVerb::kGet && draft.is_silent();
  return !is_repeat && !is_late && (!is_sent || is_refused || is_harmless) &&
         draft.excess() == Excess::kNone;
}

void Http2Call::begin_again() {
  link = nullptr;
  stream = 0;
  body_sent = 0;
  is_repeat = true;
  is_sent = is_refused = false;
  draft.begin();
}

ApiAnswer Http2Call::answer() {
  ApiAnswer answer;
  // However the connection of a stream ends: what came of it is whole lines.
  if (draft.excess() == Excess::kNone && ((is_whole && is_head_whole) || has_stream_begun())) {
    answer.status = status;
    answer.retry_after = retry_after;
    answer.body = draft.finish_body();
    return answer;
  }
  answer.was_not_sent = !is_sent || is_refused;
  if (is_late) {
    answer.error = too_late_to_send();
  } else if (draft.excess() != Excess::kNone) {
    CallFailure failure;
    failure.excess = draft.excess();
    failure.most_bytes = draft.most_bytes();
    answer.error = excess_error(failure);
  } else {
    answer.error = {Errc::kUnreachable, "the connection broke off before the answer", {}, {}};
  }
  return answer;
}

ApiAnswer Http2Call::late_answer(Nanos connect_timeout) const {
  ApiAnswer answer;
  CallFailure failure;
  failure.connected = is_sent;
  failure.silent = draft.is_silent();
  failure.timeout = std::chrono::ceil<Micros>(request.timeout);
  failure.connect_timeout = std::min(failure.timeout, std::chrono::ceil<Micros>(connect_timeout));
  answer.error = timeout_error(failure);
  answer.was_not_sent = !is_sent;
  return answer;
}

}  // namespace gedge
