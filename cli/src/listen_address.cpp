#include "listen_address.hpp"

#include <charconv>

namespace gedge::cli {

Result<IpAddress> listen_address(const std::string& text, ProbeNetwork& network) {
  const Error wrong = invalid_input("'" + text + "' is no address to listen on", {},
                                    "write for example `127.0.0.1:8787` or `[::1]:8787`");
  const std::size_t colon = text.rfind(':');
  if (colon == std::string::npos) return wrong;
  std::string host = text.substr(0, colon);
  if (host.starts_with('[') && host.ends_with(']')) host = host.substr(1, host.size() - 2);
  std::uint16_t port = 0;
  const char* const end = text.data() + text.size();
  const auto [rest, failed] = std::from_chars(text.data() + colon + 1, end, port);
  if (host.empty() || failed != std::errc{} || rest != end) return wrong;
  auto address = network.resolve(host, IpFamily::kAny);
  if (address) address->port = port;
  return address;
}

}  // namespace gedge::cli
