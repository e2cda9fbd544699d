#include "gedge/io/udp_echo.hpp"

#include <algorithm>
#include <cerrno>

#include "io/answer_probes.hpp"
#include "io/descriptor.hpp"
#include "io/system_error.hpp"

namespace gedge {
namespace {

// Small, because a process may hold a thousand of these.
constexpr std::size_t kBatch = 16, kMostBytes = 2'048, kMostBatches = 256;
constexpr int kReceiveBuffer = 4 << 20;

bool is_any(const IpAddress& address) {
  return std::all_of(address.bytes.begin(), address.bytes.end(),
                     [](std::uint8_t byte) { return byte == 0; });
}

// A machine has several addresses, and whoever asked one of them takes an answer from no other.
void ask_for_own_address(int fd, bool v6) {
  const int yes = 1;
  static_cast<void>(v6 ? ::setsockopt(fd, IPPROTO_IPV6, IPV6_RECVPKTINFO, &yes, sizeof yes)
                       : ::setsockopt(fd, IPPROTO_IP, IP_PKTINFO, &yes, sizeof yes));
}

}  // namespace

struct UdpEcho::State {
  State(Descriptor fd, bool with_control)
      : socket(std::move(fd)), in(kBatch, kMostBytes, with_control) {}
  Descriptor socket;
  PacketBatch in;
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
  const bool any = is_any(listen);
  if (any) ask_for_own_address(socket.get(), listen.is_v6);
  return UdpEcho(std::make_unique<State>(std::move(socket), any));
}

IpAddress UdpEcho::address() const {
  SocketAddress address{};
  socklen_t length = sizeof address;
  static_cast<void>(::getsockname(state_->socket.get(), &address.any, &length));
  return from_socket_address(address);
}

int UdpEcho::descriptor() const { return state_->socket.get(); }

std::size_t UdpEcho::answer() { return answer_probes(descriptor(), state_->in, kMostBatches); }

}  // namespace gedge
