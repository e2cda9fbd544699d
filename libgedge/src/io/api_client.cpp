#include "gedge/io/api_client.hpp"

#include <sys/epoll.h>
#include <sys/eventfd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <deque>
#include <unordered_map>
#include <utility>
#include <vector>

#include "io/api_access.hpp"
#include "io/api_call.hpp"
#include "io/client_certificate.hpp"
#include "io/credential_keeper.hpp"
#include "io/curl_lane.hpp"
#include "io/descriptor.hpp"
#include "io/system_error.hpp"

namespace gedge {
namespace {

constexpr std::size_t kLanes = 5;
constexpr std::uint32_t kWakeMark = kLanes, kHelperMark = kLanes + 1;
constexpr int kMostEvents = 64;
constexpr Nanos kMostPatience{3'600'000'000'000};
constexpr Nanos kSecondPatience{30'000'000'000};  // for somebody to say again who we are

Error no_memory() {
  return {Errc::kDenied, "the system has no memory or descriptors left for calls", {}, {}};
}

Error no_credentials() { return {Errc::kTimeout, "nobody said in time who asks", {}, {}}; }

CredentialKeeper::Moment moment() {
  const auto date = std::chrono::system_clock::now().time_since_epoch();
  return {std::chrono::steady_clock::now().time_since_epoch(),
          std::chrono::duration_cast<std::chrono::seconds>(date).count()};
}

// Of timers: what libcurl counts by, too.
Nanos now() { return std::chrono::steady_clock::now().time_since_epoch(); }

}  // namespace

class ApiClient::Parts {
 public:
  Parts(const CurlLibrary& library, std::unique_ptr<ApiAccess> access, const ApiLimits& limits,
        const Clock& clock);
  ~Parts();
  Parts(const Parts&) = delete;
  Parts& operator=(const Parts&) = delete;

  Status open();
  void keep(CredentialSource source, ApiEndpoint endpoint, CredentialKeeper::Notice notice);
  void send(std::uint64_t ticket, ApiRequest request);
  void cancel(std::uint64_t ticket);
  Status wait(Nanos most, const ApiListener& listener);
  void wake();

 private:
  using Call = std::unique_ptr<ApiCall>;
  struct Refused {
    std::uint64_t ticket = 0;
    Error error;
  };

  /// Waits for who we are.
  struct Parked {
    std::uint64_t ticket = 0;
    ApiRequest request;
    bool is_second = false;
    Nanos deadline{0};
  };

  CurlLane& lane_of(ApiLane lane) { return lanes_[static_cast<std::size_t>(lane)]; }
  std::vector<Call>& resting(ApiLane lane) { return resting_[static_cast<std::size_t>(lane)]; }
  long most_connections(ApiLane lane) const;
  Call take_call(ApiLane lane);
  Status begin(Call& call, std::uint64_t ticket, ApiRequest request, bool is_second);
  void send_now(std::uint64_t ticket, ApiRequest request, bool is_second);
  /// Out of its lane, and to the others that rest.
  void retire(Call call);
  Call take_under_way(std::uint64_t ticket);

  void refresh_credentials();
  void look_after_parked(const ApiListener& listener);
  bool is_worth_a_second(const ApiCall& call, const ApiAnswer& answer);
  void answer_unsent(std::uint64_t ticket, Error error, const ApiListener& listener);
  void answer_refused(const ApiListener& listener);
  void look_after_timers(const ApiListener& listener);
  Status look_after_events(Nanos deadline, const ApiListener& listener);
  int patience(Nanos deadline) const;
  void settle(CurlLane& lane, const ApiListener& listener);
  void hand_over_lines(ApiCall& call, const ApiListener& listener);
  void answer(std::uint64_t ticket, ApiAnswer answer, const ApiListener& listener);

  const CurlLibrary& library_;
  std::unique_ptr<ApiAccess> access_;
  ApiLimits limits_;
  const Clock& clock_;
  std::unique_ptr<CURLSH, decltype(&::curl_share_cleanup)> shared_;
  Descriptor epoll_, wake_;
  std::array<CurlLane, kLanes> lanes_;
  std::array<std::vector<Call>, kLanes> resting_;
  std::unordered_map<std::uint64_t, Call> under_way_;
  std::deque<Refused> refused_;
  std::deque<Parked> parked_;
  std::vector<ApiCall*> fresh_;               // bytes of a stream have come
  std::vector<Call> dropped_;                 // while somebody is told of another
  std::unique_ptr<CredentialKeeper> keeper_;  // null: who we are never changes
  CredentialKeeper::Notice notice_;
  bool is_waiting_ = false, has_said_ = false, is_woken_ = false;
};

ApiClient::Parts::Parts(const CurlLibrary& library, std::unique_ptr<ApiAccess> access,
                        const ApiLimits& limits, const Clock& clock)
    : library_(library),
      access_(std::move(access)),
      limits_(limits),
      clock_(clock),
      shared_(library.share_init(), library.share_cleanup),
      epoll_(::epoll_create1(EPOLL_CLOEXEC)),
      wake_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)),
      lanes_{CurlLane{library, epoll_.get(), 0}, CurlLane{library, epoll_.get(), 1},
             CurlLane{library, epoll_.get(), 2}, CurlLane{library, epoll_.get(), 3},
             CurlLane{library, epoll_.get(), 4}} {}

ApiClient::Parts::~Parts() {
  for (auto& [ticket, call] : under_way_) lane_of(call->lane()).remove(call->handle());
}

Status ApiClient::Parts::open() {
  if (!epoll_ || !wake_ || shared_ == nullptr) return no_memory();
  epoll_event event{};
  event.events = EPOLLIN;
  event.data.u64 = std::uint64_t{kWakeMark} << 32;
  const bool all = ::epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, wake_.get(), &event) == 0 &&
                   library_.share_setopt(shared_.get(), CURLSHOPT_SHARE,
                                         CURL_LOCK_DATA_SSL_SESSION) == CURLSHE_OK;
  return all ? Status{} : Status{no_memory()};
}

long ApiClient::Parts::most_connections(ApiLane lane) const {
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

ApiClient::Parts::Call ApiClient::Parts::take_call(ApiLane lane) {
  std::vector<Call>& free = resting(lane);
  if (!free.empty()) {
    Call call = std::move(free.back());
    free.pop_back();
    return call;
  }
  CurlLane& own = lane_of(lane);
  if (!own.is_open() && !own.open(most_connections(lane))) return nullptr;
  auto call = std::make_unique<ApiCall>(library_, *access_, limits_, clock_, fresh_);
  return call->set_up(shared_.get(), lane) ? std::move(call) : nullptr;
}

Status ApiClient::Parts::begin(Call& call, std::uint64_t ticket, ApiRequest request,
                               bool is_second) {
  const ApiLane lane = request.lane;
  call = take_call(lane);
  if (call == nullptr) return no_memory();
  GEDGE_TRY(call->begin(ticket, std::move(request), is_second));
  // Lines of a stream may be lent to somebody: no more of them are read meanwhile.
  const bool added = lane == ApiLane::kWatch ? lane_of(lane).add(call->handle())
                                             : lane_of(lane).add(call->handle(), now());
  return added ? Status{} : Status{no_memory()};
}

void ApiClient::Parts::send_now(std::uint64_t ticket, ApiRequest request, bool is_second) {
  Call call;
  if (const Status begun = begin(call, ticket, std::move(request), is_second); !begun)
    refused_.push_back({ticket, begun.error()});
  else
    under_way_.emplace(ticket, std::move(call));
}

void ApiClient::Parts::send(std::uint64_t ticket, ApiRequest request) {
  if (keeper_) refresh_credentials();
  if (!keeper_ || keeper_->is_ready(moment())) return send_now(ticket, std::move(request), false);
  const Nanos deadline = now() + std::clamp(request.timeout, Nanos{0}, kMostPatience);
  parked_.push_back({ticket, std::move(request), false, deadline});
}

void ApiClient::Parts::retire(Call call) {
  const ApiLane lane = call->lane();
  lane_of(lane).remove(call->handle());
  call->rest();
  std::vector<Call>& free = resting(lane);
  if (static_cast<long>(free.size()) < most_connections(lane)) free.push_back(std::move(call));
}

ApiClient::Parts::Call ApiClient::Parts::take_under_way(std::uint64_t ticket) {
  const auto found = under_way_.find(ticket);
  if (found == under_way_.end()) return nullptr;
  Call call = std::move(found->second);
  under_way_.erase(found);
  return call;
}

void ApiClient::Parts::cancel(std::uint64_t ticket) {
  const auto is_it = [&](const auto& entry) { return entry.ticket == ticket; };
  std::erase_if(refused_, is_it);
  std::erase_if(parked_, is_it);
  Call call = take_under_way(ticket);
  if (call == nullptr) return;
  call->drop();
  if (is_waiting_)
    dropped_.push_back(std::move(call));
  else
    retire(std::move(call));
}

void ApiClient::Parts::answer(std::uint64_t ticket, ApiAnswer answer, const ApiListener& listener) {
  has_said_ = true;
  listener.answer(ticket, std::move(answer));
}

void ApiClient::Parts::answer_unsent(std::uint64_t ticket, Error error,
                                     const ApiListener& listener) {
  ApiAnswer nothing;
  nothing.error = std::move(error);
  nothing.was_not_sent = true;
  answer(ticket, std::move(nothing), listener);
}

void ApiClient::Parts::answer_refused(const ApiListener& listener) {
  while (!refused_.empty()) {
    Refused refused = std::move(refused_.front());
    refused_.pop_front();
    answer_unsent(refused.ticket, std::move(refused.error), listener);
  }
}

void ApiClient::Parts::keep(CredentialSource source, ApiEndpoint endpoint,
                            CredentialKeeper::Notice notice) {
  notice_ = notice;
  keeper_ = std::make_unique<CredentialKeeper>(std::move(source), std::move(endpoint),
                                               CredentialKeeper::Terms{}, std::move(notice), now(),
                                               epoll_.get(), kHelperMark);
}

void ApiClient::Parts::refresh_credentials() {
  keeper_->look(moment());
  if (keeper_->generation() == access_->generation()) return;
  const Status adopted =
      access_->adopt(keeper_->identity(), keeper_->trusted(), keeper_->generation());
  if (!adopted && notice_) notice_(adopted.error());
}

void ApiClient::Parts::look_after_parked(const ApiListener& listener) {
  if (!keeper_ || (parked_.empty() && !keeper_->due())) return;
  refresh_credentials();
  const auto current = moment();
  const bool is_ready = keeper_->is_ready(current);
  const Error* const failure = keeper_->failure(current);
  // Each is out before anybody is told of it: who is told may cancel others.
  for (std::size_t i = 0; i < parked_.size();) {
    const bool is_late = parked_[i].deadline <= current.now;
    if (!is_ready && failure == nullptr && !is_late) {
      ++i;
      continue;
    }
    Parked parked = std::move(parked_[i]);
    parked_.erase(parked_.begin() + static_cast<std::ptrdiff_t>(i));
    if (is_ready)
      send_now(parked.ticket, std::move(parked.request), parked.is_second);
    else
      answer_unsent(parked.ticket, failure != nullptr ? *failure : no_credentials(), listener);
  }
}

// A refused request was not carried out, whatever it asked for.
bool ApiClient::Parts::is_worth_a_second(const ApiCall& call, const ApiAnswer& answer) {
  constexpr unsigned kUnauthorized = 401;
  return answer.status == kUnauthorized && keeper_ && !call.is_second() &&
         keeper_->renew(call.generation(), moment());
}

void ApiClient::Parts::hand_over_lines(ApiCall& call, const ApiListener& listener) {
  has_said_ = true;
  if (call.hand_over_lines(listener) || call.is_dropped()) return;
  Call over = take_under_way(call.ticket());
  ApiAnswer why = over->too_long();
  const std::uint64_t ticket = over->ticket();
  retire(std::move(over));
  answer(ticket, std::move(why), listener);
}

void ApiClient::Parts::settle(CurlLane& lane, const ApiListener& listener) {
  while (!fresh_.empty()) {
    ApiCall& call = *fresh_.back();
    fresh_.pop_back();
    hand_over_lines(call, listener);
  }
  while (const auto over = lane.next_over()) {
    const ApiCall& known = *ApiCall::of(library_, over->first);
    if (known.is_dropped()) continue;
    const std::uint64_t ticket = known.ticket();
    Call call = take_under_way(ticket);
    ApiAnswer came = call->finish(over->second);
    if (is_worth_a_second(*call, came)) {
      parked_.push_back({ticket, call->take_request(), true, now() + kSecondPatience});
      retire(std::move(call));
      continue;
    }
    retire(std::move(call));
    answer(ticket, std::move(came), listener);
  }
  for (Call& call : std::exchange(dropped_, {})) retire(std::move(call));
}

void ApiClient::Parts::look_after_timers(const ApiListener& listener) {
  for (CurlLane& lane : lanes_) {
    const Nanos moment = now();
    if (!lane.due() || *lane.due() > moment) continue;
    lane.expire(moment);
    settle(lane, listener);
  }
}

int ApiClient::Parts::patience(Nanos deadline) const {
  if (has_said_) return 0;
  if (keeper_ && keeper_->due()) deadline = std::min(deadline, *keeper_->due());
  for (const Parked& parked : parked_) deadline = std::min(deadline, parked.deadline);
  for (const CurlLane& lane : lanes_)
    if (lane.due()) deadline = std::min(deadline, *lane.due());
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - now()).count();
  return static_cast<int>(std::max<std::int64_t>(left, 0));
}

Status ApiClient::Parts::look_after_events(Nanos deadline, const ApiListener& listener) {
  std::array<epoll_event, kMostEvents> events{};
  const int count = ::epoll_wait(epoll_.get(), events.data(), kMostEvents, patience(deadline));
  if (count < 0) {
    is_woken_ = true;
    return errno == EINTR ? Status{} : Status{no_memory()};
  }
  for (int i = 0; i < count; ++i) {
    const epoll_event& event = events[static_cast<std::size_t>(i)];
    const auto mark = static_cast<std::uint32_t>(event.data.u64 >> 32);
    if (mark == kWakeMark) {
      std::uint64_t times = 0;
      is_woken_ = ::read(wake_.get(), &times, sizeof times) > 0 || is_woken_;
      continue;
    }
    if (mark == kHelperMark) continue;  // looked after before the next wait
    lanes_[mark].act(static_cast<int>(event.data.u64 & 0xffffffff), event.events, now());
    settle(lanes_[mark], listener);
  }
  return {};
}

Status ApiClient::Parts::wait(Nanos most, const ApiListener& listener) {
  is_waiting_ = true;
  has_said_ = is_woken_ = false;
  const Nanos deadline = now() + std::clamp(most, Nanos{0}, kMostPatience);
  Status status;
  do {
    look_after_parked(listener);
    answer_refused(listener);
    look_after_timers(listener);
    status = look_after_events(deadline, listener);
  } while (status && !has_said_ && !is_woken_ && now() < deadline);
  is_waiting_ = false;
  return status;
}

void ApiClient::Parts::wake() {
  const std::uint64_t once = 1;
  static_cast<void>(!::write(wake_.get(), &once, sizeof once));  // full: it is awake anyway
}

ApiClient::ApiClient(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}
ApiClient::~ApiClient() = default;

Result<std::unique_ptr<ApiClient>> ApiClient::open(ApiEndpoint endpoint, ApiLimits limits,
                                                   CredentialSource credentials, Notice notice,
                                                   const Clock& clock) {
  const ApiIdentity& own = endpoint.identity;
  if (!own.certificate.empty() && !own.key.empty())
    if (Status good = check_client_certificate(own.certificate, own.key.reveal(), moment().date);
        !good && credentials.files.certificate.empty())
      return std::move(good).error();
  const auto library = CurlLibrary::get();
  if (!library) return library.error();
  auto access = ApiAccess::make(**library, endpoint);
  if (!access) return std::move(access).error();
  const bool is_told = (*access)->is_secure() && !credentials.empty();
  auto parts = std::make_unique<Parts>(**library, *std::move(access), limits, clock);
  GEDGE_TRY(parts->open());
  if (is_told) parts->keep(std::move(credentials), std::move(endpoint), std::move(notice));
  return std::unique_ptr<ApiClient>(new ApiClient(std::move(parts)));
}

void ApiClient::send(std::uint64_t ticket, ApiRequest request) {
  parts_->send(ticket, std::move(request));
}
void ApiClient::cancel(std::uint64_t ticket) { parts_->cancel(ticket); }
Status ApiClient::wait(Nanos most, const ApiListener& listener) {
  return parts_->wait(most, listener);
}
void ApiClient::wake() { parts_->wake(); }

}  // namespace gedge
