// cmd_scale_recommend.cpp - "gedge scale recommend NAME": what a workload's pods should request.
#include <algorithm>
#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "cmd.hpp"
#include "gedge/base/nearest.hpp"
#include "gedge/codec/write_scale.hpp"
#include "gedge/scale/explain.hpp"
#include "render/recommend_view.hpp"
#include "report.hpp"
#include "scale_input.hpp"

namespace gedge::cli {
namespace {

constexpr Example kExamples[] = {
    {"gedge scale recommend web -f examples/scale/web.yaml --metrics examples/scale/metrics.yaml",
     "What is known of two pods so far:"},
    {"while sleep 60; do kubectl get --raw /apis/metrics.k8s.io/v1beta1/pods > "
     "usage/$(date +%s).json; done",
     "Record a history:"},
    {"kubectl get deploy,pods,limits,nodes -o json | gedge scale recommend web -f - --metrics "
     "usage/",
     "And ask what it says of a Deployment:"},
};
constexpr Page kPage{
    .name = "scale recommend",
    .summary = "Say what the containers of a workload should request",
    .usage = "[NAMESPACE/]NAME -f FILE... --metrics FILE... [--kind KIND] [-o FORMAT]",
    .description =
        "Computes what the recommender of the VerticalPodAutoscaler computes from what containers "
        "used: of cpu every sample, of memory the peak of each day, a sample losing half of its "
        "weight every 24 hours, none older than eight days or `--max-age`. The target holds 90 % "
        "of that, the "
        "lower bound 50 %, the upper one 95 %, each with a margin of 15 %; while little is known "
        "the bounds are wide. A container that was killed for want of memory counts as if it had "
        "used a fifth more than it had, 100 MiB at least. A pod gets 25m and 250 MiB at "
        "least. Nothing is changed.\n\n"
        "A request within the bounds is to be kept: changing it would restart pods for little. "
        "LimitRanges of the namespace bound every answer, and so does the largest node among the "
        "files: a pod that no node could hold helps nobody.\n\n"
        "`-f` reads the workload, its pods, LimitRanges and Nodes; `--metrics` reads "
        "PodMetricsLists, as many as there are: a history is the same pods at several times. Both "
        "take any of these. Pods that are gone count by the labels of their usage.",
    .output =
        "A line a container and resource: the largest request of the pods, what to do about it "
        "(`keep`, `raise`, `lower`, or `declare` where there is none), the bounds (`any`: "
        "too little is known for one) and the target, memory in whole Mi. "
        "`json` and `yaml` print one object of kind ScaleRecommendation.",
    .examples = kExamples,
    .yes = "there is an answer for a container",
    .no = "no usage of the workload's pods is known",
    .see_also = "gedge-scale-explain(1) gedge-scale-simulate(1)",
};

struct RecommendOptions : ScaleOptions {
  std::string name, kind;
};

Error wrong_name(const ScaleFacts& facts, const RecommendOptions& options, const std::string& space,
                 const std::string& name) {
  std::vector<std::string> names, kinds;
  for (const ScaleTarget& target : facts.targets) {
    if (target.namespace_name != space) continue;
    names.push_back(target.name);
    if (target.name == name) kinds.push_back(target.kind);
  }
  if (kinds.size() > 1 && options.kind.empty())
    return invalid_input("several workloads are named '" + name + "'", {},
                         "say which: `--kind " + kinds.front() + "`");
  Error error{Errc::kNotFound, "no workload '" + name + "' in namespace '" + space + "'", {}, {}};
  if (!kinds.empty())
    error.hint = "there is a " + kinds.front() + " of that name";
  else if (names.empty())
    error.hint = "name a file with one: `-f deployment.yaml`";
  else if (const auto meant = nearest(name, names))
    error.hint = "did you mean " + *meant + "?";
  return error;
}

const ScaleTarget* find(const ScaleFacts& facts, const RecommendOptions& options,
                        const std::string& space, const std::string& name) {
  const ScaleTarget* found = nullptr;
  for (const ScaleTarget& target : facts.targets) {
    if (target.namespace_name != space || target.name != name) continue;
    if (!options.kind.empty() && target.kind != options.kind) continue;
    if (found != nullptr) return nullptr;
    found = &target;
  }
  return found;
}

Exit run_recommend(const RecommendOptions& options, Io& io) {
  if (options.input.files.empty())
    return fail_usage(io, invalid_input("no workload to look at", {},
                                        "name files with `-f`, for example `-f web.yaml`"));
  std::vector<std::string> paths = options.input.files;
  paths.insert(paths.end(), options.metrics.begin(), options.metrics.end());
  if (std::count(paths.begin(), paths.end(), "-") > 1)
    return fail_usage(io, invalid_input("standard input can be read only once"));
  ProgressLine progress(io.err, options.output.quiet, io.clock);
  const ScaleLoadResult loaded = read_scale_files(io, options, paths, progress);
  progress.erase();
  if (!loaded.facts) return fail(io, loaded.errors, options.output);
  const ScaleFacts& facts = *loaded.facts;
  const auto [space, name] = scoped_name(options.name, options.input);
  const ScaleTarget* const workload = find(facts, options, space, name);
  if (workload == nullptr) return fail(io, wrong_name(facts, options, space, name));
  RecommendSettings settings;
  if (options.input.max_age)
    settings.history_s =
        std::chrono::duration_cast<std::chrono::seconds>(*options.input.max_age).count();
  const UnixSeconds now = options.input.now.value_or(latest_time(facts));
  const auto answer = recommend(facts, *workload, now, settings);
  if (!answer) return fail(io, answer.error());
  TableOptions table;
  table.headers = !options.output.no_headers;
  if (options.output.format != Format::kTable)
    io.out.write(write(*answer, text_format(options.output.format)));
  else
    print_recommendation(io.out, *answer, table);
  io.out.flush();
  report_input(io, loaded.warnings, loaded.skipped, options.output);
  return answer->containers.empty() ? Exit::kNo : Exit::kYes;
}

Run add_recommend(FlagSet& flags) {
  auto options = std::make_shared<RecommendOptions>();
  options->keep_history = true;
  flags.add({.name = "NAME",
             .value = "[NAMESPACE/]NAME",
             .help = "The workload: a Deployment, a StatefulSet",
             .operand = true,
             .required = true},
            options->name);
  flags.heading("What it looks at");
  flags.add({.name = "filename",
             .letter = 'f',
             .value = "FILE|DIR|-",
             .help = "Read workloads, pods, LimitRanges and Nodes",
             .live = Live::kFiles,
             .shapes_answer = true},
            options->input.files);
  flags.add({.name = "metrics",
             .value = "FILE|DIR|-",
             .help = "Read what metrics.k8s.io answered, at many times",
             .live = Live::kFiles,
             .shapes_answer = true},
            options->metrics);
  flags.add({.name = "recursive",
             .letter = 'R',
             .help = "Read the directories below too",
             .shapes_answer = true},
            options->input.recursive);
  flags.add({.name = "kind",
             .value = "KIND",
             .help = "Of the workload, where several have the name",
             .words = {"Deployment", "StatefulSet", "ReplicaSet", "ReplicationController"},
             .shapes_answer = true},
            options->kind);
  add_namespace_flag(flags, options->input);
  add_age_flags(flags, options->input, "Leave out older samples; 192h unless told");
  add_output_flags(flags, options->output, {"table", "json", "yaml"}, false);
  add_limit_flags(flags, options->input);
  add_talk_flags(flags, options->output);
  return [options](Io& io) { return run_recommend(*options, io); };
}

}  // namespace

Command scale_recommend_command() { return {&kPage, Group::kWork, add_recommend}; }

}  // namespace gedge::cli
