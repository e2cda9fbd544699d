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
#include "lease_choice.hpp"
#include "scale_input.hpp"
#include "server_options.hpp"

namespace gedge::cli {

struct PrometheusOptions {
  std::string url;                  ///< empty: there is none
  std::string token_file, ca_file;  ///< empty: none, and what the system trusts
};

struct ScaleCommand : ScaleOptions {
  ServerOptions server;
  AgentGuard guard;  ///< of who asks at `listen`
  PrometheusOptions prometheus;
  bool owns_objects = false, is_dry_run = false, is_once = false;
  LeaseChoice lease{.usual = "gedge-system/gedge-autoscaler"};
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

/// --prometheus, --prometheus-token and --prometheus-ca.
void add_prometheus_flags(FlagSet& flags, PrometheusOptions& options);
/// Errors: of how they go together.
Status check_prometheus(const PrometheusOptions& options);

}  // namespace gedge::cli
