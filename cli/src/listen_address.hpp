// listen_address.hpp - where a daemon listens, as users write it.
#pragma once

#include <string>

#include "gedge/base/result.hpp"
#include "gedge/port/ip_address.hpp"
#include "gedge/port/probe_network.hpp"

namespace gedge::cli {

/// "127.0.0.1:8787", "[::1]:8787", "localhost:0". Errors: kInvalidInput; those of resolving.
Result<IpAddress> listen_address(const std::string& text, ProbeNetwork& network);

}  // namespace gedge::cli
