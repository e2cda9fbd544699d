#include "gedge/io/udp_echo.hpp"

#include <cerrno>

#include "io/descriptor.hpp"
#include "io/packet_batch.hpp"
#include "io/probe_payload.hpp"
#include "io/system_error.hpp"

namespace gedge {
namespace {

// Small, because a process may hold a thousand of these.
constexpr std::size_t kBatch = 16, kMostBytes = 2'048, kMostBatches = 256;
constexpr int kReceiveBuffer = 4 << 20;

}  // namespace

struct UdpEcho::State {
  Descriptor socket;
  PacketBatch in{kBatch, kMostBytes, false};
};

UdpEcho::UdpEcho(std::unique_ptr<State> state) : state_(std::move(state)) {}
UdpEcho::UdpEcho(UdpEcho&&) noexcept = default;
UdpEcho::~UdpEcho() = default;

Result<UdpEcho> UdpEcho::open(const IpAddress& listen) {
  const SocketAddress address = to_socket_address(listen);
  Descriptor socket(::socket(address.any.sa_family, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!socket || ::bind(socket.get(), &address.any, length_of(address)) != 0)
    return system_error("cannot listen on", "UDP port " + std::to_string(listen.port), errno);
  static_cast<void>(
      ::setsockopt(socket.get(), SOL_SOCKET, SO_RCVBUF, &kReceiveBuffer, sizeof kReceiveBuffer));
  return UdpEcho(std::unique_ptr<State>(new State{std::move(socket)}));
}

IpAddress UdpEcho::address() const {
  SocketAddress address{};
  socklen_t length = sizeof address;
  static_cast<void>(::getsockname(state_->socket.get(), &address.any, &length));
  return from_socket_address(address);
}

int UdpEcho::descriptor() const { return state_->socket.get(); }

std::size_t UdpEcho::answer() {
  std::size_t answered = 0;
  for (std::size_t batch = 0; batch < kMostBatches; ++batch) {
    const std::size_t count = state_->in.receive(descriptor(), 0);
    for (std::size_t i = 0; i < count; ++i) {
      const auto bytes = state_->in.received(i);
      if (bytes.size() < kLeastProbeSize) continue;
      ProbePayload payload = read_payload(bytes.data());
      if (payload.mark != kQuestionMark) continue;
      payload.mark = kAnswerMark;
      const auto answer = state_->in.packet(i).first(bytes.size());
      write_payload(answer.data(), payload);
      const SocketAddress& to = state_->in.sender(i);
      const ssize_t sent =
          ::sendto(descriptor(), answer.data(), answer.size(), 0, &to.any, length_of(to));
      if (sent == static_cast<ssize_t>(answer.size())) ++answered;
    }
    if (count < state_->in.capacity()) break;
  }
  return answered;
}

}  // namespace gedge
