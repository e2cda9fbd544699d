// user_agent.hpp - what the logs of servers call us.
#pragma once

#include <string>
#include <string_view>

namespace gedge::cli {

/// "gedge/0.1.0 (linux/amd64) schedule": the architecture as Go and Kubernetes call it.
std::string user_agent(std::string_view component);

}  // namespace gedge::cli
