// Probes over datagrams: ICMP echo and UDP, both families.
//
// On the accurate path probes leave one by one and the kernel stamps them as they pass the network
// device; a copy of each stamped packet comes back through the error queue, payload and all, so the
// cookie says whose stamp it is. So does what comes back by ICMP, where enough of the packet is
// quoted. The batched path gives 64 packets to one call and asks for stamps
// of what comes only: a fraction of the processor time, and times that contain the wait for the
// others.
#include <poll.h>

#include <algorithm>
#include <cerrno>
#include <utility>
#include <vector>

#include "io/echo_socket.hpp"
#include "io/links.hpp"
#include "io/packet_batch.hpp"
#include "io/probe_clock.hpp"
#include "io/system_error.hpp"

namespace gedge {
namespace {

constexpr std::size_t kBatch = 64;
// Answers are read until there are none, but not for ever: somebody may send without end.
constexpr int kMostBatches = 64;
// Before an answer's payload: IP header with options, ICMP header. In the error queue also what the
// device puts before them.
constexpr std::size_t kMostHeaders = 160;
// IPv4 hosts take 576 bytes from anybody (RFC 791), headers included.
constexpr std::size_t kFitsAnywhere = 500;
constexpr int kMilliseconds = 1'000'000;
constexpr int kSendPatience = 100;  // ms until a full send buffer counts as a refusal

class DatagramLink final : public ProbeLink {
 public:
  DatagramLink(const LinkRequest& request, std::vector<EchoSocket> sockets)
      : size_(request.size),
        with_port_(request.method == ProbeMethod::kUdp),
        stamped_(!request.batched),
        heard_(!request.batched),
        room_(request.batched ? kBatch : 1),
        sockets_(std::move(sockets)),
        out_(room_, size_ + sockets_.front().form().header_size(), false),
        in_(kBatch, size_ + kMostHeaders, true) {
    for (const IpAddress& target : request.targets) targets_.push_back(to_socket_address(target));
    for (EchoSocket& socket : sockets_) {
      if (heard_) socket.hear_refusals();
      stamped_ = socket.stamp(stamped_) && stamped_;
      if (size_ <= kFitsAnywhere) socket.keep_whole();
    }
    for (const EchoSocket& socket : sockets_) polled_.push_back({socket.get(), POLLIN, 0});
  }

  Nanos now() override { return clock_.now(); }
  std::size_t room() const override { return room_; }
  void send(std::span<const Probe> probes) override;
  Received receive(Nanos until) override;

 private:
  EchoSocket& socket_for(std::uint32_t target);
  void send_run(EchoSocket& socket, std::span<const Probe> probes);
  bool wait_for_room(int fd);
  void refuse(const Probe& probe, int error_number);
  bool read_all();
  void read_departures(const EchoSocket& socket);
  void add_refusal(std::size_t i, const EchoSocket& socket, int error_number);
  bool read_answers(const EchoSocket& socket);
  void add_answer(std::size_t i, const EchoSocket& socket, Nanos now);
  void wait(Nanos until);

  std::size_t size_;
  bool with_port_, stamped_, heard_;
  std::size_t room_;
  std::uint16_t sequence_ = 0;
  ProbeClock clock_;
  std::vector<EchoSocket> sockets_;  // one a family
  std::vector<SocketAddress> targets_;
  PacketBatch out_, in_;
  std::vector<pollfd> polled_;
  std::vector<ProbeEvent> refused_, departures_, events_;
};

EchoSocket& DatagramLink::socket_for(std::uint32_t target) {
  // With two sockets, the first one is IPv4.
  const bool second = sockets_.size() > 1 && targets_[target].any.sa_family == AF_INET6;
  return sockets_[second ? 1 : 0];
}

void DatagramLink::refuse(const Probe& probe, int error_number) {
  refused_.push_back(
      {ProbeEvent::Kind::kRefused, refusal_of(error_number), probe.target, probe.cookie, now()});
}

bool DatagramLink::wait_for_room(int fd) {
  pollfd polled{fd, POLLOUT, 0};
  return ::poll(&polled, 1, kSendPatience) > 0 && (polled.revents & POLLOUT) != 0;
}

void DatagramLink::send(std::span<const Probe> probes) {
  while (!probes.empty()) {
    EchoSocket& socket = socket_for(probes[0].target);
    std::size_t same = 1;
    while (same < probes.size() && &socket_for(probes[same].target) == &socket) ++same;
    send_run(socket, probes.first(same));
    probes = probes.subspan(same);
  }
}

void DatagramLink::send_run(EchoSocket& socket, std::span<const Probe> probes) {
  const std::size_t size = socket.form().header_size() + size_;
  for (std::size_t i = 0; i < probes.size(); ++i) {
    out_.address(i, targets_[probes[i].target]);
    write_question(socket.form(), out_.packet(i).first(size),
                   {kQuestionMark, probes[i].target, probes[i].cookie}, sequence_++);
  }
  bool waited = false, heard = false;
  for (std::size_t sent = 0; sent < probes.size();) {
    const std::size_t more = out_.send(socket.get(), sent, probes.size(), size);
    sent += more;
    if (more > 0) {
      waited = false;
      continue;
    }
    const int error_number = errno;
    // What came back of an earlier probe fails this one, once.
    if (heard_ && !std::exchange(heard, true)) {
      read_departures(socket);
      continue;
    }
    const bool full = error_number == EAGAIN || error_number == ENOBUFS;
    if (full && !waited && wait_for_room(socket.get())) {
      waited = true;
      continue;
    }
    refuse(probes[sent++], error_number);
  }
}

// What came back begins with the header that it was sent with, and may be cut short.
void DatagramLink::add_refusal(std::size_t i, const EchoSocket& socket, int error_number) {
  const std::size_t header = socket.form().header_size();
  const auto packet = in_.received(i);
  if (packet.size() < header + kLeastProbeSize) return;
  const ProbePayload payload = read_payload(packet.data() + header);
  if (payload.mark != kQuestionMark || payload.target >= targets_.size()) return;
  if (!came_from(in_.sender(i), targets_[payload.target], with_port_)) return;
  refuse({payload.target, payload.cookie}, error_number);
}

// The copy of a departed packet ends with the payload; what stands before it depends on the device.
void DatagramLink::read_departures(const EchoSocket& socket) {
  for (int batch = 0; batch < kMostBatches; ++batch) {
    const std::size_t count = in_.receive(socket.get(), MSG_ERRQUEUE);
    for (std::size_t i = 0; i < count; ++i) {
      if (const auto error_number = in_.refusal(i)) {
        add_refusal(i, socket, *error_number);
        continue;
      }
      const auto packet = in_.received(i);
      const auto stamp = in_.stamp(i);
      if (!stamp || packet.size() < size_) continue;
      const ProbePayload payload = read_payload(packet.last(size_).data());
      if (payload.mark != kQuestionMark || payload.target >= targets_.size()) continue;
      departures_.push_back({ProbeEvent::Kind::kSent, Refusal::kNone, payload.target,
                             payload.cookie, clock_.steady(*stamp)});
    }
    if (count < in_.capacity()) return;
  }
}

void DatagramLink::add_answer(std::size_t i, const EchoSocket& socket, Nanos now) {
  const auto payload = read_answer(socket.form(), in_.received(i));
  if (!payload || payload->target >= targets_.size()) return;
  if (!came_from(in_.sender(i), targets_[payload->target], with_port_)) return;
  const auto stamp = in_.stamp(i);
  const Nanos at = stamp ? std::min(clock_.steady(*stamp), now) : now;
  events_.push_back(
      {ProbeEvent::Kind::kReply, Refusal::kNone, payload->target, payload->cookie, at});
}

// True if there was nothing left in the end.
bool DatagramLink::read_answers(const EchoSocket& socket) {
  for (int batch = 0; batch < kMostBatches; ++batch) {
    const std::size_t count = in_.receive(socket.get(), 0);
    const Nanos now = clock_.now();
    for (std::size_t i = 0; i < count; ++i) add_answer(i, socket, now);
    if (count < in_.capacity()) return true;
  }
  return false;
}

// Answers first, departures second: whatever was answered has departed, so its stamp is there. They
// are told the other way round.
bool DatagramLink::read_all() {
  clock_.look_at_date();
  bool all = true;
  for (const EchoSocket& socket : sockets_) {
    all = read_answers(socket) && all;
    if (stamped_ || heard_) read_departures(socket);
  }
  events_.insert(events_.begin(), departures_.begin(), departures_.end());
  departures_.clear();
  events_.insert(events_.end(), refused_.begin(), refused_.end());
  refused_.clear();
  return all;
}

void DatagramLink::wait(Nanos until) {
  const Nanos left = until - clock_.now();
  if (left <= Nanos{0}) return;
  const timespec patience{left.count() / (1'000 * kMilliseconds),
                          left.count() % (1'000 * kMilliseconds)};
  static_cast<void>(::ppoll(polled_.data(), polled_.size(), &patience, nullptr));
}

ProbeLink::Received DatagramLink::receive(Nanos until) {
  events_.clear();
  bool all = read_all();
  if (events_.empty()) {
    wait(until);
    all = read_all();
  }
  return {events_, all};
}

bool send_from(const EchoSocket& socket, IpAddress source) {
  source.port = 0;
  const SocketAddress own = to_socket_address(source);
  return ::bind(socket.get(), &own.any, length_of(own)) == 0;
}

}  // namespace

Result<std::unique_ptr<ProbeLink>> open_datagram_link(const LinkRequest& request) {
  std::vector<EchoSocket> sockets;
  for (const bool v6 : {false, true}) {
    const bool wanted = std::any_of(request.targets.begin(), request.targets.end(),
                                    [v6](const IpAddress& target) { return target.is_v6 == v6; });
    if (!wanted) continue;
    auto socket = EchoSocket::open(request.method, v6);
    if (!socket) return std::move(socket).error();
    if (request.source && request.source->is_v6 == v6 && !send_from(*socket, *request.source))
      return system_error("cannot send from", "the source that was asked for", errno);
    sockets.push_back(std::move(*socket));
  }
  return std::unique_ptr<ProbeLink>(new DatagramLink(request, std::move(sockets)));
}

}  // namespace gedge
