// Probes that are handshakes. Where one succeeds, the kernel itself has timed it (TCP_INFO); where
// it is refused, the refusal is an answer of the other host as well, timed by this program.
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/resource.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <deque>
#include <unordered_map>
#include <vector>

#include "io/descriptor.hpp"
#include "io/links.hpp"
#include "io/probe_clock.hpp"
#include "io/socket_address.hpp"
#include "io/system_error.hpp"

namespace gedge {
namespace {

constexpr std::size_t kMostConnections = 1'024;
constexpr std::size_t kMostAtOnce = 16;
constexpr std::int64_t kNanosInSecond = 1'000'000'000;

// Half of the descriptors that this process may have; the others are for whoever calls us.
std::size_t connection_limit() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return kMostConnections;
  return std::clamp<std::size_t>(limit.rlim_cur / 2, 1, kMostConnections);
}

class TcpLink final : public ProbeLink {
 public:
  TcpLink(const LinkRequest& request, Descriptor events)
      : timeout_(request.timeout), limit_(connection_limit()), epoll_(std::move(events)) {
    for (const IpAddress& target : request.targets) targets_.push_back(to_socket_address(target));
  }

  Nanos now() override { return clock_.now(); }
  std::size_t room() const override {
    return std::min(limit_ - std::min(limit_, open_.size()), kMostAtOnce);
  }
  void send(std::span<const Probe> probes) override {
    for (const Probe& probe : probes) connect(probe);
  }
  Received receive(Nanos until) override;

 private:
  struct Handshake {
    Descriptor socket;
    Probe probe;
    Nanos begun;
  };

  void connect(const Probe& probe);
  void settle(const Handshake& handshake, int error_number, Nanos at);
  void add(ProbeEvent::Kind kind, const Probe& probe, Nanos at, Refusal refusal = Refusal::kNone) {
    coming_.push_back({kind, refusal, probe.target, probe.cookie, at});
  }
  void give_up_old();
  void wait(Nanos until) const;
  bool read_ready(Nanos until);

  Nanos timeout_;
  std::size_t limit_;
  ProbeClock clock_;
  Descriptor epoll_;
  std::vector<SocketAddress> targets_;
  std::unordered_map<int, Handshake> open_;   // by descriptor
  std::deque<std::pair<Nanos, int>> oldest_;  // in the order they were begun
  std::vector<ProbeEvent> coming_, events_;
};

void TcpLink::connect(const Probe& probe) {
  const SocketAddress& to = targets_[probe.target];
  Descriptor socket(::socket(to.any.sa_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!socket) return add(ProbeEvent::Kind::kRefused, probe, now(), refusal_of(errno));
  // Closed by a reset: nothing of a finished handshake stays behind on either side.
  const linger at_once{1, 0};
  static_cast<void>(::setsockopt(socket.get(), SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once));
  Handshake handshake{std::move(socket), probe, now()};
  const int fd = handshake.socket.get();
  if (::connect(fd, &to.any, length_of(to)) == 0) return settle(handshake, 0, now());
  if (errno != EINPROGRESS) return settle(handshake, errno, now());
  epoll_event wanted{};
  wanted.events = EPOLLOUT | EPOLLONESHOT;
  wanted.data.fd = fd;
  if (::epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, fd, &wanted) != 0)
    return add(ProbeEvent::Kind::kRefused, probe, now(), refusal_of(errno));
  oldest_.emplace_back(handshake.begun, fd);
  open_.emplace(fd, std::move(handshake));
}

// A first packet that had to be repeated is a lost probe, as it would be of any other method.
void TcpLink::settle(const Handshake& handshake, int error_number, Nanos at) {
  const Probe& probe = handshake.probe;
  tcp_info info{};
  socklen_t length = sizeof info;
  const bool informed =
      ::getsockopt(handshake.socket.get(), IPPROTO_TCP, TCP_INFO, &info, &length) == 0;
  if (informed && info.tcpi_total_retrans > 0) return add(ProbeEvent::Kind::kRefused, probe, at);
  if (error_number == ECONNREFUSED) return add(ProbeEvent::Kind::kReply, probe, at);
  if (error_number != 0)
    return add(ProbeEvent::Kind::kRefused, probe, at, refusal_of(error_number));
  if (informed && info.tcpi_rtt > 0) {
    // Whole microseconds, rounded down by the kernel: RTTs round up.
    const Nanos timed = std::chrono::microseconds{std::int64_t{info.tcpi_rtt} + 1};
    add(ProbeEvent::Kind::kSent, probe, handshake.begun);
    return add(ProbeEvent::Kind::kReply, probe, handshake.begun + timed);
  }
  add(ProbeEvent::Kind::kReply, probe, at);
}

// Descriptors are used again: one that is open may belong to a later handshake.
void TcpLink::give_up_old() {
  const Nanos now = clock_.now();
  while (!oldest_.empty() && now - oldest_.front().first > timeout_) {
    const auto found = open_.find(oldest_.front().second);
    if (found != open_.end() && found->second.begun == oldest_.front().first) open_.erase(found);
    oldest_.pop_front();
  }
}

// To the nanosecond, which epoll_wait() cannot and epoll_pwait2() only does since Linux 5.11.
void TcpLink::wait(Nanos until) const {
  const Nanos left = until - clock_.now();
  if (left <= Nanos{0}) return;
  const timespec patience{left.count() / kNanosInSecond, left.count() % kNanosInSecond};
  pollfd polled{epoll_.get(), POLLIN, 0};
  static_cast<void>(::ppoll(&polled, 1, &patience, nullptr));
}

// True if nothing was left in the end.
bool TcpLink::read_ready(Nanos until) {
  std::array<epoll_event, 64> ready{};
  wait(until);
  const int count = ::epoll_wait(epoll_.get(), ready.data(), ready.size(), 0);
  const Nanos at = clock_.now();
  for (int i = 0; i < count; ++i) {
    const auto found = open_.find(ready[static_cast<std::size_t>(i)].data.fd);
    if (found == open_.end()) continue;
    int error_number = 0;
    socklen_t length = sizeof error_number;
    static_cast<void>(::getsockopt(found->first, SOL_SOCKET, SO_ERROR, &error_number, &length));
    settle(found->second, error_number, at);
    open_.erase(found);
  }
  return count < static_cast<int>(ready.size());
}

ProbeLink::Received TcpLink::receive(Nanos until) {
  // What a connect() settled at once is told without any wait.
  const bool all = read_ready(coming_.empty() ? until : Nanos{0});
  give_up_old();
  events_.swap(coming_);
  coming_.clear();
  return {events_, all};
}

}  // namespace

Result<std::unique_ptr<ProbeLink>> open_tcp_link(const LinkRequest& request) {
  Descriptor events(::epoll_create1(EPOLL_CLOEXEC));
  if (!events) return system_error("cannot open", "an epoll instance", errno);
  return std::unique_ptr<ProbeLink>(new TcpLink(request, std::move(events)));
}

}  // namespace gedge
