// agent_lookup.hpp - asks who the peers of `gedge agent` are, beside what it does meanwhile.
#pragma once

#include <functional>
#include <future>
#include <optional>
#include <stop_token>
#include <utility>

#include "agent_source.hpp"

namespace gedge::cli {

/// One look-up at a time, for one thread: name servers may take their time, and probes may not.
class AgentLookup {
 public:
  using Find = std::function<Result<FoundTargets>(const std::stop_token&)>;

  explicit AgentLookup(Find find) : find_(std::move(find)) {}
  /// What is under way ends with the name that it asks for.
  ~AgentLookup() { stop_.request_stop(); }
  AgentLookup(const AgentLookup&) = delete;
  AgentLookup& operator=(const AgentLookup&) = delete;

  /// Waits for what it finds.
  Result<FoundTargets> find() { return find_(stop_.get_token()); }
  /// Never waits: begins a look-up in a thread of its own where none is under way. Empty until that
  /// is over.
  std::optional<Result<FoundTargets>> poll();

 private:
  Find find_;
  std::stop_source stop_;
  std::future<Result<FoundTargets>> found_;  // last: it is waited for before the others go
};

}  // namespace gedge::cli
