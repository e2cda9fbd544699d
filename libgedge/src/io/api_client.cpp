#include "gedge/io/api_client.hpp"

#include <poll.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <deque>
#include <utility>

#include "io/api_access.hpp"
#include "io/call_failure.hpp"
#include "io/client_certificate.hpp"
#include "io/credential_keeper.hpp"
#include "io/curl_calls.hpp"
#include "io/descriptor.hpp"
#include "io/http2_calls.hpp"
#include "io/system_error.hpp"

namespace gedge {
namespace {

constexpr std::uint32_t kWakeMark = CurlCalls::kLanes, kHelperMark = kWakeMark + 1,
                        kHttp2Mark = kWakeMark + 2;
constexpr int kMostEvents = 64;
constexpr Nanos kMostPatience{3'600'000'000'000};
constexpr Nanos kSecondPatience{30'000'000'000};  // for somebody to say again who we are

Error no_memory() {
  return {Errc::kDenied, "the system has no memory or descriptors left for calls", {}, {}};
}

Error no_credentials() {
  return {Errc::kTimeout,
          "the program that says who you are has said nothing in time",
          {},
          "run it yourself to see what it waits for"};
}

Error no_connection() { return {Errc::kUnreachable, "no connection for a watch", {}, {}}; }

CredentialKeeper::Moment moment() {
  const auto date = std::chrono::system_clock::now().time_since_epoch();
  return {std::chrono::steady_clock::now().time_since_epoch(),
          std::chrono::duration_cast<std::chrono::seconds>(date).count()};
}

// Of timers: what libcurl counts by, too.
Nanos now() { return std::chrono::steady_clock::now().time_since_epoch(); }

}  // namespace

/// Calls go over HTTP/2 where the server speaks it and nothing stands in between, else through
/// libcurl, which is not opened before.
class ApiClient::Parts : private CallSink {
 public:
  Parts(std::unique_ptr<ApiAccess> access, const ApiLimits& limits, const Clock& clock);
  Parts(const Parts&) = delete;
  Parts& operator=(const Parts&) = delete;

  /// Errors: kInvalidInput and kDenied as of ApiClient::open().
  Status open();
  /// Whether the server is told who we are.
  bool is_secure() const { return http2_ != nullptr || access_->is_secure(); }
  void keep(CredentialSource source, ApiEndpoint endpoint, CredentialKeeper::Notice notice);
  void send(std::uint64_t ticket, ApiRequest request);
  void push();
  bool pings() const { return http2_ != nullptr && http2_->can_connect(); }
  void expect_writes();
  void cancel(std::uint64_t ticket);
  void gather(Nanos how_long) const;
  Status wait(Nanos most, const ApiListener& listener);
  void wake();

 private:
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

  void opened(std::uint64_t ticket) override;
  void line(std::uint64_t ticket, std::string_view line) override;
  void over(CallOver&& call) override;

  Status open_curl();
  void send_now(std::uint64_t ticket, ApiRequest request, bool is_second);
  void send_by_curl(std::uint64_t ticket, ApiRequest request, bool is_second);
  void refresh_credentials();
  void look_after_parked();
  bool is_worth_a_second(const CallOver& call);
  void answer_unsent(std::uint64_t ticket, Error error);
  void answer_refused();
  void look_after_calls();
  void settle();
  Status look_after_events(Nanos deadline);
  int patience(Nanos deadline) const;
  void answer(std::uint64_t ticket, ApiAnswer answer);

  std::unique_ptr<ApiAccess> access_;
  ApiLimits limits_;
  const Clock& clock_;
  Descriptor epoll_, wake_;
  std::unique_ptr<Http2Calls> http2_;  // null: somebody else has to serve
  std::unique_ptr<CurlCalls> curl_;    // null: nobody has needed it
  std::deque<Refused> refused_;
  std::deque<Parked> parked_;
  std::unique_ptr<CredentialKeeper> keeper_;  // null: who we are never changes
  CredentialKeeper::Notice notice_;
  const ApiListener* listener_ = nullptr;  // while somebody waits
  bool has_said_ = false, is_woken_ = false;
};

ApiClient::Parts::Parts(std::unique_ptr<ApiAccess> access, const ApiLimits& limits,
                        const Clock& clock)
    : access_(std::move(access)),
      limits_(limits),
      clock_(clock),
      epoll_(::epoll_create1(EPOLL_CLOEXEC)),
      wake_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {}

Status ApiClient::Parts::open() {
  epoll_event event{};
  event.events = EPOLLIN;
  event.data.u64 = std::uint64_t{kWakeMark} << 32;
  if (!epoll_ || !wake_ || ::epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, wake_.get(), &event) != 0)
    return no_memory();
  http2_ = Http2Calls::make(*access_, limits_, clock_, epoll_.get(), kHttp2Mark);
  return http2_ != nullptr ? Status{} : open_curl();
}

Status ApiClient::Parts::open_curl() {
  auto opened = CurlCalls::make(*access_, limits_, clock_, epoll_.get());
  if (!opened) return std::move(opened).error();
  curl_ = *std::move(opened);
  return {};
}

void ApiClient::Parts::send_by_curl(std::uint64_t ticket, ApiRequest request, bool is_second) {
  Status sent;
  if (curl_ == nullptr) sent = open_curl();
  if (sent) sent = curl_->send(ticket, std::move(request), is_second, now());
  if (!sent) refused_.push_back({ticket, sent.error()});
}

void ApiClient::Parts::send_now(std::uint64_t ticket, ApiRequest request, bool is_second) {
  if (ApiAccess::time_left(request, Nanos(clock_.now())) <= Nanos{0})
    return refused_.push_back({ticket, too_late_to_send()});
  if (http2_ != nullptr && http2_->serves())
    http2_->send(ticket, std::move(request), is_second, now());
  else
    send_by_curl(ticket, std::move(request), is_second);
}

void ApiClient::Parts::send(std::uint64_t ticket, ApiRequest request) {
  if (keeper_) refresh_credentials();
  if (!keeper_ || keeper_->is_ready(moment())) return send_now(ticket, std::move(request), false);
  const Nanos left = ApiAccess::time_left(request, Nanos(clock_.now()));
  const Nanos deadline = now() + std::clamp(left, Nanos{0}, kMostPatience);
  parked_.push_back({ticket, std::move(request), false, deadline});
}

void ApiClient::Parts::push() {
  if (http2_ != nullptr) http2_->flush();
}

// Who we are must be known by then.
void ApiClient::Parts::expect_writes() {
  if (http2_ != nullptr && (!keeper_ || keeper_->is_ready(moment()))) http2_->expect_writes(now());
}

void ApiClient::Parts::cancel(std::uint64_t ticket) {
  const auto is_it = [&](const auto& entry) { return entry.ticket == ticket; };
  std::erase_if(refused_, is_it);
  std::erase_if(parked_, is_it);
  if (http2_ != nullptr && http2_->cancel(ticket)) return;
  if (curl_ != nullptr) curl_->cancel(ticket);
}

void ApiClient::Parts::opened(std::uint64_t ticket) {
  has_said_ = true;
  listener_->opened(ticket);
}

void ApiClient::Parts::line(std::uint64_t ticket, std::string_view line) {
  has_said_ = true;
  listener_->line(ticket, line);
}

void ApiClient::Parts::over(CallOver&& call) {
  // It was asked for as one that is pinged: over HTTP/1.1 it would last too long.
  if (call.is_unserved && call.request.is_stream && pings())
    return answer_unsent(call.ticket, no_connection());
  if (call.is_unserved) return send_by_curl(call.ticket, std::move(call.request), call.is_second);
  if (!is_worth_a_second(call)) return answer(call.ticket, std::move(call.answer));
  parked_.push_back({call.ticket, std::move(call.request), true, now() + kSecondPatience});
}

void ApiClient::Parts::answer(std::uint64_t ticket, ApiAnswer answer) {
  has_said_ = true;
  listener_->answer(ticket, std::move(answer));
}

void ApiClient::Parts::answer_unsent(std::uint64_t ticket, Error error) {
  ApiAnswer nothing;
  nothing.error = std::move(error);
  nothing.was_not_sent = true;
  answer(ticket, std::move(nothing));
}

void ApiClient::Parts::answer_refused() {
  while (!refused_.empty()) {
    Refused refused = std::move(refused_.front());
    refused_.pop_front();
    answer_unsent(refused.ticket, std::move(refused.error));
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

void ApiClient::Parts::look_after_parked() {
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
      answer_unsent(parked.ticket, failure != nullptr ? *failure : no_credentials());
  }
}

// A refused request was not carried out, whatever it asked for.
bool ApiClient::Parts::is_worth_a_second(const CallOver& call) {
  constexpr unsigned kUnauthorized = 401;
  return call.answer.status == kUnauthorized && keeper_ && !call.is_second &&
         keeper_->renew(call.generation, moment());
}

void ApiClient::Parts::settle() {
  if (http2_ != nullptr) http2_->settle(*this, now());
  if (curl_ != nullptr) curl_->settle(*this);
}

void ApiClient::Parts::look_after_calls() {
  if (http2_ != nullptr) {
    http2_->expire(now());
    http2_->flush();
  }
  if (curl_ != nullptr) curl_->expire(now());
  settle();
}

int ApiClient::Parts::patience(Nanos deadline) const {
  if (has_said_ || is_woken_ || !refused_.empty()) return 0;
  const auto meet = [&](std::optional<Nanos> due) {
    if (due) deadline = std::min(deadline, *due);
  };
  if (keeper_) meet(keeper_->due());
  for (const Parked& parked : parked_) meet(parked.deadline);
  if (http2_ != nullptr) meet(http2_->due());
  if (curl_ != nullptr) meet(curl_->due());
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - now()).count();
  return static_cast<int>(std::max<std::int64_t>(left, 0));
}

Status ApiClient::Parts::look_after_events(Nanos deadline) {
  std::array<epoll_event, kMostEvents> events{};
  const int count = ::epoll_wait(epoll_.get(), events.data(), kMostEvents, patience(deadline));
  if (count < 0) {
    is_woken_ = true;
    return errno == EINTR ? Status{} : Status{no_memory()};
  }
  for (int i = 0; i < count; ++i) {
    const epoll_event& event = events[static_cast<std::size_t>(i)];
    const auto mark = static_cast<std::uint32_t>(event.data.u64 >> 32);
    const int descriptor = static_cast<int>(event.data.u64 & 0xffffffff);
    if (mark == kWakeMark) {
      std::uint64_t times = 0;
      is_woken_ = ::read(wake_.get(), &times, sizeof times) > 0 || is_woken_;
      continue;
    }
    if (mark == kHelperMark) continue;  // looked after before the next wait
    if (mark >= kHttp2Mark)
      http2_->act(mark, descriptor, event.events, now());
    else
      curl_->act(mark, descriptor, event.events, now());
    settle();
  }
  return {};
}

void ApiClient::Parts::gather(Nanos how_long) const {
  const Nanos most = std::clamp(how_long, Nanos{0}, kMostPatience);
  const auto rest = std::chrono::ceil<std::chrono::milliseconds>(most).count();
  pollfd woken{wake_.get(), POLLIN, 0};
  static_cast<void>(::poll(&woken, 1, static_cast<int>(rest)));
}

Status ApiClient::Parts::wait(Nanos most, const ApiListener& listener) {
  listener_ = &listener;
  has_said_ = is_woken_ = false;
  const Nanos deadline = now() + std::clamp(most, Nanos{0}, kMostPatience);
  Status status;
  do {
    look_after_parked();
    answer_refused();
    // What came while nobody looked was in time.
    if (http2_ != nullptr && http2_->is_due(now())) status = look_after_events(Nanos{0});
    look_after_calls();
    if (status) status = look_after_events(deadline);
  } while (status && !has_said_ && !is_woken_ && now() < deadline);
  listener_ = nullptr;
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
  auto access = ApiAccess::make(endpoint);
  if (!access) return std::move(access).error();
  auto parts = std::make_unique<Parts>(*std::move(access), limits, clock);
  GEDGE_TRY(parts->open());
  if (parts->is_secure() && !credentials.empty())
    parts->keep(std::move(credentials), std::move(endpoint), std::move(notice));
  return std::unique_ptr<ApiClient>(new ApiClient(std::move(parts)));
}

void ApiClient::send(std::uint64_t ticket, ApiRequest request) {
  parts_->send(ticket, std::move(request));
}
void ApiClient::push() { parts_->push(); }
bool ApiClient::pings() const { return parts_->pings(); }
void ApiClient::expect_writes() { parts_->expect_writes(); }
void ApiClient::cancel(std::uint64_t ticket) { parts_->cancel(ticket); }
void ApiClient::gather(Nanos how_long) { parts_->gather(how_long); }
Status ApiClient::wait(Nanos most, const ApiListener& listener) {
  return parts_->wait(most, listener);
}
void ApiClient::wake() { parts_->wake(); }

}  // namespace gedge
