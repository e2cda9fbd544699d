#include "io/socket_options.hpp"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

namespace gedge {
namespace {

// A peer that does not confirm within `kUserTimeoutMs` is gone; it is asked after 5 s of silence.
constexpr int kKeepIdle = 5, kKeepInterval = 3, kKeepCount = 3;
constexpr unsigned kUserTimeoutMs = 12'000;

}  // namespace

void notice_dead_peers(int socket) {
  const int on = 1;
  ::setsockopt(socket, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof on);
  ::setsockopt(socket, IPPROTO_TCP, TCP_KEEPIDLE, &kKeepIdle, sizeof kKeepIdle);
  ::setsockopt(socket, IPPROTO_TCP, TCP_KEEPINTVL, &kKeepInterval, sizeof kKeepInterval);
  ::setsockopt(socket, IPPROTO_TCP, TCP_KEEPCNT, &kKeepCount, sizeof kKeepCount);
  ::setsockopt(socket, IPPROTO_TCP, TCP_USER_TIMEOUT, &kUserTimeoutMs, sizeof kUserTimeoutMs);
}

}  // namespace gedge
