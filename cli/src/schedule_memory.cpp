#include "schedule_memory.hpp"

#include <set>
#include <utility>

namespace gedge::cli {
namespace {

constexpr Nanos kForYears{std::int64_t{100'000} * 3'600'000'000'000};

SimWorldOptions world_options(Compat compat, const ScheduleCommand& command) {
  SimWorldOptions options;
  options.seed = command.rules.seed;
  options.rtt_by = command.input.rtt_by;
  options.compat = compat;
  options.reports_budgets = false;
  return options;
}

}  // namespace

std::vector<std::string> scheduler_names(const Facts& facts) {
  std::set<std::string> names;
  for (const PodSpec& spec : facts.specs) names.insert(spec.scheduler_name);
  return {names.begin(), names.end()};
}

MemoryCluster::MemoryCluster(Facts facts, RttMatrix rtt, Compat compat,
                             const ScheduleCommand& command)
    : world_(std::move(facts), std::move(rtt), world_options(compat, command)),
      link_(world_, pace_, {}) {
  if (command.churn > Nanos{0}) world_.churn(command.churn, kForYears);
}

void MemoryCluster::tell_events(EventLog& log) {
  for (const SimulationEvent& event : world_.take_events()) {
    if (event.what == Happening::kBound || event.what == Happening::kUnschedulable) continue;
    std::string pod(event.pod);
    if (!event.namespace_name.empty()) pod = event.namespace_name.str() + "/" + pod;
    if (event.node.empty())
      log.event(to_string(event.what), {{"pod", pod}});
    else if (pod.empty())
      log.event(to_string(event.what), {{"node", event.node.str()}});
    else
      log.event(to_string(event.what), {{"pod", pod}, {"node", event.node.str()}});
  }
}

}  // namespace gedge::cli
