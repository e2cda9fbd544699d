#include "parse_address.hpp"

#include <arpa/inet.h>

namespace gedge::cli {

std::optional<IpAddress> parse_address(const std::string& text) {
  IpAddress address;
  if (::inet_pton(AF_INET, text.c_str(), address.bytes.data()) == 1) return address;
  address.is_v6 = ::inet_pton(AF_INET6, text.c_str(), address.bytes.data()) == 1;
  return address.is_v6 ? std::optional(address) : std::nullopt;
}

}  // namespace gedge::cli
