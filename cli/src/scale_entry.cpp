// scale_entry.cpp - the running autoscaler, and one look at a live cluster, in the library of
// daemons.
#include <algorithm>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "event_log.hpp"
#include "gedge/io/api_client.hpp"
#include "gedge/io/wall_clock.hpp"
#include "gedge/version.hpp"
#include "report.hpp"
#include "scale_command.hpp"
#include "scale_run.hpp"
#include "server_access.hpp"
#include "term/diagnostics.hpp"

namespace gedge::cli {
namespace {

constexpr std::size_t kMostAnswer = std::size_t{16} << 20;  // of Prometheus

Result<std::unique_ptr<ApiTransport>> open_prometheus(const std::string& url, Io& io) {
  if (url.empty()) return std::unique_ptr<ApiTransport>();
  ApiEndpoint endpoint;
  endpoint.server = url;
  while (endpoint.server.ends_with('/')) endpoint.server.pop_back();
  endpoint.user_agent = "gedge/" + std::string(version()) + " (linux) autoscaler";
  ApiLimits limits;
  limits.most_body_bytes = kMostAnswer;
  auto client = ApiClient::open(std::move(endpoint), limits, {},
                                [&io](const Error& error) { print_error(io.err, error); });
  if (!client) {
    Error error = std::move(client).error();
    error.what = "cannot ask Prometheus at '" + url + "': " + error.what;
    return error;
  }
  return std::unique_ptr<ApiTransport>(*std::move(client));
}

bool asks_prometheus(const std::vector<Autoscaler>& autoscalers) {
  return std::any_of(autoscalers.begin(), autoscalers.end(), [](const Autoscaler& one) {
    return std::any_of(one.metrics.begin(), one.metrics.end(),
                       [](const MetricSpec& metric) { return metric.is_query; });
  });
}

Error at_place(const Autoscaler& autoscaler, const ScaleFacts& facts, std::string what,
               std::string hint) {
  Error error = invalid_input(std::move(what), {}, std::move(hint));
  const Place& place = autoscaler.place;
  if (place.file < facts.files.size()) error.where.origin = facts.files[place.file];
  error.where.line = static_cast<int>(place.line);
  error.where.column = static_cast<int>(place.column);
  return error;
}

// What was declared, if each has a workload of its own.
Errors check(const ScaleFacts& facts, const ScaleCommand& command) {
  Errors errors;
  std::set<std::string> seen;
  for (const Autoscaler& one : facts.autoscalers) {
    if (one.api_version != kShortAutoscaler)
      errors.push_back(at_place(one, facts, "a HorizontalPodAutoscaler belongs into the cluster",
                                "`kubectl apply -f FILE`, and leave out `-f`"));
    if (one.sites)
      errors.push_back(at_place(one, facts, "an autoscaler with sites is not for a live cluster",
                                "`gedge scale simulate` plays it; leave out `sites`"));
    const std::string workload =
        one.namespace_name.str() + "/" + one.target.kind + "/" + one.target.name;
    if (!seen.insert(workload).second)
      errors.push_back(at_place(one, facts, "another autoscaler scales " + workload + ", too",
                                "leave one of them out"));
  }
  if (errors.empty() && command.prometheus.empty() && asks_prometheus(facts.autoscalers))
    errors.push_back(invalid_input("a query, and nobody says where Prometheus is", {},
                                   "write for example `--prometheus http://prometheus:9090`"));
  return errors;
}

ScalerOptions scaler_options(const ScaleCommand& command) {
  ScalerOptions options;
  options.settings = command.live_settings();
  options.period = command.period;
  options.react = command.react;
  options.owns_objects = command.owns_objects;
  options.writes = !command.is_dry_run;
  return options;
}

// Nothing else needs to be looked at.
std::string only_namespace(const ScaleCommand& command, const ScaleFacts& facts) {
  if (command.owns_objects) return command.input.namespace_name;
  std::set<std::string> names;
  for (const Autoscaler& one : facts.autoscalers) names.insert(one.namespace_name.str());
  return names.size() == 1 ? *names.begin() : "";
}

ScaleLoopOptions loop_options(const ScaleCommand& command, const Io& io, int minor) {
  ScaleLoopOptions options;
  options.minor = minor;
  options.writes = !command.is_dry_run;
  options.is_one_pass = command.is_once;
  options.instance = options.controller + "-" + io.network->host_name();
  options.seed = io.network->random_key();
  if (command.elects) {
    const std::size_t slash = command.lease.find('/');
    LeaseOptions lease;
    lease.namespace_name = command.lease.substr(0, slash);
    lease.name = command.lease.substr(slash + 1);
    lease.identity = io.network->host_name() + "_" + std::to_string(options.seed);
    options.lease = std::move(lease);
  }
  return options;
}

std::optional<Exit> read_declared(ScaleCommand& command, const Server& server, Io& io,
                                  ScaleFacts& facts) {
  ScaleOptions reading = command;
  if (reading.input.namespace_name.empty()) reading.input.namespace_name = server.namespace_name;
  ProgressLine progress(io.err, command.output.quiet, io.clock);
  ScaleLoadResult loaded = read_scale_files(io, reading, command.input.files, progress);
  progress.erase();
  if (!loaded.facts) return fail(io, loaded.errors, command.output);
  report_input(io, loaded.warnings, loaded.skipped, command.output);
  facts = *std::move(loaded.facts);
  const Errors errors = check(facts, command);
  if (!errors.empty()) return fail(io, errors, command.output);
  if (facts.autoscalers.empty() && !command.owns_objects)
    return fail(io, invalid_input("no autoscaler in " + command.input.files.front(), {},
                                  "one has kind Autoscaler of gedge.io/v1alpha1"));
  return std::nullopt;
}

Exit run(ScaleCommand& command, const IpAddress& listen, Io& io) {
  std::optional<Watchdog> watchdog;  // until all of the below is gone
  if (command.elects)
    watchdog.emplace(io.clock, [] {
      end_at_once("gedge: error: the lease was lost, and the autoscaler hangs\n");
    });
  Server server;
  if (const auto failed = open_server(io, command.server, command.output, "autoscaler", server))
    return *failed;
  ScaleFacts facts;
  if (const auto failed = read_declared(command, server, io, facts)) return *failed;
  auto prometheus = open_prometheus(command.prometheus, io);
  if (!prometheus) return fail(io, prometheus.error());

  const SystemWallClock wall_clock;
  EventLog log(io.err, wall_clock, command.output.quiet);
  Scaler scaler(scaler_options(command));
  ScaleLoopOptions options = loop_options(command, io, server.minor);
  options.namespace_name = only_namespace(command, facts);
  for (Autoscaler& one : facts.autoscalers) scaler.put(std::move(one));
  ScaleRun run(std::move(scaler), *server.transport, prometheus->get(), wall_clock, options, io,
               log);
  if (watchdog) run.watch_lease(*watchdog);
  if (!command.is_once)
    if (const Status opened = run.listen(listen, command.guard); !opened)
      return fail(io, opened.error());
  return run.run();
}

// Reads what one look needs, and writes nothing.
void look(ScaleCommand& command, LiveScale& live, Io& io) {
  Server server;
  live.errors = find_server(io, command.server, "read", server, live.warnings);
  if (!live.errors.empty()) return;
  live.url = server.url;
  if (live.namespace_name.empty()) live.namespace_name = command.input.namespace_name;
  if (live.namespace_name.empty()) live.namespace_name = server.namespace_name;
  auto prometheus = open_prometheus(command.prometheus, io);
  if (!prometheus) {
    live.errors.push_back(std::move(prometheus).error());
    return;
  }
  command.owns_objects = command.is_dry_run = command.is_once = true;
  const SystemWallClock wall_clock;
  Scaler scaler(scaler_options(command));
  for (Autoscaler& one : live.facts.autoscalers) scaler.put(std::move(one));
  ScaleLoopOptions options = loop_options(command, io, server.minor);
  options.namespace_name = live.namespace_name;
  ScaleEvents events;
  events.failed = [&live](const Error& error) {
    live.warnings.push_back({"UnreadableObject", error.what, error.where});
  };
  ScaleLoop loop(std::move(scaler), *server.transport, prometheus->get(), io.clock, wall_clock,
                 options, std::move(events));
  if (Status ended = loop.run(); !ended) live.errors.push_back(std::move(ended).error());
  live.facts = {};
  if (const ScaleFacts* const facts = loop.scaler().facts(live.namespace_name)) live.facts = *facts;
  live.now = wall_clock.date();
}

}  // namespace
}  // namespace gedge::cli

extern "C" __attribute__((visibility("default"))) int gedge_run_scale(
    gedge::cli::ScaleCommand& command, const gedge::IpAddress& listen, gedge::cli::Io& io) {
  return static_cast<int>(gedge::cli::run(command, listen, io));
}

extern "C" __attribute__((visibility("default"))) int gedge_look_at_scale(
    gedge::cli::ScaleCommand& command, gedge::cli::LiveScale& live, gedge::cli::Io& io) {
  gedge::cli::look(command, live, io);
  return 0;
}
