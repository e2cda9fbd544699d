// gedge/io/names.hpp - every address of a name.
#pragma once

#include <string>
#include <vector>

#include "gedge/base/result.hpp"
#include "gedge/port/ip_address.hpp"

namespace gedge {

/// Sorted, each once; a headless Service has one a pod. Errors: kNotFound; kTimeout (nobody
/// answered). Blocks for as long as the system's resolver does.
Result<std::vector<IpAddress>> addresses_of(const std::string& host);

}  // namespace gedge
