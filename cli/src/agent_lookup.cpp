#include "agent_lookup.hpp"

#include <chrono>

namespace gedge::cli {

// Where the system has no thread to give, the look-up is deferred: get() does it then.
std::optional<Result<FoundTargets>> AgentLookup::poll() {
  constexpr auto kAny = std::launch::async | std::launch::deferred;
  if (!found_.valid()) found_ = std::async(kAny, [this] { return find(); });
  if (found_.wait_for(std::chrono::seconds(0)) == std::future_status::timeout) return std::nullopt;
  return found_.get();
}

}  // namespace gedge::cli
