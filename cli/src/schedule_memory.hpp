// schedule_memory.hpp - `gedge schedule --cluster FILE`: a cluster in memory, with controllers and
// kubelets, on the clock of this machine.
#pragma once

#include <string>
#include <vector>

#include "event_log.hpp"
#include "gedge/io/steady_pace.hpp"
#include "gedge/sim/cluster_link.hpp"
#include "gedge/sim/world.hpp"
#include "schedule_command.hpp"

namespace gedge::cli {

/// Whose pods there are, by schedulerName; sorted.
std::vector<std::string> scheduler_names(const Facts& facts);

class MemoryCluster {
 public:
  MemoryCluster(Facts facts, RttMatrix rtt, Compat compat, const ScheduleCommand& command);

  ClusterLink& link() { return link_; }
  /// What has happened in it since the last call, but for what the scheduler itself tells.
  void tell_events(EventLog& log);

 private:
  SteadyPace pace_;
  SimWorld world_;
  SimLink link_;
};

}  // namespace gedge::cli
