#include "io/socket_options.hpp"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <cstdint>

namespace gedge {
namespace {

constexpr int kKeepIdle = 5, kKeepInterval = 3, kKeepCount = 3;
constexpr std::int64_t kNanosInMilli = 1'000'000;

}  // namespace

void notice_dead_peers(int socket, Nanos unconfirmed) {
  const auto milliseconds = static_cast<unsigned>(unconfirmed.count() / kNanosInMilli);
  const int on = 1;
  ::setsockopt(socket, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof on);
  ::setsockopt(socket, IPPROTO_TCP, TCP_KEEPIDLE, &kKeepIdle, sizeof kKeepIdle);
  ::setsockopt(socket, IPPROTO_TCP, TCP_KEEPINTVL, &kKeepInterval, sizeof kKeepInterval);
  ::setsockopt(socket, IPPROTO_TCP, TCP_KEEPCNT, &kKeepCount, sizeof kKeepCount);
  ::setsockopt(socket, IPPROTO_TCP, TCP_USER_TIMEOUT, &milliseconds, sizeof milliseconds);
}

Nanos unconfirmed_on(ApiLane lane, const ApiLimits& limits) {
  const bool writes = lane == ApiLane::kWrite || lane == ApiLane::kEvent;
  return writes ? limits.unconfirmed_write : limits.unconfirmed;
}

}  // namespace gedge
