// io/socket_address.hpp - addresses as the system's calls take them.
#pragma once

#include <netinet/in.h>
#include <sys/socket.h>

#include <array>
#include <cstring>

#include "gedge/port/ip_address.hpp"

namespace gedge {

/// Room for either family; the calls are told how much of it counts.
union SocketAddress {
  sockaddr any;
  sockaddr_in v4;
  sockaddr_in6 v6;
};

inline socklen_t length_of(const SocketAddress& address) {
  return address.any.sa_family == AF_INET6 ? sizeof address.v6 : sizeof address.v4;
}

inline SocketAddress to_socket_address(const IpAddress& address) {
  SocketAddress out{};
  if (address.is_v6) {
    out.v6 = {};
    out.v6.sin6_family = AF_INET6;
    out.v6.sin6_port = htons(address.port);
    out.v6.sin6_scope_id = address.scope;
    std::memcpy(&out.v6.sin6_addr, address.bytes.data(), sizeof out.v6.sin6_addr);
    return out;
  }
  out.v4.sin_family = AF_INET;
  out.v4.sin_port = htons(address.port);
  std::memcpy(&out.v4.sin_addr, address.bytes.data(), sizeof out.v4.sin_addr);
  return out;
}

/// IPv4 addresses that are written as IPv6 ones become IPv4 again.
inline IpAddress from_socket_address(const SocketAddress& address) {
  IpAddress out;
  if (address.any.sa_family == AF_INET) {
    out.port = ntohs(address.v4.sin_port);
    std::memcpy(out.bytes.data(), &address.v4.sin_addr, sizeof address.v4.sin_addr);
    return out;
  }
  out.port = ntohs(address.v6.sin6_port);
  if (IN6_IS_ADDR_V4MAPPED(&address.v6.sin6_addr)) {
    std::memcpy(out.bytes.data(), address.v6.sin6_addr.s6_addr + 12, 4);
    return out;
  }
  out.is_v6 = true;
  out.scope = address.v6.sin6_scope_id;
  std::memcpy(out.bytes.data(), &address.v6.sin6_addr, sizeof address.v6.sin6_addr);
  return out;
}

/// Whether a packet that came from `from` is one of `target`. `with_port`: of that port too.
inline bool came_from(const SocketAddress& from, const SocketAddress& target, bool with_port) {
  if (from.any.sa_family != target.any.sa_family) return false;
  if (from.any.sa_family == AF_INET)
    return from.v4.sin_addr.s_addr == target.v4.sin_addr.s_addr &&
           (!with_port || from.v4.sin_port == target.v4.sin_port);
  return std::memcmp(&from.v6.sin6_addr, &target.v6.sin6_addr, sizeof from.v6.sin6_addr) == 0 &&
         (!with_port || from.v6.sin6_port == target.v6.sin6_port);
}

}  // namespace gedge
