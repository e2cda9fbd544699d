#include "io/curl_calls.hpp"

#include <algorithm>
#include <utility>

namespace gedge {
namespace {

Error no_memory() {
  return {Errc::kDenied, "the system has no memory or descriptors left for calls", {}, {}};
}

}  // namespace

Result<std::unique_ptr<CurlCalls>> CurlCalls::make(ApiAccess& access, const ApiLimits& limits,
                                                   const Clock& clock, int epoll) {
  const auto library = CurlLibrary::get();
  if (!library) return library.error();
  GEDGE_TRY(access.find_server(**library));
  std::unique_ptr<CurlCalls> calls(new CurlCalls(**library, access, limits, clock, epoll));
  const bool is_shared = calls->shared_ != nullptr &&
                         (*library)->share_setopt(calls->shared_.get(), CURLSHOPT_SHARE,
                                                  CURL_LOCK_DATA_SSL_SESSION) == CURLSHE_OK;
  if (!is_shared) return no_memory();
  return calls;
}

CurlCalls::CurlCalls(const CurlLibrary& library, ApiAccess& access, const ApiLimits& limits,
                     const Clock& clock, int epoll)
    : library_(library),
      access_(access),
      limits_(limits),
      clock_(clock),
      shared_(library.share_init(), library.share_cleanup),
      lanes_{CurlLane{library, epoll, 0}, CurlLane{library, epoll, 1}, CurlLane{library, epoll, 2},
             CurlLane{library, epoll, 3}, CurlLane{library, epoll, 4}} {}

CurlCalls::~CurlCalls() {
  for (auto& [ticket, call] : under_way_) lane_of(call->lane()).remove(call->handle());
}

long CurlCalls::most_connections(ApiLane lane) const {
  switch (lane) {
    case ApiLane::kWatch:
      return 64;
    case ApiLane::kRead:
      return 32;
    case ApiLane::kWrite:
      return static_cast<long>(limits_.most_writes);
    case ApiLane::kLease:
      return 2;
    case ApiLane::kEvent:
      return 16;
  }
  return 1;
}

CurlCalls::Call CurlCalls::take_call(ApiLane lane) {
  std::vector<Call>& free = resting(lane);
  if (!free.empty()) {
    Call call = std::move(free.back());
    free.pop_back();
    return call;
  }
  CurlLane& own = lane_of(lane);
  if (!own.is_open() && !own.open(most_connections(lane))) return nullptr;
  auto call = std::make_unique<ApiCall>(library_, access_, limits_, clock_, fresh_);
  return call->set_up(shared_.get(), lane) ? std::move(call) : nullptr;
}

Status CurlCalls::send(std::uint64_t ticket, ApiRequest request, bool is_second, Nanos now) {
  const ApiLane lane = request.lane;
  Call call = take_call(lane);
  if (call == nullptr) return no_memory();
  GEDGE_TRY(call->begin(ticket, std::move(request), is_second));
  // Lines of a stream may be lent to somebody: no more of them are read meanwhile.
  const bool added = lane == ApiLane::kWatch ? lane_of(lane).add(call->handle())
                                             : lane_of(lane).add(call->handle(), now);
  if (!added) return no_memory();
  under_way_.emplace(ticket, std::move(call));
  return {};
}

void CurlCalls::retire(Call call) {
  const ApiLane lane = call->lane();
  lane_of(lane).remove(call->handle());
  call->rest();
  std::vector<Call>& free = resting(lane);
  if (static_cast<long>(free.size()) < most_connections(lane)) free.push_back(std::move(call));
}

CurlCalls::Call CurlCalls::take_under_way(std::uint64_t ticket) {
  const auto found = under_way_.find(ticket);
  if (found == under_way_.end()) return nullptr;
  Call call = std::move(found->second);
  under_way_.erase(found);
  return call;
}

bool CurlCalls::cancel(std::uint64_t ticket) {
  Call call = take_under_way(ticket);
  if (call == nullptr) return false;
  call->drop();
  if (is_settling_) {
    dropped_.push_back(std::move(call));
    return true;
  }
  std::erase(fresh_, call.get());
  retire(std::move(call));
  return true;
}

std::optional<Nanos> CurlCalls::due() const {
  std::optional<Nanos> soonest;
  for (const CurlLane& lane : lanes_)
    if (lane.due()) soonest = soonest ? std::min(*soonest, *lane.due()) : *lane.due();
  return soonest;
}

void CurlCalls::expire(Nanos now) {
  for (CurlLane& lane : lanes_)
    if (lane.due() && *lane.due() <= now) lane.expire(now);
}

void CurlCalls::finish(Call call, ApiAnswer answer, CallSink& sink) {
  CallOver over{call->ticket(), call->generation(), call->take_request(), call->is_second(),
                false,          std::move(answer)};
  retire(std::move(call));
  sink.over(std::move(over));
}

void CurlCalls::hand_over_lines(ApiCall& call, CallSink& sink) {
  if (call.hand_over_lines(sink) || call.is_dropped()) return;
  Call over = take_under_way(call.ticket());
  ApiAnswer why = over->too_long();
  finish(std::move(over), std::move(why), sink);
}

void CurlCalls::settle(CallSink& sink) {
  is_settling_ = true;
  while (!fresh_.empty()) {
    ApiCall& call = *fresh_.back();
    fresh_.pop_back();
    if (!call.is_dropped()) hand_over_lines(call, sink);
  }
  for (CurlLane& lane : lanes_) {
    if (!lane.is_open()) continue;
    while (const auto over = lane.next_over()) {
      const ApiCall& known = *ApiCall::of(library_, over->first);
      if (known.is_dropped()) continue;
      Call call = take_under_way(known.ticket());
      ApiAnswer came = call->finish(over->second);
      finish(std::move(call), std::move(came), sink);
    }
  }
  is_settling_ = false;
  for (Call& call : std::exchange(dropped_, {})) retire(std::move(call));
}

}  // namespace gedge
