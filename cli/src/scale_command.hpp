// scale_command.hpp - what `gedge scale run` was told, and the parts of it and of `gedge scale
// explain` that ask a live cluster.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "agent_guard.hpp"
#include "gedge/codec/autoscaling.hpp"
#include "gedge/port/ip_address.hpp"
#include "io.hpp"
#include "scale_input.hpp"
#include "server_options.hpp"

namespace gedge::cli {

struct ScaleCommand : ScaleOptions {
  ServerOptions server;
  AgentGuard guard;        ///< of who asks at `listen`
  std::string prometheus;  ///< URL; empty: there is none
  bool owns_objects = false, is_dry_run = false, is_once = false, elects = false;
  std::string lease = "gedge-system/gedge-autoscaler";
  std::string listen = "127.0.0.1:8790";
  Nanos period = std::chrono::seconds(15);
  Nanos react = std::chrono::seconds(1);
  Nanos max_age = std::chrono::seconds(120);

  /// --max-age is what is used.
  ScaleSettings live_settings() const;
};

/// In the library of daemons. `command` is checked.
using RunScale = int (*)(ScaleCommand&, const IpAddress& listen, Io&);
inline constexpr const char* kRunScale = "gedge_run_scale";

/// What one look at a namespace of a live cluster sees; nothing is written.
struct LiveScale {
  std::string url;
  std::string namespace_name;  ///< of the name, else of the context
  ScaleFacts facts;
  UnixSeconds now = 0;
  std::vector<Warning> warnings;
  Errors errors;  ///< if there are any, nothing else counts
};
using LookAtScale = int (*)(ScaleCommand&, LiveScale&, Io&);
inline constexpr const char* kLookAtScale = "gedge_look_at_scale";

/// --prometheus.
void add_prometheus_flag(FlagSet& flags, std::string& url);

}  // namespace gedge::cli
