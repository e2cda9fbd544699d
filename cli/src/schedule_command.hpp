// schedule_command.hpp - what `gedge schedule` was told, and the part of it that runs.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "agent_guard.hpp"
#include "gedge/drive/api_cluster.hpp"
#include "gedge/port/ip_address.hpp"
#include "io.hpp"
#include "lease_choice.hpp"
#include "options.hpp"
#include "server_options.hpp"

namespace gedge::cli {

struct ScheduleCommand {
  InputOptions input;  ///< with a cluster: one in memory
  RuleOptions rules;
  OutputOptions output;
  ServerOptions server;
  AgentGuard guard;  ///< of who asks at `listen`
  std::vector<std::string> names;
  EventsTold events = EventsTold::kAll;
  bool watches = false, is_dry_run = false;
  LeaseChoice lease{.usual = "gedge-system/gedge-scheduler"};
  std::string listen = "127.0.0.1:8788";
  std::uint64_t max_binds = 100;
  Nanos churn{0};  ///< in memory: something happens about that often; 0: nothing by itself
};

/// In the library of daemons. `command` is checked.
using RunSchedule = int (*)(ScheduleCommand&, const IpAddress& listen, Io&);
inline constexpr const char* kRunSchedule = "gedge_run_schedule";

}  // namespace gedge::cli
