// agent_log.hpp - what an agent says of its peers.
#pragma once

#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "event_log.hpp"
#include "gedge/base/error.hpp"
#include "gedge/control/agent.hpp"

namespace gedge::cli {

/// From any thread. Bounded by what changes: a peer that is silent for a year is one line.
class AgentLog : public EventLog {
 public:
  using EventLog::EventLog;

  /// Names that no address is known of; each is told once until it has one.
  void left_out(const Errors& names);
  /// Who answers that did not, and the reverse.
  void compare(const std::vector<TargetReport>& reports);

 private:
  std::map<std::pair<AgentTargetKind, std::string>, bool> answers_;
  std::set<std::string> left_out_;
};

}  // namespace gedge::cli
