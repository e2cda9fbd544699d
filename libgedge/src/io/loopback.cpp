// Apart from the server, so that whoever only asks this links none of it.
#include <algorithm>

#include "gedge/io/http_server.hpp"

namespace gedge {

bool is_loopback(const IpAddress& address) {
  if (!address.is_v6) return address.bytes[0] == 127;
  return address.bytes.back() == 1 && std::all_of(address.bytes.begin(), address.bytes.end() - 1,
                                                  [](std::uint8_t byte) { return byte == 0; });
}

}  // namespace gedge
