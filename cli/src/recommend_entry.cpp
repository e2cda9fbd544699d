// recommend_entry.cpp - recommendations for a workload of a cluster, applied if asked for, in the
// library of daemons.
#include <algorithm>
#include <iterator>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "gedge/drive/resize_workload.hpp"
#include "gedge/io/wall_clock.hpp"
#include "recommend_command.hpp"
#include "report.hpp"
#include "server_access.hpp"

namespace gedge::cli {
namespace {

constexpr std::int64_t kHour = 3'600;

class LiveRecommendation {
 public:
  LiveRecommendation(const RecommendCommand& command, Io& io) : command_(command), io_(io) {}
  Exit run();

 private:
  std::optional<Exit> read_history();
  Result<ResizeWay> choose_way();
  Result<ResizePlan> plan(const WorkloadLook& look);
  Result<ResizeRun> carry_out();
  Exit exit_of(const ResizeRun& run) const;

  const RecommendCommand& command_;
  Io& io_;
  Server server_;
  ScopedName name_;
  std::vector<PodUsage> history_;
  UnixSeconds now_ = 0;
  ResizeOptions options_;
  std::optional<Recommendation> recommendation_;  // of the first look
  std::vector<Warning> warnings_;                 // the same
};

std::optional<Exit> LiveRecommendation::read_history() {
  if (command_.metrics.empty()) return std::nullopt;
  ProgressLine progress(io_.err, command_.output.quiet, io_.clock);
  ScaleOptions reading = command_;
  if (reading.input.namespace_name.empty()) reading.input.namespace_name = name_.space;
  ScaleLoadResult loaded = read_scale_files(io_, reading, command_.metrics, progress);
  progress.erase();
  if (!loaded.facts) return fail(io_, loaded.errors, command_.output);
  history_ = std::move(loaded.facts->metrics.usage);
  report_input(io_, loaded.warnings, loaded.skipped, command_.output);
  return std::nullopt;
}

Result<ResizeWay> LiveRecommendation::choose_way() {
  if (command_.through == to_string(ResizeWay::kTemplate)) return ResizeWay::kTemplate;
  const auto can = resizes_pods(*server_.transport);
  if (!can) return can.error();
  if (*can) return ResizeWay::kInPlace;
  if (command_.through.empty()) return ResizeWay::kTemplate;
  return invalid_input(
      "Kubernetes 1." + std::to_string(server_.minor) + " resizes no pods where they run", {},
      "change the workload: `--through template`");
}

Result<ResizePlan> LiveRecommendation::plan(const WorkloadLook& look) {
  ScaleFacts facts = look.facts;
  std::vector<PodUsage>& usage = facts.metrics.usage;
  usage.insert(usage.end(), history_.begin(), history_.end());
  std::sort(usage.begin(), usage.end(), [](const PodUsage& a, const PodUsage& b) {
    return std::tie(a.namespace_name, a.name, a.at) < std::tie(b.namespace_name, b.name, b.at);
  });
  const auto workload = find_workload(facts, command_, name_);
  if (!workload) return workload.error();
  auto answer = recommend(facts, **workload, now_, recommend_settings(command_));
  if (!answer) return std::move(answer).error();
  ResizePlan plan = plan_resize(facts, **workload, *answer, options_);
  if (!recommendation_) {
    recommendation_ = *std::move(answer);
    warnings_ = look.warnings;
  }
  return plan;
}

Result<ResizeRun> LiveRecommendation::carry_out() {
  const auto way = choose_way();
  if (!way) return way.error();
  options_.way = *way;
  options_.least_known_s = static_cast<std::int64_t>(command_.min_hours) * kHour;
  const auto planner = [this](const WorkloadLook& look) { return plan(look); };
  if (command_.applies) return resize_workload(*server_.transport, io_.clock, name_.space, planner);
  const auto look = look_at_workloads(*server_.transport, io_.clock, name_.space);
  if (!look) return look.error();
  auto found = plan(*look);
  if (!found) return std::move(found).error();
  return planned(*std::move(found));
}

Exit LiveRecommendation::exit_of(const ResizeRun& run) const {
  if (recommendation_->containers.empty()) return Exit::kNo;
  if (!command_.applies) return Exit::kYes;
  const auto done = static_cast<std::size_t>(std::count_if(
      run.objects.begin(), run.objects.end(),
      [](const ResizedObject& object) { return object.outcome == ResizeOutcome::kDone; }));
  if (done == run.objects.size()) return Exit::kYes;
  if (done > 0) return Exit::kPartly;
  return run.held ? Exit::kNo : Exit::kWorld;
}

Exit LiveRecommendation::run() {
  if (const auto failed =
          open_server(io_, command_.input.server, command_.output, "recommend", server_))
    return *failed;
  InputOptions input = command_.input;
  if (input.namespace_name.empty()) input.namespace_name = server_.namespace_name;
  name_ = scoped_name(command_.name, input);
  if (const auto failed = read_history()) return *failed;
  now_ = command_.input.now.value_or(SystemWallClock().date());
  const auto run = carry_out();
  if (!run) return fail(io_, run.error());
  report_input(io_, warnings_, {}, command_.output);
  show_recommendation(io_, command_, *recommendation_, &*run);
  if (command_.applies && run->held && !run->objects.empty()) {
    Error held = *run->held;
    held.what = "not changed: " + held.what;
    fail(io_, held);
  }
  return exit_of(*run);
}

}  // namespace
}  // namespace gedge::cli

extern "C" __attribute__((visibility("default"))) int gedge_run_recommend(
    const gedge::cli::RecommendCommand& command, gedge::cli::Io& io) {
  return static_cast<int>(gedge::cli::LiveRecommendation(command, io).run());
}
