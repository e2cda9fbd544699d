// io/numeric_server.hpp - servers that are named by their address, as most API servers are by those
// who run beside them.
#pragma once

#include <optional>
#include <string>

#include "gedge/port/api_endpoint.hpp"
#include "gedge/port/ip_address.hpp"

namespace gedge {

struct NumericServer {
  IpAddress address;
  std::string host;       // as text, without brackets
  std::string authority;  // as the URL has it
  std::string path;       // before every target; no slash at its end
};

/// Empty for what is not exactly https://ADDRESS[:PORT][/PATH], or is behind a proxy, so that
/// libcurl has to say what is meant.
std::optional<NumericServer> numeric_server(const ApiEndpoint& endpoint);

/// Of the environment, the variable that names a proxy to servers with TLS; null: none does.
const char* proxy_variable();

}  // namespace gedge
