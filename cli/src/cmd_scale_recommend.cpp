// cmd_scale_recommend.cpp - "gedge scale recommend NAME": what a workload's pods should request.
#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "cmd.hpp"
#include "daemon_library.hpp"
#include "gedge/codec/timestamp.hpp"
#include "gedge/scale/explain.hpp"
#include "live_source.hpp"
#include "recommend_command.hpp"
#include "report.hpp"

namespace gedge::cli {
namespace {

constexpr std::uint64_t kMostHours = 24 * 365;

constexpr Example kExamples[] = {
    {"gedge scale recommend web -f examples/scale/web.yaml --metrics examples/scale/metrics.yaml",
     "What is known of two pods so far:"},
    {"while sleep 60; do kubectl get --raw /apis/metrics.k8s.io/v1beta1/pods > "
     "usage/$(date +%s).json; done",
     "Record a history:"},
    {"kubectl get deploy,pods,limits,nodes -o json | gedge scale recommend web -f - --metrics "
     "usage/",
     "And ask what it says of a Deployment:"},
    {"gedge scale recommend shop/web --cluster live --metrics usage/",
     "What would change in a cluster that runs:"},
    {"gedge scale recommend shop/web --cluster live --metrics usage/ --apply", "Change it:"},
};
constexpr Page kPage{
    .name = "scale recommend",
    .summary = "Say what the containers of a workload should request",
    .usage =
        "[NAMESPACE/]NAME {-f FILE...|--cluster live} [--metrics FILE]... [--apply] "
        "[-o FORMAT]",
    .description =
        "Computes what the recommender of the VerticalPodAutoscaler computes from what containers "
        "used: of cpu every sample, of memory the peak of each day, a sample losing half of its "
        "weight every 24 hours, none older than eight days or `--max-age`. The target holds 90 % "
        "of that, the "
        "lower bound 50 %, the upper one 95 %, each with a margin of 15 %; while little is known "
        "the bounds are wide. A container that was killed for want of memory counts as if it had "
        "used a fifth more than it had, 100 MiB at least. A pod gets 25m and 250 MiB at "
        "least. Nothing is changed without `--apply`.\n\n"
        "A request within the bounds is to be kept: changing it would restart pods for little. "
        "LimitRanges of the namespace bound every answer, and so does the largest node that is "
        "known: a pod that no node could hold helps nobody.\n\n"
        "`-f` reads the workload, its pods, LimitRanges and Nodes; `--metrics` reads "
        "PodMetricsLists, as many as there are: a history is the same pods at several times. Both "
        "take any of these. Pods that are gone count by the labels of their usage.\n\n"
        "With `--cluster live`, workloads, pods, LimitRanges, nodes and the usage of now are asked "
        "of the API server, and what would change is shown; `--apply` changes it. Requests out of "
        "their bounds become the target, and limits keep their ratio to them. A server of 1.33 or "
        "later resizes the pods where they run (`--through pods`): the workload stays as it is, "
        "and pods that it makes later begin as before. Otherwise, or with `--through template`, "
        "the template of the workload is changed, and its controller replaces the pods; one of a "
        "ReplicaSet or a ReplicationController has them as they are.\n\n"
        "Nothing at all is changed where less than `--min-hours` of one sample a minute are known "
        "of a container that would change, where a LimitRange forbids it, or where no node could "
        "hold such a pod. Each object is changed only as it was read; where somebody else was "
        "faster, all is looked at again. Once more, and nothing is left to be done. A "
        "HorizontalPodAutoscaler that counts in percent of a request follows every change of it.",
    .output =
        "A line a container and resource: the largest request of the pods, what to do about it "
        "(`keep`, `raise`, `lower`, or `declare` where there is none), the bounds (`any`: "
        "too little is known for one) and the target, memory in whole Mi. "
        "Of a live cluster, a second table of what changes, and what became of it: `planned`, "
        "`applied`, `conflict`, `gone`, `refused`, `not-sent`, `unclear`. "
        "`json` and `yaml` print one object of kind ScaleRecommendation.",
    .examples = kExamples,
    .yes = "there is an answer for a container; with `--apply`: all is as it should be",
    .no = "no usage of the workload's pods is known; with `--apply`: it is not safe",
    .see_also = "gedge-scale-explain(1) gedge-scale-simulate(1)",
};

// Flags that only a live cluster has a use for, and files that it has none for.
Status check(const RecommendCommand& command) {
  const std::vector<std::string>& cluster = command.input.cluster;
  if (Status one = check_cluster(cluster); !one) return one;
  if (!cluster.empty() && !command.input.files.empty())
    return invalid_input("flag '--filename' does not go with a live cluster", {},
                         "its workloads are asked for; give a history by `--metrics`");
  if (cluster.empty() && (command.applies || !command.through.empty()))
    return invalid_input("files cannot be changed", {}, "name a cluster: `--cluster live`");
  if (cluster.empty() && command.input.files.empty())
    return invalid_input("no workload to look at", {},
                         "name files with `-f`, for example `-f web.yaml`, or `--cluster live`");
  return {};
}

// One sample with a date of the future makes all others too old to count.
void warn_of_lone_moment(const ScaleFacts& facts, UnixSeconds now, std::int64_t history_s,
                         std::vector<Warning>& warnings) {
  const std::vector<PodUsage>& usage = facts.metrics.usage;
  const auto left_out = std::count_if(usage.begin(), usage.end(), [&](const PodUsage& sample) {
    return sample.at < now - history_s;
  });
  if (left_out * 2 <= static_cast<std::ptrdiff_t>(usage.size())) return;
  warnings.push_back({"SamplesTooOld",
                      std::to_string(left_out) + " of " + std::to_string(usage.size()) +
                          " samples are too old to count at " + codec::format_timestamp(now) +
                          ", the time of the latest: another moment is `--now`",
                      {}});
}

Exit recommend_from_files(const RecommendCommand& command, Io& io) {
  const Result<std::vector<std::string>> paths = look_files(command);
  if (!paths) return fail_usage(io, paths.error());
  ProgressLine progress(io.err, command.output.quiet, io.clock);
  ScaleLoadResult loaded = read_scale_files(io, command, *paths, progress);
  progress.erase();
  if (!loaded.facts) return fail(io, loaded.errors, command.output);
  const ScaleFacts& facts = *loaded.facts;
  const auto workload = find_workload(facts, command, scoped_name(command.name, command.input));
  if (!workload) return fail(io, workload.error());
  const UnixSeconds now = command.input.now.value_or(latest_time(facts));
  const RecommendSettings settings = recommend_settings(command);
  const auto answer = recommend(facts, **workload, now, settings);
  if (!answer) return fail(io, answer.error());
  if (!command.input.now) warn_of_lone_moment(facts, now, settings.history_s, loaded.warnings);
  show_recommendation(io, command, *answer, nullptr);
  report_input(io, loaded.warnings, loaded.skipped, command.output);
  return answer->containers.empty() ? Exit::kNo : Exit::kYes;
}

Exit run_recommend(RecommendCommand& command, Io& io) {
  if (const Status right = check(command); !right) return fail_usage(io, right.error());
  if (command.input.cluster.empty()) return recommend_from_files(command, io);
  if (const Status chosen =
          choose_context(command.input.cluster.front(), command.input.server.choice);
      !chosen)
    return fail_usage(io, chosen.error());
  return run_in_daemon_library<RunRecommend>(kRunRecommend, io, command);
}

void add_change_flags(FlagSet& flags, RecommendCommand& command) {
  flags.heading("What to do about it");
  flags.add({.name = "apply", .help = "Change what is out of bounds"}, command.applies);
  flags.add({.name = "through",
             .value = "WHAT",
             .help = "What changes; pods, if the server can do it",
             .words = {"pods", "template"},
             .shapes_answer = true},
            command.through);
  flags.add({.name = "min-hours",
             .value = "HOURS",
             .help = "Change nothing if less is known",
             .fallback = "24",
             .shapes_answer = true},
            number_into(command.min_hours, kMostHours));
}

Run add_recommend(FlagSet& flags) {
  auto options = std::make_shared<RecommendCommand>();
  options->keep_history = true;
  flags.add({.name = "NAME",
             .value = "[NAMESPACE/]NAME",
             .help = "The workload: a Deployment, a StatefulSet",
             .live = Live::kWorkloads,
             .operand = true,
             .required = true},
            options->name);
  add_look_flags(flags, *options,
                 {.files = "Read workloads, pods, LimitRanges and Nodes",
                  .metrics = "Read what metrics.k8s.io answered, at many times"});
  flags.add({.name = "kind",
             .value = "KIND",
             .help = "Of the workload, where several have the name",
             .words = {"Deployment", "StatefulSet", "ReplicaSet", "ReplicationController"},
             .shapes_answer = true},
            options->kind);
  add_namespace_flag(flags, options->input);
  add_age_flags(flags, options->input, "Leave out older samples; 192h unless told");
  add_change_flags(flags, *options);
  add_live_flags(flags, options->input);
  add_output_flags(flags, options->output, {"table", "json", "yaml"}, false);
  add_limit_flags(flags, options->input);
  add_talk_flags(flags, options->output);
  return [options](Io& io) { return run_recommend(*options, io); };
}

}  // namespace

Command scale_recommend_command() { return {&kPage, Group::kWork, add_recommend}; }

}  // namespace gedge::cli
