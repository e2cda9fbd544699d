// io/curl_calls.hpp - requests through libcurl, which knows every kind of server and proxy.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <unordered_map>
#include <vector>

#include "io/api_access.hpp"
#include "io/api_call.hpp"
#include "io/call_over.hpp"
#include "io/curl_lane.hpp"

namespace gedge {

class CurlCalls {
 public:
  static constexpr std::size_t kLanes = 5;

  /// Events bear the marks from 0 on, as many as there are lanes. The arguments outlive it. Errors:
  /// kDenied where libcurl cannot be used; kInvalidInput for a URL that no server can have.
  static Result<std::unique_ptr<CurlCalls>> make(ApiAccess& access, const ApiLimits& limits,
                                                 const Clock& clock, int epoll);
  CurlCalls(const CurlCalls&) = delete;
  CurlCalls& operator=(const CurlCalls&) = delete;
  ~CurlCalls();

  /// Errors: kInvalidInput for what no server would understand; kDenied without memory. Then
  /// nothing more is said of it.
  Status send(std::uint64_t ticket, ApiRequest request, bool is_second, Nanos now);
  /// False where there is no such call.
  bool cancel(std::uint64_t ticket);
  void act(std::uint32_t mark, int descriptor, std::uint32_t events, Nanos now) {
    lanes_[mark].act(descriptor, events, now);
  }
  std::optional<Nanos> due() const;
  void expire(Nanos now);
  /// Tells what has come of calls since the last time. Whoever is told may send and cancel.
  void settle(CallSink& sink);

 private:
  using Call = std::unique_ptr<ApiCall>;

  CurlCalls(const CurlLibrary& library, ApiAccess& access, const ApiLimits& limits,
            const Clock& clock, int epoll);
  CurlLane& lane_of(ApiLane lane) { return lanes_[static_cast<std::size_t>(lane)]; }
  std::vector<Call>& resting(ApiLane lane) { return resting_[static_cast<std::size_t>(lane)]; }
  long most_connections(ApiLane lane) const;
  Call take_call(ApiLane lane);
  /// Out of its lane, and to the others that rest.
  void retire(Call call);
  Call take_under_way(std::uint64_t ticket);
  void hand_over_lines(ApiCall& call, CallSink& sink);
  void finish(Call call, ApiAnswer answer, CallSink& sink);

  const CurlLibrary& library_;
  ApiAccess& access_;
  const ApiLimits& limits_;
  const Clock& clock_;
  std::unique_ptr<CURLSH, decltype(&::curl_share_cleanup)> shared_;
  std::array<CurlLane, kLanes> lanes_;
  std::array<std::vector<Call>, kLanes> resting_;
  std::unordered_map<std::uint64_t, Call> under_way_;
  std::vector<ApiCall*> fresh_;  // bytes of a stream have come
  std::vector<Call> dropped_;    // while somebody is told of another
  bool is_settling_ = false;
};

}  // namespace gedge
