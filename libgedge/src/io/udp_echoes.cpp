#include "gedge/io/udp_echoes.hpp"

#include <cerrno>
#include <string>

#include "io/answer_probes.hpp"
#include "io/descriptor.hpp"
#include "io/system_error.hpp"

namespace gedge {
namespace {

constexpr std::size_t kMostBytes = 2'048;

Error cannot_listen(const IpAddress& address, int error_number) {
  Error error =
      system_error("cannot listen on", "UDP port " + std::to_string(address.port), error_number);
  if (error_number == EMFILE)
    error.hint = "each address needs an open file: raise the limit with `ulimit -n`";
  return error;
}

Result<Descriptor> open_echo(IpAddress& address) {
  SocketAddress own = to_socket_address(address);
  socklen_t length = length_of(own);
  Descriptor socket(::socket(own.any.sa_family, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!socket || ::bind(socket.get(), &own.any, length) != 0 ||
      ::getsockname(socket.get(), &own.any, &length) != 0)
    return cannot_listen(address, errno);
  address = from_socket_address(own);
  return socket;
}

}  // namespace

struct UdpEchoes::State {
  std::vector<Descriptor> sockets;
  std::vector<IpAddress> addresses;  // [sockets]
  PacketBatch in{1, kMostBytes, false};
};

UdpEchoes::UdpEchoes(std::unique_ptr<State> state) : state_(std::move(state)) {}
UdpEchoes::UdpEchoes(UdpEchoes&&) noexcept = default;
UdpEchoes::~UdpEchoes() = default;

Result<UdpEchoes> UdpEchoes::open(const std::vector<IpAddress>& listen) {
  auto state = std::make_unique<State>();
  state->addresses = listen;
  for (IpAddress& address : state->addresses) {
    auto socket = open_echo(address);
    if (!socket) return std::move(socket).error();
    state->sockets.push_back(*std::move(socket));
  }
  return UdpEchoes(std::move(state));
}

const std::vector<IpAddress>& UdpEchoes::addresses() const { return state_->addresses; }

bool UdpEchoes::answer(std::size_t place) {
  return answer_probes(state_->sockets[place].get(), state_->in, 1) > 0;
}

}  // namespace gedge
