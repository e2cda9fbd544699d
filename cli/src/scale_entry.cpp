// scale_entry.cpp - the running autoscaler, and one look at a live cluster, in the library of
// daemons.
#include <algorithm>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "begin_daemon.hpp"
#include "event_log.hpp"
#include "gedge/base/secret.hpp"
#include "gedge/codec/scale_requests.hpp"
#include "gedge/drive/api_call.hpp"
#include "gedge/drive/resize_workload.hpp"
#include "gedge/io/api_client.hpp"
#include "gedge/io/wall_clock.hpp"
#include "report.hpp"
#include "scale_command.hpp"
#include "scale_run.hpp"
#include "server_access.hpp"
#include "site_source.hpp"
#include "user_agent.hpp"

namespace gedge::cli {
namespace {

constexpr std::size_t kMostAnswer = std::size_t{16} << 20;  // of Prometheus
constexpr std::uint64_t kMostFile = 1 << 20;                // of a token, or certificates
constexpr std::string_view kBlanks = " \t\r\n";

Result<Secret> read_token(const std::string& path, Io& io) {
  auto bytes = io.files.read(path, kMostFile);
  if (!bytes) return std::move(bytes).error();
  const Secret whole(*std::move(bytes));
  const std::string_view text = whole.reveal();
  const std::size_t first = text.find_first_not_of(kBlanks);
  if (first == std::string_view::npos)
    return invalid_input("the file '" + path + "' of the token is empty");
  return Secret(std::string(text.substr(first, text.find_last_not_of(kBlanks) - first + 1)));
}

// The client reads both files again as they change.
Status read_prometheus_files(const PrometheusOptions& options, Io& io, ApiEndpoint& endpoint) {
  if (!options.token_file.empty()) {
    auto token = read_token(options.token_file, io);
    if (!token) return std::move(token).error();
    endpoint.identity.token = *std::move(token);
  }
  if (options.ca_file.empty()) return {};
  auto trusted = io.files.read(options.ca_file, kMostFile);
  if (!trusted) return std::move(trusted).error();
  endpoint.trusted = *std::move(trusted);
  return {};
}

// An error does not repeat the URL, which may hold a password.
Result<std::unique_ptr<ApiTransport>> open_prometheus(const PrometheusOptions& options, Io& io,
                                                      EventLog* log) {
  if (options.url.empty()) return std::unique_ptr<ApiTransport>();
  ApiEndpoint endpoint;
  endpoint.server = options.url;
  while (endpoint.server.ends_with('/')) endpoint.server.pop_back();
  endpoint.user_agent = user_agent("autoscaler");
  GEDGE_TRY(read_prometheus_files(options, io, endpoint));
  ApiLimits limits;
  limits.most_body_bytes = kMostAnswer;
  CredentialSource credentials;
  credentials.files.token = options.token_file;
  credentials.files.trusted = options.ca_file;
  auto client = ApiClient::open(std::move(endpoint), limits, std::move(credentials),
                                credential_notice(io, log));
  if (!client) {
    Error error = std::move(client).error();
    error.what = "cannot ask Prometheus: " + error.what;
    return error;
  }
  return std::unique_ptr<ApiTransport>(*std::move(client));
}

// Short autoscalers need no server that has others.
Result<std::string> find_autoscaling(ApiTransport& transport, bool wants_objects) {
  const auto answer = call(transport, codec::autoscaling_request());
  if (!answer) return answer.error();
  auto version = codec::autoscaling_version(*answer);
  const bool has_none = !version && version.error().code == Errc::kNotFound;
  if (has_none && !wants_objects) return std::string(codec::kAutoscalingV2);
  return version;
}

bool asks_prometheus(const std::vector<Autoscaler>& autoscalers) {
  return std::any_of(autoscalers.begin(), autoscalers.end(), [](const Autoscaler& one) {
    return std::any_of(one.metrics.begin(), one.metrics.end(),
                       [](const MetricSpec& metric) { return metric.is_query; });
  });
}

bool has_sites(const ScaleFacts& facts) {
  return std::any_of(facts.autoscalers.begin(), facts.autoscalers.end(),
                     [](const Autoscaler& one) { return one.sites.has_value(); });
}

Error at_place(const Autoscaler& autoscaler, const ScaleFacts& facts, std::string what,
               std::string hint) {
  Error error = invalid_input(std::move(what), {}, std::move(hint));
  error.where.line = static_cast<int>(autoscaler.place.line);
  error.where.column = static_cast<int>(autoscaler.place.column);
  return in_file(std::move(error), autoscaler, facts);
}

// Metrics that count pods would have to know how large each of them is.
bool is_of_all(const MetricSpec& metric) {
  const bool counts_pods =
      metric.kind != MetricKind::kObject && metric.kind != MetricKind::kExternal;
  return !counts_pods && metric.target == TargetKind::kAverageValue;
}

void check_growth(const Autoscaler& one, const ScaleFacts& facts, Errors& errors) {
  const GrowRule& up = one.sites->up;
  if (up.resource.empty()) return;
  if (up.resource != kCpu && up.resource != kMemory)
    errors.push_back(at_place(one, facts,
                              "replicas of a live cluster do not grow by " + up.resource,
                              "they do by cpu or by memory"));
  if (!std::all_of(one.metrics.begin(), one.metrics.end(), is_of_all))
    errors.push_back(at_place(one, facts, "replicas that grow need metrics of all of them together",
                              "a query, an external metric or that of an object, with an "
                              "`average`; or leave out `up`"));
}

// Sites of a live cluster: each has a workload.
void check_sites(const Autoscaler& one, const ScaleFacts& facts, Errors& errors) {
  const SiteRules& rules = *one.sites;
  for (std::size_t site = 1; site < rules.order.size(); ++site)
    if (site >= rules.workloads.size() || rules.workloads[site].empty())
      errors.push_back(at_place(one, facts, "site '" + rules.order[site] + "' has no workload",
                                "say what runs there: `workloads: {" + rules.order[site] + ": " +
                                    one.target.name + "-" + rules.order[site] + "}`"));
  check_growth(one, facts, errors);
  if (rules.choice == SiteChoice::kDemand && rules.demand_label.empty())
    errors.push_back(at_place(one, facts, "nobody says from where a live cluster is asked",
                              "name a label of the metric: `demandLabel: site`; or write "
                              "`choose: order`"));
}

// What was declared, if each has a workload of its own.
Errors check(const ScaleFacts& facts, const ScaleCommand& command) {
  Errors errors;
  std::set<std::string> seen;
  for (const Autoscaler& one : facts.autoscalers) {
    if (one.api_version != kShortAutoscaler)
      errors.push_back(at_place(one, facts, "a HorizontalPodAutoscaler belongs into the cluster",
                                "`kubectl apply -f FILE`, and leave out `-f`"));
    if (one.sites) check_sites(one, facts, errors);
    for (const ObjectName& own : site_workloads(one)) {
      const std::string workload = one.namespace_name.str() + "/" + own.kind + "/" + own.name;
      if (!seen.insert(workload).second)
        errors.push_back(at_place(one, facts, "another autoscaler scales " + workload + ", too",
                                  "leave one of them out"));
    }
  }
  if (errors.empty() && command.prometheus.url.empty() && asks_prometheus(facts.autoscalers))
    errors.push_back(invalid_input("a query, and nobody says where Prometheus is", {},
                                   "write for example `--prometheus http://prometheus:9090`"));
  return errors;
}

bool grows(const Autoscaler& one) { return one.sites && !one.sites->up.resource.empty(); }

bool resizes_in_place(const ScaleFacts& facts) {
  return std::any_of(facts.autoscalers.begin(), facts.autoscalers.end(), [](const Autoscaler& one) {
    return grows(one) && one.sites->up.way == ResizeWay::kInPlace;
  });
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

ScaleLoopOptions loop_options(const ScaleCommand& command, const Io& io, std::string autoscaling) {
  ScaleLoopOptions options;
  options.autoscaling = std::move(autoscaling);
  options.writes = !command.is_dry_run;
  options.is_one_pass = command.is_once;
  options.instance = options.controller + "-" + io.network->host_name();
  options.seed = io.network->random_key();
  options.lease = command.lease.options(io.network->host_name(), options.seed);
  return options;
}

// `space` is the namespace of what names none.
std::optional<Exit> read_declared(const ScaleCommand& command, const std::string& space, Io& io,
                                  ScaleFacts& facts, bool reports = true) {
  ScaleOptions reading = command;
  if (reading.input.namespace_name.empty()) reading.input.namespace_name = space;
  ProgressLine progress(io.err, command.output.quiet, io.clock);
  ScaleLoadResult loaded = read_scale_files(io, reading, command.input.files, progress);
  progress.erase();
  if (!loaded.facts) return fail(io, loaded.errors, command.output);
  if (reports) report_input(io, loaded.warnings, loaded.skipped, command.output);
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
  if (command.lease.elects)
    watchdog.emplace(io.clock, [] {
      end_at_once("gedge: error: the lease was lost, and the autoscaler hangs\n");
    });
  ScaleFacts facts;
  // What is wrong in files is said without a server, too; standard input can be read only once.
  const std::vector<std::string>& files = command.input.files;
  if (std::find(files.begin(), files.end(), "-") == files.end())
    if (const auto failed = read_declared(command, "", io, facts, false)) return *failed;
  const SystemWallClock wall_clock;
  EventLog log(io.err, wall_clock, command.output);
  auto prometheus = open_prometheus(command.prometheus, io, &log);
  if (!prometheus) return fail(io, prometheus.error());
  Server server;
  if (const auto failed =
          open_server(io, command.server, command.output, "autoscaler", server, &log))
    return *failed;
  if (const auto failed = read_declared(command, server.namespace_name, io, facts)) return *failed;
  auto autoscaling = find_autoscaling(*server.transport, command.owns_objects);
  if (!autoscaling) return fail(io, autoscaling.error());

  const auto in_place =
      resizes_in_place(facts) ? resizes_pods(*server.transport) : Result<bool>(false);
  if (!in_place) return fail(io, in_place.error());

  ScalerOptions scaling = scaler_options(command);
  scaling.resizes_pods = *in_place;
  Scaler scaler(std::move(scaling));
  ScaleLoopOptions options = loop_options(command, io, *std::move(autoscaling));
  options.grows = std::any_of(facts.autoscalers.begin(), facts.autoscalers.end(), grows);
  options.namespace_name = only_namespace(command, facts);
  SiteSource sites(command, io, log, [&server] { server.transport->wake(); });
  if (has_sites(facts)) {
    if (const Errors wrong = sites.open(); !wrong.empty()) return fail(io, wrong, command.output);
    options.sites = &sites;
  }
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
  auto prometheus = open_prometheus(command.prometheus, io, nullptr);
  if (!prometheus) {
    live.errors.push_back(std::move(prometheus).error());
    return;
  }
  auto autoscaling = find_autoscaling(*server.transport, live.facts.autoscalers.empty());
  if (!autoscaling) {
    live.errors.push_back(std::move(autoscaling).error());
    return;
  }
  command.owns_objects = command.is_dry_run = command.is_once = true;
  const SystemWallClock wall_clock;
  Scaler scaler(scaler_options(command));
  for (Autoscaler& one : live.facts.autoscalers) scaler.put(std::move(one));
  ScaleLoopOptions options = loop_options(command, io, *std::move(autoscaling));
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
  if (!command.is_once) gedge::cli::begin_daemon(io);
  return static_cast<int>(gedge::cli::run(command, listen, io));
}

extern "C" __attribute__((visibility("default"))) int gedge_look_at_scale(
    gedge::cli::ScaleCommand& command, gedge::cli::LiveScale& live, gedge::cli::Io& io) {
  gedge::cli::look(command, live, io);
  return 0;
}
