// io/http2_call.hpp - one request over HTTP/2, and what has come of its answer.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "gedge/base/nanos.hpp"
#include "gedge/port/api_transport.hpp"
#include "io/answer_draft.hpp"

namespace gedge {

class Http2Link;

/// Neither moved nor copied: its link holds its address.
struct Http2Call {
  explicit Http2Call(const ApiLimits& limits) : draft(limits) {}
  Http2Call(const Http2Call&) = delete;
  Http2Call& operator=(const Http2Call&) = delete;

  /// A field of the head of an answer. False: there are more than allowed.
  bool take_field(std::string_view name, std::string_view value);
  bool take(std::string_view bytes);
  bool is_success() const { return status >= 200 && status < 300; }
  bool has_stream_begun() const { return request.is_stream && is_head_whole && is_success(); }
  /// Whether the server cannot have done anything, or it does not matter.
  bool may_be_sent_again() const;
  /// As it was before it was sent.
  void begin_again();
  ApiAnswer answer();
  ApiAnswer late_answer(Nanos connect_timeout) const;

  std::uint64_t ticket = 0, generation = 0;
  ApiRequest request;
  bool is_second = false;
  Nanos deadline{0}, submitted{0};

  Http2Link* link = nullptr;  // null: it waits for one
  std::int32_t stream = 0;
  std::size_t body_sent = 0;
  bool is_sent = false;     // the server may have read it
  bool is_refused = false;  // it says that it has not looked at it
  bool is_late = false;     // it was to leave earlier
  bool is_repeat = false, is_fresh = false, is_dropped = false;
  bool is_opening = false;  // its stream begins, and nobody was told

  unsigned status = 0;
  std::size_t length = 0;  // of the body, as announced
  bool is_head_whole = false, is_whole = false;
  std::optional<Nanos> retry_after;
  AnswerDraft draft;
};

}  // namespace gedge
