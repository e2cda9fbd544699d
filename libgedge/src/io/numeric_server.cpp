#include "io/numeric_server.hpp"

#include <arpa/inet.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <string_view>

namespace gedge {
namespace {

constexpr std::uint16_t kHttps = 443;

bool is_plain(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
         c == '.' || c == '_' || c == '/';
}

std::optional<std::uint16_t> port_of(std::string_view text) {
  if (text.empty()) return kHttps;
  std::uint16_t port = 0;
  const char* const end = text.data() + text.size();
  const auto [rest, failed] = std::from_chars(text.data() + 1, end, port);
  const bool is_port = text.front() == ':' && failed == std::errc{} && rest == end && port != 0;
  return is_port ? std::optional(port) : std::nullopt;
}

bool is_loopback(const IpAddress& address) {
  if (!address.is_v6) return address.bytes[0] == 127;
  return std::all_of(address.bytes.begin(), address.bytes.end() - 1,
                     [](std::uint8_t byte) { return byte == 0; }) &&
         address.bytes[15] == 1;
}

// That of the environment is for other machines; which of them, libcurl knows.
bool has_proxy(const ApiEndpoint& endpoint, const IpAddress& address) {
  if (!endpoint.proxy.empty()) return true;
  if (is_loopback(address)) return false;
  return proxy_variable() != nullptr;
}

}  // namespace

const char* proxy_variable() {
  for (const char* const name : {"https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"})
    if (const char* const value = std::getenv(name); value != nullptr && *value != '\0')
      return name;
  return nullptr;
}

std::optional<NumericServer> numeric_server(const ApiEndpoint& endpoint) {
  constexpr std::string_view kScheme = "https://";
  std::string_view rest = endpoint.server;
  if (!rest.starts_with(kScheme)) return {};
  rest.remove_prefix(kScheme.size());
  const std::size_t slash = std::min(rest.find('/'), rest.size());
  const std::string_view authority = rest.substr(0, slash);
  std::string_view path = rest.substr(slash);
  while (path.ends_with('/')) path.remove_suffix(1);
  if (!std::all_of(path.begin(), path.end(), is_plain)) return {};

  NumericServer server;
  server.authority = authority;
  server.path = path;
  server.address.is_v6 = authority.starts_with('[');
  const std::size_t end = authority.find(server.address.is_v6 ? ']' : ':');
  const std::size_t first = server.address.is_v6 ? 1 : 0;
  if (server.address.is_v6 && end == std::string_view::npos) return {};
  server.host = authority.substr(first, std::min(end, authority.size()) - first);
  const std::size_t behind = std::min(end, authority.size()) + first;
  const auto port = port_of(authority.substr(std::min(behind, authority.size())));
  const int family = server.address.is_v6 ? AF_INET6 : AF_INET;
  if (!port || ::inet_pton(family, server.host.c_str(), server.address.bytes.data()) != 1)
    return {};
  server.address.port = *port;
  if (has_proxy(endpoint, server.address)) return {};
  return server;
}

}  // namespace gedge
