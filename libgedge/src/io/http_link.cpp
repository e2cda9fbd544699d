// Probes that are requests, each over a connection of its own. What counts is the time from the
// request to the first byte of the answer, whatever it says: one round trip, and what the other end
// takes to begin. Nothing is resolved and no proxy asked: targets are addresses.
#include <netdb.h>

#include <algorithm>
#include <array>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "io/curl_handle.hpp"
#include "io/links.hpp"
#include "io/probe_clock.hpp"
#include "io/socket_address.hpp"

namespace gedge {
namespace {

constexpr std::size_t kMostConnections = 128, kMostAtOnce = 16;
constexpr Nanos kMilli{1'000'000};

struct HttpTarget {
  std::string url, connect_to;  // "NAME:PORT:ADDRESS:PORT"
  curl_slist list{};            // of it alone; libcurl keeps the address
};

/// Neither moved nor copied: libcurl holds its address.
struct HttpProbe {
  HttpProbe(const CurlLibrary& library, const Probe& sent, Nanos now)
      : handle(library), probe(sent), begun(now) {}

  CurlHandle handle;
  Probe probe;
  Nanos begun;
  bool answered = false;
};

// As a URL has it: IPv6 in brackets.
std::string host_text(const IpAddress& address) {
  const SocketAddress socket = to_socket_address(address);
  std::array<char, NI_MAXHOST> text{};
  static_cast<void>(::getnameinfo(&socket.any, length_of(socket), text.data(), text.size(), nullptr,
                                  0, NI_NUMERICHOST));
  return address.is_v6 ? '[' + std::string(text.data()) + ']' : std::string(text.data());
}

// One line of the header is enough, and the connection is of no more use.
std::size_t on_answer(char*, std::size_t, std::size_t, void* probe) {
  static_cast<HttpProbe*>(probe)->answered = true;
  return CURL_WRITEFUNC_ERROR;
}

Refusal refusal_of_curl(CURLcode code, const CurlHandle& handle) {
  switch (code) {
    case CURLE_COULDNT_CONNECT:
      return refusal_of(static_cast<int>(handle.info<long>(CURLINFO_OS_ERRNO)));
    case CURLE_PEER_FAILED_VERIFICATION:
    case CURLE_SSL_CACERT_BADFILE:
      return Refusal::kUntrusted;
    case CURLE_OUT_OF_MEMORY:
      return Refusal::kNoRoom;
    default:
      return Refusal::kNoHttp;
  }
}

class HttpLink final : public ProbeLink {
 public:
  HttpLink(const CurlLibrary& library, LinkRequest request)
      : library_(library),
        request_(std::move(request)),
        multi_(library.multi_init(), library.multi_cleanup) {
    for (std::size_t i = 0; i < request_.targets.size(); ++i) add_target(i);
  }
  ~HttpLink() {
    for (const auto& [handle, probe] : under_way_)
      library_.multi_remove_handle(multi_.get(), handle);
  }

  bool works() const { return multi_ != nullptr; }
  Nanos now() override { return clock_.now(); }
  std::size_t room() const override {
    return std::min(kMostConnections - std::min(kMostConnections, under_way_.size()), kMostAtOnce);
  }
  void send(std::span<const Probe> probes) override {
    for (const Probe& probe : probes) begin(probe);
    perform();
  }
  Received receive(Nanos until) override;

 private:
  void add_target(std::size_t i);
  void begin(const Probe& probe);
  bool prepare(HttpProbe& probe);
  void perform();
  void settle(const HttpProbe& probe, CURLcode code);
  void add(ProbeEvent::Kind kind, const Probe& probe, Nanos at, Refusal refusal = Refusal::kNone) {
    coming_.push_back({kind, refusal, probe.target, probe.cookie, at});
  }

  const CurlLibrary& library_;
  LinkRequest request_;
  ProbeClock clock_;
  std::deque<HttpTarget> targets_;
  std::unique_ptr<CURLM, decltype(&::curl_multi_cleanup)> multi_;
  std::map<CURL*, std::unique_ptr<HttpProbe>> under_way_;
  std::vector<ProbeEvent> coming_, events_;
};

void HttpLink::add_target(std::size_t i) {
  const IpAddress& address = request_.targets[i];
  std::string host = i < request_.hosts.size() ? request_.hosts[i] : "";
  if (host.empty()) host = host_text(address);
  if (host.find(':') != std::string::npos && host[0] != '[') host = '[' + host + ']';
  const std::string port = ':' + std::to_string(address.port);
  HttpTarget& target = targets_.emplace_back();
  target.url =
      (request_.method == ProbeMethod::kHttps ? "https://" : "http://") + host + port + '/';
  target.connect_to = host + port + ':' + host_text(address) + port;
  target.list = {target.connect_to.data(), nullptr};
}

bool HttpLink::prepare(HttpProbe& probe) {
  CurlHandle& handle = probe.handle;
  HttpTarget& target = targets_[probe.probe.target];
  const auto timeout = static_cast<long>((request_.timeout + kMilli - Nanos{1}) / kMilli);
  return handle.restrain() && handle.trust(request_.trusted, request_.verify) &&
         handle.set(CURLOPT_URL, target.url.c_str()) &&
         handle.set(CURLOPT_CONNECT_TO, &target.list) && handle.set(CURLOPT_PROXY, "") &&
         handle.set(CURLOPT_TIMEOUT_MS, std::max(timeout, 1L)) &&
         handle.set(CURLOPT_FRESH_CONNECT, 1L) && handle.set(CURLOPT_FORBID_REUSE, 1L) &&
         handle.set(CURLOPT_USERAGENT, "gedge") && handle.set(CURLOPT_HEADERFUNCTION, &on_answer) &&
         handle.set(CURLOPT_HEADERDATA, &probe) && handle.set(CURLOPT_WRITEFUNCTION, &on_answer) &&
         handle.set(CURLOPT_WRITEDATA, &probe);
}

void HttpLink::begin(const Probe& probe) {
  auto made = std::make_unique<HttpProbe>(library_, probe, now());
  CURL* const handle = made->handle.get();
  if (!prepare(*made) || library_.multi_add_handle(multi_.get(), handle) != CURLM_OK)
    return add(ProbeEvent::Kind::kRefused, probe, now(), Refusal::kNoRoom);
  under_way_.emplace(handle, std::move(made));
}

void HttpLink::perform() {
  int running = 0, left = 0;
  library_.multi_perform(multi_.get(), &running);
  while (const CURLMsg* const message = library_.multi_info_read(multi_.get(), &left)) {
    if (message->msg != CURLMSG_DONE) continue;
    const CURLcode code = message->data.result;
    const auto found = under_way_.find(message->easy_handle);
    library_.multi_remove_handle(multi_.get(), found->first);
    settle(*found->second, code);
    under_way_.erase(found);
  }
}

// A request leaves as soon as its connection stands. When it has left libcurl says only after it
// was sent, which may be after the answer came. Moments are whole microseconds, rounded down: RTTs
// round up. One that took too long has nothing to say: whoever sent it has stopped to wait.
void HttpLink::settle(const HttpProbe& probe, CURLcode code) {
  const auto moment = [&](CURLINFO what) {
    return probe.begun + std::chrono::microseconds{probe.handle.info<curl_off_t>(what)};
  };
  if (probe.answered) {
    const Nanos asked = moment(request_.method == ProbeMethod::kHttps ? CURLINFO_APPCONNECT_TIME_T
                                                                      : CURLINFO_CONNECT_TIME_T);
    const Nanos begun = moment(CURLINFO_STARTTRANSFER_TIME_T) + std::chrono::microseconds{1};
    add(ProbeEvent::Kind::kSent, probe.probe, asked);
    return add(ProbeEvent::Kind::kReply, probe.probe, begun);
  }
  if (code != CURLE_OPERATION_TIMEDOUT)
    add(ProbeEvent::Kind::kRefused, probe.probe, now(), refusal_of_curl(code, probe.handle));
}

ProbeLink::Received HttpLink::receive(Nanos until) {
  perform();
  const Nanos left = until - now();
  if (coming_.empty() && left > Nanos{0}) {
    // Rounded up: a wait of 0 is none, and whoever waits for room would only ask again.
    const auto patience = static_cast<int>((left + kMilli - Nanos{1}) / kMilli);
    library_.multi_poll(multi_.get(), nullptr, 0, patience, nullptr);
    perform();
  }
  events_.swap(coming_);
  coming_.clear();
  return {events_, true};
}

}  // namespace

Result<std::unique_ptr<ProbeLink>> open_http_link(const LinkRequest& request) {
  const auto library = CurlLibrary::get();
  if (!library) return library.error();
  auto link = std::make_unique<HttpLink>(**library, request);
  if (!link->works()) return Error{Errc::kDenied, "the system has no memory left", {}, {}};
  return std::unique_ptr<ProbeLink>(std::move(link));
}

}  // namespace gedge
