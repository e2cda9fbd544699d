// extender_entry.cpp - the running extender, in the library of daemons.
#include <csignal>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "begin_daemon.hpp"
#include "daemon_input.hpp"
#include "event_log.hpp"
#include "extender_command.hpp"
#include "freed_memory.hpp"
#include "gedge/codec/ip_text.hpp"
#include "gedge/drive/api_cluster.hpp"
#include "gedge/drive/extender_desk.hpp"
#include "gedge/io/http_server.hpp"
#include "gedge/io/wall_clock.hpp"
#include "input.hpp"
#include "report.hpp"
#include "serve_beside.hpp"
#include "server_access.hpp"

namespace gedge::cli {
namespace {

// kube-scheduler keeps connections for 90 s: whoever closes first must not be the server, or a
// request that is on its way is lost.
constexpr Nanos kIdle{120'000'000'000};
// A minute less the second for which a look at it counts.
constexpr Nanos kMostAge{59'000'000'000};
// One process asks, over as many connections as it has pods to bind.
constexpr std::size_t kMostConnections = 128;

std::string text_of(const PodName& pod) { return pod.namespace_name + "/" + pod.name; }

Result<Extender> make_extender(const ExtenderCommand& command, DaemonInput& given) {
  LiveOptions options;
  for (Profile& profile : given.rules.profiles) {
    auto kept = extender_profile(std::move(profile));
    if (!kept) return std::move(kept).error();
    options.profiles.push_back(*std::move(kept));
  }
  options.rtt_by = command.input.rtt_by;
  options.seed = command.rules.seed;
  options.modules = given.rules.modules.get();
  LiveCluster cluster(std::move(options));
  cluster.put(std::move(given.facts));
  cluster.put(std::move(given.rtt));
  return Extender(std::move(cluster));
}

ApiClusterOptions cluster_options(const ExtenderCommand& command, const Io& io, int minor) {
  ApiClusterOptions options;
  options.minor = minor;
  options.load.compat = command.rules.compat();
  options.events = EventsTold::kNone;  // kube-scheduler tells
  options.tells_conditions = false;
  options.seed = io.network->random_key();
  options.reflector.most_age = kMostAge;
  if (command.input.rtt.empty()) options.latency = rtt_options(command.input);
  return options;
}

ExtenderEvents events_to(EventLog& log) {
  ExtenderEvents events;
  events.synced = [&log] { log.event("synced", {}); };
  events.bound = [&log](const BindRequest& bind) {
    log.event("bound", {{"pod", text_of(bind.pod)}, {"node", bind.node}});
  };
  events.not_bound = [&log](const BindRequest& bind, const std::string& why) {
    log.event("not-bound", {{"pod", text_of(bind.pod)}, {"node", bind.node}, {"why", why}});
  };
  events.failed = [&log](const Error& error) { log.failed(error); };
  events.recovered = [&log] { log.recovered(); };
  return events;
}

Exit serve(const ExtenderCommand& command, const IpAddress& listen, ExtenderDesk& desk,
           bool follows, Io& io, EventLog& log) {
  HttpServerOptions options;
  options.listen = listen;
  options.most_body_bytes = command.max_body;
  options.most_connections = options.most_of_a_peer = kMostConnections;
  options.idle_timeout = kIdle;
  options.stops_on_signals = true;
  auto server = open_http_server(std::move(options), desk.service());
  if (!server) return fail(io, server.error());
  log.event("listening", {{"address", to_text_with_port((*server)->address())}});
  let_go_of_code();
  Status ended;
  const int signal = follows ? serve_beside(
                                   **server, [&] { ended = desk.run(); }, [&] { desk.stop(); })
                             : (*server)->run();
  log.event("stopped", {{"calls", std::to_string(desk.facts().counts.filters)}});
  if (!ended) return fail(io, ended.error());
  return signal == SIGINT ? Exit::kInterrupted : Exit::kYes;
}

Exit run(ExtenderCommand& command, const IpAddress& listen, Io& io) {
  const bool follows = command.input.cluster.empty();
  const SystemWallClock wall_clock;
  EventLog log(io.err, wall_clock, command.output);
  Server server;
  if (follows) {
    if (const auto failed =
            open_server(io, command.server, command.output, "extender", server, &log))
      return *failed;
    if (!command.rules.asked_compat) command.rules.asked_compat = compat_of_server(server.minor);
  }
  DaemonInput given;
  if (const auto failed =
          read_daemon_input(io, command.input, command.rules, command.output, !follows, given))
    return *failed;
  auto extender = make_extender(command, given);
  if (!extender) return fail(io, extender.error());

  std::optional<ApiCluster> cluster;
  if (follows)
    cluster.emplace(*server.transport, io.clock, wall_clock,
                    cluster_options(command, io, server.minor));
  ExtenderDeskOptions options;
  options.compat = command.rules.compat();
  options.binds = command.binds;
  if (cluster) options.unsynced = [&cluster] { return cluster->unsynced(); };
  ExtenderDesk desk(*std::move(extender), cluster ? &*cluster : nullptr, io.clock, options,
                    events_to(log));
  return serve(command, listen, desk, follows, io, log);
}

}  // namespace
}  // namespace gedge::cli

extern "C" __attribute__((visibility("default"))) int gedge_run_extender(
    gedge::cli::ExtenderCommand& command, const gedge::IpAddress& listen, gedge::cli::Io& io) {
  gedge::cli::begin_daemon(io);
  return static_cast<int>(gedge::cli::run(command, listen, io));
}
