// parse_address.hpp - addresses of machines, as users write them.
#pragma once

#include <optional>
#include <string>

#include "gedge/port/ip_address.hpp"

namespace gedge::cli {

/// "10.0.0.7", "fd00::7"; empty for anything else, a name too.
std::optional<IpAddress> parse_address(const std::string& text);

}  // namespace gedge::cli
