// io/http2_calls.hpp - requests over HTTP/2: those of a lane share a connection, and what is sent
// in one turn goes in one piece.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "io/api_access.hpp"
#include "io/call_over.hpp"
#include "io/http2_link.hpp"
#include "io/numeric_server.hpp"

namespace gedge {

class Http2Calls {
 public:
  /// Events bear the marks from `first_mark` on, as many as there are lanes. Null where somebody
  /// else has to serve: a server behind a proxy or with a name, without TLS, or no libnghttp2. The
  /// arguments outlive it.
  static std::unique_ptr<Http2Calls> make(ApiAccess& access, const ApiLimits& limits,
                                          const Clock& clock, int epoll, std::uint32_t first_mark);
  Http2Calls(const Http2Calls&) = delete;
  Http2Calls& operator=(const Http2Calls&) = delete;

  /// False for good, once the server has shown that it does not speak HTTP/2.
  bool serves() const { return serves_; }
  /// With the credentials that there are now.
  bool can_connect() const { return serves_ && tls_ != nullptr; }
  /// It goes with the next flush(), or when there is a connection. Calls that get none are told of
  /// as unserved.
  void send(std::uint64_t ticket, ApiRequest request, bool is_second, Nanos now);
  /// A connection for writes is opened with the next expire(), and renewed from then on.
  void expect_writes(Nanos now);
  /// False where there is no such call.
  bool cancel(std::uint64_t ticket);
  void act(std::uint32_t mark, int descriptor, std::uint32_t events, Nanos now);
  /// Writes all that was sent since the last time.
  void flush();
  std::optional<Nanos> due() const;
  /// Whether expire() has something to look at.
  bool is_due(Nanos now) const { return due_ && now >= *due_; }
  void expire(Nanos now);
  /// Tells what has come of calls since the last time. Whoever is told may send and cancel.
  void settle(CallSink& sink, Nanos now);

 private:
  using Call = std::unique_ptr<Http2Call>;
  struct LaneLink {
    std::unique_ptr<Http2Link> link;
    Nanos used{0};
    bool is_late = false;  // it was not open in time
  };
  struct Lane {
    std::vector<LaneLink> links;
    std::deque<Http2Call*> waiting;  // for one to be open
    bool is_warm = false;            // it has been used, or will be
  };

  Http2Calls(const Http2Library& library, ApiAccess& access, const ApiLimits& limits,
             const Clock& clock, int epoll, std::uint32_t first_mark, NumericServer server);
  Lane& lane_of(const Http2Call& call) {
    return lanes_[static_cast<std::size_t>(call.request.lane)];
  }
  /// Nobody waits for its answers.
  bool is_patient(const Lane& lane) const {
    return &lane == &lanes_[static_cast<std::size_t>(ApiLane::kEvent)];
  }
  bool renew();
  void assign(Http2Call& call, Nanos now);
  LaneLink* usable_link(Lane& lane, Nanos now);
  LaneLink* new_link(Lane& lane, Nanos now);
  bool submit(Http2Call& call, LaneLink& link, Nanos now);
  void tend(Lane& lane, Nanos now);
  void bury(Lane& lane, const LaneLink& dead);
  void hand_over(Http2Call& call, CallSink& sink);
  void finish(Http2Call& call, ApiAnswer answer, CallSink& sink);
  void find_late(Nanos now);
  void leave_silent(Nanos now);
  void check_links(Nanos now);
  void keep_warm(Nanos now);
  Call take(std::uint64_t ticket);
  void note_due(Nanos moment) { due_ = due_ ? std::min(*due_, moment) : moment; }

  const Http2Library& library_;
  ApiAccess& access_;
  const ApiLimits& limits_;
  const Clock& clock_;
  int epoll_;
  std::uint32_t first_mark_;
  NumericServer server_;
  Http2Target target_;
  ClientTls tls_;
  std::uint64_t generation_ = 0;  // of what stands below, and of tls_
  ApiIdentity shown_;
  std::string trusted_, bearer_;
  ApiAccess::Fields impersonation_;

  static constexpr std::size_t kLanes = 5;
  Http2News news_;  // links hold its address, and go before it
  std::array<Lane, kLanes> lanes_;
  std::unordered_map<std::uint64_t, Call> calls_;
  static constexpr Nanos kNever = Nanos::max();
  Nanos earliest_deadline_ = kNever;  // or earlier: who has ended may have been the earliest
  std::vector<Http2Call*> late_;      // their time is over
  std::vector<Http2Call*> unserved_;  // nothing of them was sent
  std::vector<Call> dropped_;         // while somebody is told of another
  std::optional<Nanos> due_;          // or earlier
  bool serves_ = true, is_settling_ = false;
};

}  // namespace gedge
