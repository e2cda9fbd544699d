// gedge/port/ip_address.hpp - where a packet goes to, without a header of the system.
#pragma once

#include <array>
#include <cstdint>

namespace gedge {

/// IPv4 in the first four bytes, or IPv6; in the order of the wire.
struct IpAddress {
  std::array<std::uint8_t, 16> bytes{};
  std::uint16_t port = 0;   ///< 0 where the protocol has none
  std::uint32_t scope = 0;  ///< the interface of a link-local IPv6 address
  bool is_v6 = false;

  friend bool operator==(const IpAddress&, const IpAddress&) = default;
};

/// Which addresses of a name are wanted.
enum class IpFamily : std::uint8_t { kAny, kV4, kV6 };

}  // namespace gedge
