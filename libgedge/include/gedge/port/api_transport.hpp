// gedge/port/api_transport.hpp - requests to one API server, many under way at once, answered as
// the answers come.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "gedge/base/nanos.hpp"
#include "gedge/base/result.hpp"

namespace gedge {

enum class ApiVerb : std::uint8_t { kGet, kPost, kPut, kPatch, kDelete };

/// Requests of different lanes never share a connection: a watch that is stuck holds up no bind,
/// and binds hold up no lease.
enum class ApiLane : std::uint8_t { kWatch, kRead, kWrite, kLease, kEvent };

struct ApiRequest {
  ApiVerb verb = ApiVerb::kGet;
  ApiLane lane = ApiLane::kRead;
  std::string target;  ///< path and query, percent-encoded; begins with a slash
  std::string body, content_type;
  Nanos timeout{30'000'000'000};  ///< of the whole call, connecting included
  /// It does not leave later than that moment of a Clock, whatever it waited for.
  Nanos send_by = Nanos::max();
  /// It is over by then, too: what is left of its time as it leaves is told to the server, which
  /// then does nothing any more. For targets without a query.
  bool ends_by_then = false;
  /// The lines of a successful answer are handed over one by one as they come. `timeout` bounds
  /// such a call too; a connection that died on the way is noticed long before.
  bool is_stream = false;
  /// Nobody reads the body of the answer: it may come in a form that is short, or not at all.
  bool is_answer_unread = false;
  /// The body of the answer may be protobuf (gedge/codec/protobuf.hpp).
  bool takes_protobuf = false;
};

/// What the server said, or why it said nothing.
struct ApiAnswer {
  unsigned status = 0;  ///< 0: there is no answer, see `error`
  std::string body;     ///< of a stream that succeeded: empty, its lines were handed over
  std::optional<Nanos> retry_after;  ///< not negative
  /// status 0. kUnreachable, kTimeout: nobody knows whether the server did what it was asked;
  /// kDenied: certificates or credentials; kInvalidInput: not HTTP, or more bytes than allowed.
  Error error;
  /// status 0: the request never left, so the server did not do it.
  bool was_not_sent = false;
};

/// Told of what comes, in the thread that waits. May send and cancel, but not wait.
struct ApiListener {
  /// A line of a stream, without its end; at least 64 bytes behind it may be read.
  std::function<void(std::uint64_t ticket, std::string_view line)> line;
  /// The call is over; its ticket means nothing any more.
  std::function<void(std::uint64_t ticket, ApiAnswer answer)> answer;
  /// A stream will succeed: its lines come from now on.
  std::function<void(std::uint64_t ticket)> opened = [](std::uint64_t) {};
};

class ApiTransport {
 public:
  virtual ~ApiTransport() = default;

  /// Never waits. `ticket` is the caller's, and names no other call under way.
  virtual void send(std::uint64_t ticket, ApiRequest request) = 0;
  /// What was sent leaves now, where it can without waiting: whoever has more to do before the next
  /// wait() lets the server begin. From a listener, too.
  virtual void push() {}
  /// A stream whose server has gone is over within 20 s, also where what stands between confirms
  /// what is sent. Not known before the first answer.
  virtual bool pings() const { return true; }
  /// Writes will follow: a connection for them may be opened before, and kept.
  virtual void expect_writes() {}
  /// Nothing more is said of it. Nothing where there is no such call.
  virtual void cancel(std::uint64_t ticket) = 0;
  /// Waits so long, or until wake(), so that the next wait() has more to hand over; or not at all.
  virtual void gather(Nanos /*how_long*/) {}
  /// Hands over what has come; waits at most `most` for the first of it.
  /// Errors: kDenied, where this machine cannot make calls at all.
  virtual Status wait(Nanos most, const ApiListener& listener) = 0;
  /// From any thread, and from a signal handler's thread: wait() returns soon.
  virtual void wake() = 0;
};

}  // namespace gedge
