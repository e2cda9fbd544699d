#include "gedge/plan/preemption.hpp"

#include <algorithm>
#include <iterator>
#include <tuple>
#include <utility>

namespace gedge {
namespace {

/// Pods that preemption takes away or puts back count for spreading even if they are terminating.
class CountsTerminating {
 public:
  explicit CountsTerminating(ClusterState& cluster) : cluster_(cluster) {
    cluster_.count_terminating(true);
  }
  CountsTerminating(const CountsTerminating&) = delete;
  CountsTerminating& operator=(const CountsTerminating&) = delete;
  ~CountsTerminating() { cluster_.count_terminating(false); }

 private:
  ClusterState& cluster_;
};

// An empty selector of a budget matches nothing, and nothing matches a pod without labels.
bool covers(const PodDisruptionBudget& budget, const Pod& pod, const PodSpec& spec) {
  if (budget.namespace_name != pod.namespace_name || budget.selector.requirements.empty())
    return false;
  if (std::find(budget.disrupted_pods.begin(), budget.disrupted_pods.end(), pod.name.str()) !=
      budget.disrupted_pods.end())
    return false;
  const Labels labels = pod_labels(pod, spec);
  return !labels.empty() && budget.selector.matches(labels);
}

}  // namespace

Preemptor::Preemptor(ClusterState& cluster, Engine& engine, PreemptionOptions options)
    : cluster_(cluster), engine_(engine), options_(options) {
  for (std::uint32_t i = 0; i < cluster_.pod_count(); ++i) {
    const PodIndex pod{i};
    if (!cluster_.pod(pod).nominated_node.empty() && !cluster_.is_placed(pod) &&
        cluster_.pod(pod).phase == PodPhase::kPending)
      nominated_.push_back(pod);
  }
}

void Preemptor::add(PodIndex pod, NodeIndex node) {
  cluster_.bind(pod, node);
  engine_.follow();
}

void Preemptor::take(PodIndex pod) {
  cluster_.unbind(pod);
  engine_.follow();
}

// Those that were promised the node and are as important as the pod join it.
void Preemptor::promise(PodIndex pod, NodeIndex node) {
  for (const PodIndex other : nominated_)
    if (other != pod && !cluster_.is_placed(other) &&
        cluster_.pod(other).nominated_node == cluster_.node_name(node) &&
        cluster_.pod(other).priority >= cluster_.pod(pod).priority)
      add(other, node);
}

std::vector<Rejection> Preemptor::first_rejection(PodIndex pod, NodeIndex node) {
  const auto first_of = [&] {
    std::vector<Rejection> all = engine_.rejections(pod, node);
    if (!all.empty())
      std::erase_if(all, [policy = all.front().policy](const Rejection& rejection) {
        return rejection.policy != policy;
      });
    return all;
  };
  const ClusterState::Mark before = cluster_.mark();
  promise(pod, node);
  if (cluster_.mark() == before) return first_of();
  std::vector<Rejection> rejected = first_of();
  while (cluster_.mark() > before) {
    cluster_.undo(cluster_.mark() - 1);
    engine_.follow();
  }
  return rejected.empty() ? first_of() : rejected;
}

bool Preemptor::fits(PodIndex pod, NodeIndex node) {
  const ClusterState::Mark before = cluster_.mark();
  promise(pod, node);
  if (cluster_.mark() == before) return engine_.fits(pod, node);
  const bool fits_with = engine_.fits(pod, node);
  while (cluster_.mark() > before) {
    cluster_.undo(cluster_.mark() - 1);
    engine_.follow();
  }
  return fits_with && engine_.fits(pod, node);
}

bool Preemptor::is_eligible(PodIndex pod) {
  const Pod& asking = cluster_.pod(pod);
  if (!cluster_.facts().spec_of(asking).preempts) return false;
  const auto promised = cluster_.find_node(asking.nominated_node);
  if (asking.nominated_node.empty() || !promised) return true;
  const std::vector<Rejection> rejected = first_rejection(pod, *promised);
  if (!rejected.empty() && rejected.front().evidence.verdict == Verdict::kUnresolvable) return true;
  const auto here = cluster_.pods_on(*promised);
  return std::none_of(here.begin(), here.end(), [&](PodIndex other) {
    return cluster_.pod(other).terminating && cluster_.pod(other).priority < asking.priority;
  });
}

// A pod that has not started counts as started now.
bool Preemptor::is_more_important(PodIndex a, PodIndex b) const {
  const Pod &x = cluster_.pod(a), &y = cluster_.pod(b);
  return std::tuple(-std::int64_t{x.priority}, x.started, a) <
         std::tuple(-std::int64_t{y.priority}, y.started, b);
}

// `pods`: the most important first; each takes one from every budget that covers it.
std::vector<bool> Preemptor::violating(const std::vector<PodIndex>& pods) const {
  const std::vector<PodDisruptionBudget>& budgets = cluster_.facts().disruption_budgets;
  std::vector<std::int64_t> left;
  for (const PodDisruptionBudget& budget : budgets) left.push_back(budget.disruptions_allowed);
  std::vector<bool> violates;
  for (const PodIndex pod : pods) {
    bool any = false;
    for (std::size_t i = 0; i < budgets.size(); ++i)
      if (covers(budgets[i], cluster_.pod(pod), cluster_.facts().spec_of(cluster_.pod(pod))))
        any = --left[i] < 0 || any;
    violates.push_back(any);
  }
  return violates;
}

// Whoever is going already takes nothing from a budget any more.
bool Preemptor::keeps_budgets(const Victims& victims) const {
  std::vector<PodIndex> asked;
  std::copy_if(victims.pods.begin(), victims.pods.end(), std::back_inserter(asked),
               [&](PodIndex pod) { return !cluster_.pod(pod).terminating; });
  const std::vector<bool> violates = violating(asked);
  return std::find(violates.begin(), violates.end(), true) == violates.end();
}

std::vector<PodIndex> Preemptor::lesser_on(PodIndex pod, NodeIndex node) const {
  std::vector<PodIndex> lesser;
  for (const PodIndex other : cluster_.pods_on(node))
    if (cluster_.pod(other).priority < cluster_.pod(pod).priority) lesser.push_back(other);
  return lesser;
}

std::optional<Victims> Preemptor::victims_on(PodIndex pod, NodeIndex node) {
  std::vector<PodIndex> lesser = lesser_on(pod, node);
  std::sort(lesser.begin(), lesser.end(),
            [&](PodIndex a, PodIndex b) { return is_more_important(a, b); });
  const ClusterState::Mark before = cluster_.mark();
  for (const PodIndex other : lesser) take(other);
  std::optional<Victims> found;
  if (fits(pod, node)) {
    found.emplace().node = node;
    const std::vector<bool> violates = violating(lesser);
    for (const bool group : {true, false}) {
      for (std::size_t i = 0; i < lesser.size(); ++i) {
        if (violates[i] != group) continue;
        add(lesser[i], node);
        if (fits(pod, node)) continue;
        take(lesser[i]);
        found->pods.push_back(lesser[i]);
        found->violations += group ? 1 : 0;
      }
    }
  }
  while (cluster_.mark() > before) {
    cluster_.undo(cluster_.mark() - 1);
    engine_.follow();
  }
  return found;
}

bool Preemptor::is_better(const Victims& a, const Victims& b) const {
  const auto first_priority = [&](const Victims& of) {
    return std::int64_t{cluster_.pod(of.pods.front()).priority};
  };
  const auto sum = [&](const Victims& of) {
    std::int64_t total = 0;
    for (const PodIndex pod : of.pods)
      total += std::int64_t{cluster_.pod(pod).priority} + (std::int64_t{1} << 31);
    return total;
  };
  // Of the victims with the highest priority, when the first of them started; later is better.
  const auto start = [&](const Victims& of) {
    std::int32_t highest = cluster_.pod(of.pods.front()).priority;
    for (const PodIndex pod : of.pods) highest = std::max(highest, cluster_.pod(pod).priority);
    UnixSeconds earliest = kNever;
    for (const PodIndex pod : of.pods)
      if (cluster_.pod(pod).priority == highest)
        earliest = std::min(earliest, cluster_.pod(pod).started);
    return earliest;
  };
  if (a.pods.empty() || b.pods.empty()) return a.pods.empty() && !b.pods.empty();
  return std::tuple(a.violations, first_priority(a), sum(a), a.pods.size(), start(b)) <
         std::tuple(b.violations, first_priority(b), sum(b), b.pods.size(), start(a));
}

Preemption Preemptor::find(PodIndex pod) {
  Preemption preemption;
  preemption.is_eligible = is_eligible(pod);
  if (!preemption.is_eligible) return preemption;
  const CountsTerminating counts(cluster_);
  for (std::uint32_t rank = 0; rank < cluster_.slots(); ++rank) {
    const NodeIndex node = cluster_.by_rank(rank);
    if (!cluster_.alive().test(node) || lesser_on(pod, node).empty()) continue;
    const std::vector<Rejection> rejected = first_rejection(pod, node);
    if (rejected.empty() || rejected.front().evidence.verdict == Verdict::kUnresolvable) continue;
    auto victims = victims_on(pod, node);
    if (!victims || (options_.keeps_budgets && !keeps_budgets(*victims))) continue;
    preemption.candidates.push_back(*std::move(victims));
    const std::size_t last = preemption.candidates.size() - 1;
    if (!preemption.chosen ||
        is_better(preemption.candidates[last], preemption.candidates[*preemption.chosen]))
      preemption.chosen = last;
  }
  return preemption;
}

}  // namespace gedge
