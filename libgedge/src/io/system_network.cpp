#include "gedge/io/system_network.hpp"

#include <netdb.h>
#include <sys/random.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <random>
#include <tuple>

#include "io/links.hpp"
#include "io/socket_address.hpp"

namespace gedge {
namespace {

Error unresolved(const std::string& host, int code) {
  const std::string quoted = '\'' + host + '\'';
  switch (code) {
    case EAI_AGAIN:
      return {Errc::kTimeout,
              "nobody could say what address " + quoted + " has",
              {},
              "give an address, or check the name servers in /etc/resolv.conf"};
    case EAI_NONAME:
    case EAI_NODATA:
    case EAI_ADDRFAMILY:
    case EAI_FAMILY:
    case EAI_FAIL:
      return {Errc::kNotFound, "no address of " + quoted + " is known", {}, {}};
    default:
      return {Errc::kNotFound,
              "no address of " + quoted + " is known: " + ::gai_strerror(code),
              {},
              {}};
  }
}

}  // namespace

Refusal refusal_of(int error_number) {
  switch (error_number) {
    case ENETUNREACH:
    case EHOSTUNREACH:
    case ENETDOWN:
    case EHOSTDOWN:
    case EADDRNOTAVAIL:
    case ETIMEDOUT:
      return Refusal::kUnreachable;
    case ECONNREFUSED:
      return Refusal::kClosed;
    case EPERM:
    case EACCES:
      return Refusal::kForbidden;
    case EMSGSIZE:
      return Refusal::kTooLarge;
    case EAGAIN:
    case ENOBUFS:
    case ENOMEM:
    case EMFILE:
    case ENFILE:
      return Refusal::kNoRoom;
    default:
      return Refusal::kOther;
  }
}

Result<IpAddress> SystemNetwork::resolve(const std::string& host, IpFamily family) {
  addrinfo wanted{};
  wanted.ai_family = family == IpFamily::kV4   ? AF_INET
                     : family == IpFamily::kV6 ? AF_INET6
                                               : AF_UNSPEC;
  wanted.ai_socktype = SOCK_DGRAM;
  addrinfo* found = nullptr;
  if (const int code = ::getaddrinfo(host.c_str(), nullptr, &wanted, &found); code != 0)
    return unresolved(host, code);
  SocketAddress address{};
  std::memcpy(&address, found->ai_addr, std::min<std::size_t>(found->ai_addrlen, sizeof address));
  ::freeaddrinfo(found);
  return from_socket_address(address);
}

Result<std::vector<IpAddress>> SystemNetwork::addresses_of(const std::string& host) {
  addrinfo wanted{};
  wanted.ai_socktype = SOCK_DGRAM;
  addrinfo* found = nullptr;
  if (const int code = ::getaddrinfo(host.c_str(), nullptr, &wanted, &found); code != 0)
    return unresolved(host, code);
  std::vector<IpAddress> addresses;
  for (const addrinfo* at = found; at != nullptr; at = at->ai_next) {
    SocketAddress address{};
    std::memcpy(&address, at->ai_addr, std::min<std::size_t>(at->ai_addrlen, sizeof address));
    addresses.push_back(from_socket_address(address));
  }
  ::freeaddrinfo(found);
  const auto key = [](const IpAddress& a) { return std::tie(a.is_v6, a.bytes, a.scope); };
  std::sort(addresses.begin(), addresses.end(),
            [&](const IpAddress& a, const IpAddress& b) { return key(a) < key(b); });
  addresses.erase(std::unique(addresses.begin(), addresses.end()), addresses.end());
  return addresses;
}

Result<std::unique_ptr<ProbeLink>> SystemNetwork::open(LinkRequest request) {
  if (request.targets.empty()) return invalid_input("nothing to probe");
  if (request.method == ProbeMethod::kTcp) return open_tcp_link(request);
  if (request.method == ProbeMethod::kHttp || request.method == ProbeMethod::kHttps)
    return open_http_link(request);
  if (request.size < kLeastProbeSize || request.size > kMostProbeSize)
    return invalid_input("a probe of " + std::to_string(request.size) + " bytes", {},
                         "a probe has " + std::to_string(kLeastProbeSize) + " to " +
                             std::to_string(kMostProbeSize) + " bytes");
  return open_datagram_link(request);
}

std::string SystemNetwork::host_name() const {
  std::array<char, 256> name{};
  if (::gethostname(name.data(), name.size() - 1) != 0) return "localhost";
  return name.data();
}

std::uint64_t SystemNetwork::random_key() {
  std::uint64_t key = 0;
  if (::getrandom(&key, sizeof key, 0) == sizeof key) return key;
  std::random_device dice;
  return (std::uint64_t{dice()} << 32) | dice();
}

}  // namespace gedge
