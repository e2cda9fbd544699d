// gedge/codec/ip_text.hpp - addresses as people write them.
#pragma once

#include <string>

#include "gedge/port/ip_address.hpp"

namespace gedge {

/// "10.0.0.7", "fd00::7" (RFC 5952); without port and scope.
std::string to_text(const IpAddress& address);
/// With the port: "10.0.0.7:8787", "[fd00::7]:8787".
std::string to_text_with_port(const IpAddress& address);

}  // namespace gedge
