// cmd_scale_explain.cpp - "gedge scale explain NAME": why an autoscaler wants so many replicas.
#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cmd.hpp"
#include "daemon_library.hpp"
#include "gedge/base/nearest.hpp"
#include "gedge/codec/timestamp.hpp"
#include "gedge/codec/write_scale.hpp"
#include "gedge/scale/explain.hpp"
#include "live_source.hpp"
#include "render/scale_view.hpp"
#include "report.hpp"
#include "scale_command.hpp"

namespace gedge::cli {
namespace {

constexpr Example kExamples[] = {
    {"gedge scale explain web -f examples/scale/web.yaml --metrics examples/scale/metrics.yaml",
     "Two busy pods, and one that starts:"},
    {"gedge scale explain shop/web --cluster live", "From a cluster that runs:"},
    {"kubectl get hpa,deploy,pods -o json | gedge scale explain web -f - --metrics usage.json",
     "From a cluster, with what metrics.k8s.io answered:"},
};
constexpr Page kPage{
    .name = "scale explain",
    .summary = "Say why an autoscaler wants so many replicas",
    .usage = "[NAMESPACE/]NAME {-f FILE...|--cluster live} [--metrics FILE]... [-o FORMAT]",
    .description =
        "Computes what the HorizontalPodAutoscaler controller computes, to the integer, and shows "
        "every step: what each pod counts as, the ratio before and after missing and unready pods "
        "are filled in, windows, policies, bounds, and what would change the answer. Nothing is "
        "changed.\n\n"
        "`-f` reads HorizontalPodAutoscalers of all versions (autoscaling/v1 with its annotations, "
        "v2beta1, v2beta2, v2), the workload and its pods; `--metrics` reads what the metrics APIs "
        "answer: PodMetricsList, MetricValueList (custom metrics), ExternalMetricValueList. Both "
        "take any of these. A value of the custom metrics API counts whatever selector it was "
        "asked for with.\n\n"
        "With `--cluster live`, the HorizontalPodAutoscaler, the scale of its workload, the pods "
        "of "
        "the namespace and the metrics are asked of the API server, found as kubectl finds it. "
        "`-f` adds autoscalers of gedge's own (kind Autoscaler, see gedge-scale-run(1)); their "
        "queries are asked of `--prometheus`, with `--prometheus-token` and `--prometheus-ca` as "
        "there.\n\n"
        "The moment of the look is `--now`, else the latest time in the files; of a live cluster, "
        "it is now. A controller "
        "remembers its recommendations of some minutes; files do not, so this one looks for the "
        "first time, as after a restart: the replicas of now hold a scale-down back for the length "
        "of the window. With `--max-age`, older samples and those of the future count as "
        "missing.\n\n"
        "With `--compat 1.36`, the default, a metric that fails freezes a scale-down; with 1.20 "
        "the other metrics decide.",
    .output =
        "The answer, and tables: metrics, samples, the way from the proposal to the replicas, "
        "conditions. `json` and `yaml` print one object of kind ScaleExplanation.",
    .examples = kExamples,
    .yes = "the replicas are computed, or bounds decide",
    .no = "no replicas can be computed: no workload, no metrics, or it is switched off",
    .see_also = "gedge-scale-recommend(1) gedge-scale-run(1) gedge-scale-simulate(1)",
};

struct ExplainOptions : ScaleOptions {
  std::string name;
  PrometheusOptions prometheus;
};

const Autoscaler* find(const ScaleFacts& facts, const std::string& space, const std::string& name) {
  for (const Autoscaler& autoscaler : facts.autoscalers)
    if (autoscaler.namespace_name == space && autoscaler.name == name) return &autoscaler;
  return nullptr;
}

Error not_found(const ScaleFacts& facts, const std::string& space, const std::string& name) {
  Error error{Errc::kNotFound, "no autoscaler '" + name + "' in namespace '" + space + "'", {}, {}};
  std::vector<std::string> names;
  for (const Autoscaler& autoscaler : facts.autoscalers) {
    if (autoscaler.name == name)
      error.hint = "did you mean " + autoscaler.namespace_name + "/" + name + "?";
    names.push_back(autoscaler.name.str());
  }
  if (!error.hint.empty()) return error;
  error.hint = names.empty() ? "name a file with one: `-f hpa.yaml`" : suggestion(name, names);
  return error;
}

bool has_answer(const ScaleDecision& decision) {
  return decision.step == ScaleStep::kComputed || decision.step == ScaleStep::kAboveMax ||
         decision.step == ScaleStep::kBelowMin;
}

Exit show(Io& io, const ExplainOptions& options, const ScaleExplanation& explanation) {
  TableOptions table;
  table.headers = !options.output.no_headers;
  if (options.output.format != Format::kTable)
    io.out.write(write(explanation, text_format(options.output.format)));
  else if (const Status shown = print_scale(io.out, explanation, table); !shown)
    return fail(io, shown.error());
  io.out.flush();
  return has_answer(explanation.decision) ? Exit::kYes : Exit::kNo;
}

/// What is explained, and of which moment.
struct Look {
  ScaleFacts facts;
  std::string home = "default";  ///< of names without a namespace
  std::optional<UnixSeconds> now;
  std::vector<Warning> warnings;
  std::vector<SkippedObject> skipped;
};

std::optional<Exit> look_at_files(const ExplainOptions& options, Io& io, Look& look) {
  const Result<std::vector<std::string>> paths = look_files(options);
  if (!paths) return fail_usage(io, paths.error());
  ProgressLine progress(io.err, options.output.quiet, io.clock);
  ScaleLoadResult loaded = read_scale_files(io, options, *paths, progress);
  progress.erase();
  if (!loaded.facts) return fail(io, loaded.errors, options.output);
  look.facts = *std::move(loaded.facts);
  look.warnings = std::move(loaded.warnings);
  look.skipped = std::move(loaded.skipped);
  if (!options.input.namespace_name.empty()) look.home = options.input.namespace_name;
  return std::nullopt;
}

// Files may add autoscalers of gedge's own.
std::optional<Exit> look_at_cluster(const ExplainOptions& options, Io& io, Look& look) {
  if (!options.metrics.empty())
    return fail_usage(io, invalid_input("flag '--metrics' does not go with a live cluster", {},
                                        "its metrics are asked for"));
  if (const Status right = check_prometheus(options.prometheus); !right)
    return fail_usage(io, right.error());
  if (const auto failed = look_at_files(options, io, look)) return failed;
  ScaleCommand command;
  static_cast<ScaleOptions&>(command) = options;
  command.server = options.input.server;
  command.prometheus = options.prometheus;
  if (const Status chosen = choose_context(options.input.cluster.front(), command.server.choice);
      !chosen)
    return fail_usage(io, chosen.error());
  LiveScale live;
  live.facts = std::move(look.facts);
  const std::size_t slash = options.name.find('/');
  if (slash != std::string::npos) live.namespace_name = options.name.substr(0, slash);
  void* const symbol = daemon_symbol(kLookAtScale, io);
  if (symbol == nullptr) return Exit::kBug;
  reinterpret_cast<LookAtScale>(symbol)(command, live, io);
  if (!live.errors.empty()) return fail(io, live.errors, options.output);
  look.facts = std::move(live.facts);
  look.home = live.namespace_name;
  look.now = live.now;
  for (Warning& warning : live.warnings) look.warnings.push_back(std::move(warning));
  return std::nullopt;
}

Status check(const ExplainOptions& options) {
  const std::vector<std::string>& cluster = options.input.cluster;
  if (Status one = check_cluster(cluster); !one) return one;
  if (cluster.empty() && options.input.files.empty())
    return invalid_input("no autoscaler to explain", {},
                         "name files with `-f`, for example `-f hpa.yaml`, or `--cluster live`");
  return {};
}

Exit run_explain(const ExplainOptions& options, Io& io) {
  if (const Status right = check(options); !right) return fail_usage(io, right.error());
  Look look;
  const bool is_live = !options.input.cluster.empty();
  if (const auto failed =
          is_live ? look_at_cluster(options, io, look) : look_at_files(options, io, look))
    return *failed;
  InputOptions input = options.input;
  input.namespace_name = look.home;
  const ScopedName name = scoped_name(options.name, input);
  const Autoscaler* const autoscaler = find(look.facts, name.space, name.name);
  if (autoscaler == nullptr) return fail(io, not_found(look.facts, name.space, name.name));
  const UnixSeconds now = options.input.now.value_or(look.now.value_or(latest_time(look.facts)));
  const WorkloadIndex index(look.facts);
  const Exit code =
      show(io, options, explain_scale(*autoscaler, index, {}, now, options.settings()));
  report_input(io, look.warnings, look.skipped, options.output);
  return code;
}

Run add_explain(FlagSet& flags) {
  auto options = std::make_shared<ExplainOptions>();
  flags.add({.name = "NAME",
             .value = "[NAMESPACE/]NAME",
             .help = "The HorizontalPodAutoscaler",
             .live = Live::kAutoscalers,
             .operand = true,
             .required = true},
            options->name);
  add_look_flags(flags, *options,
                 {.files = "Read autoscalers, workloads and pods",
                  .metrics = "Read what metrics APIs answered"});
  add_prometheus_flags(flags, options->prometheus);
  add_namespace_flag(flags, options->input);
  add_age_flags(flags, options->input, "Take older samples for missing");
  add_controller_flags(flags, *options);
  add_live_flags(flags, options->input);
  add_output_flags(flags, options->output, {"table", "json", "yaml"}, false);
  add_limit_flags(flags, options->input);
  add_talk_flags(flags, options->output);
  return [options](Io& io) { return run_explain(*options, io); };
}

}  // namespace

Command scale_explain_command() { return {&kPage, Group::kWork, add_explain}; }

}  // namespace gedge::cli
