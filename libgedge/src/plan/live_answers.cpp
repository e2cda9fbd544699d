// plan/live_answers.cpp - what a cluster that is kept up to date says of its pods and nodes.
#include <algorithm>
#include <chrono>
#include <utility>

#include "gedge/model/fact_names.hpp"
#include "gedge/plan/preemption.hpp"
#include "plan/history.hpp"
#include "plan/live_parts.hpp"
#include "plan/promises.hpp"
#include "plan/relief.hpp"
#include "plan/unread_pods.hpp"

namespace gedge {

std::vector<PodIndex> LiveCluster::Parts::waiting(std::span<const PodName> pods) {
  std::vector<PodIndex> wanted;
  for (const PodName& pod : pods) {
    const auto at = pods_.find(key_of(pod.namespace_name, pod.name));
    if (at == pods_.end()) continue;
    const Pod& known = facts_.pods[at->second];
    const PodIndex index{at->second};
    const bool waits = known.bound_node.empty() && known.phase == PodPhase::kPending &&
                       facts_.spec_of(known).unread.empty();
    if (waits && session_->engine_of(index) != nullptr) wanted.push_back(index);
  }
  std::sort(wanted.begin(), wanted.end());
  wanted.erase(std::unique(wanted.begin(), wanted.end()), wanted.end());
  return wanted;
}

Result<std::vector<Decision>> LiveCluster::Parts::place(std::span<const PodName> pods) {
  GEDGE_TRY(freshen());
  session_->collect(waiting(pods));
  Promises promises(*session_, promised());
  std::vector<Decision> decisions;
  for (Group group = session_->next(); !group.empty(); group = session_->next())
    promises.decide(group, decisions);
  session_->report_budgets(decisions);
  if (options_.modules != nullptr)
    if (auto failure = options_.modules->failure()) return *std::move(failure);
  for (const Decision& decision : decisions) {
    if (!decision.chosen) continue;
    const std::string key = key_of(decision.namespace_name, decision.pod);
    Pod& pod = facts_.pods[pods_.at(key)];
    pod.bound_node = decision.chosen->node;
    if (uses_claims(facts_.spec_of(pod))) has_moved_volumes_ = true;
    assumed_.insert(key);
  }
  for (const PodName& name : pods)
    if (const Pod* const pod = find_pod(name))
      if (auto refused = refuse_unread(*pod, facts_.spec_of(*pod)))
        decisions.push_back(*std::move(refused));
  return decisions;
}

// Whom nobody can help holds no place that others could have.
std::optional<Preempted> LiveCluster::Parts::take_back(Pod& pod) {
  if (pod.nominated_node.empty()) return std::nullopt;
  pod.nominated_node = {};
  return Preempted{{}, {}, {fact_name(pod)}};
}

Result<std::optional<Preempted>> LiveCluster::Parts::preempt(const PodName& pod) {
  GEDGE_TRY(freshen());
  const std::vector<PodIndex> found = waiting(std::span(&pod, 1));
  if (found.empty()) return std::optional<Preempted>();
  Pod& asking = facts_.pods[raw(found.front())];
  const Profile& profile = session_->engine_of(found.front())->profile();
  if (!profile.preempts || asking.priority <= least_priority_) return take_back(asking);
  ClusterState& cluster = session_->cluster();
  // Of its own: only this pod's class has to keep up while things are tried.
  auto engine = Engine::make(cluster, profile, options_.modules, options_.seed);
  if (!engine) return std::move(engine).error();
  Preemptor preemptor(cluster, *engine, {profile.keeps_budgets});
  const Preemption preemption = preemptor.find(found.front());
  session_->follow();
  if (!preemption.is_eligible) return std::optional<Preempted>();
  if (!preemption.chosen) return take_back(asking);
  const Victims& victims = preemption.candidates[*preemption.chosen];
  Preempted answer;
  answer.node = cluster.node_name(victims.node);
  answer.within_budgets = profile.keeps_budgets;
  for (const PodIndex victim : victims.pods)
    if (!cluster.pod(victim).terminating) answer.victims.push_back(fact_name(cluster.pod(victim)));
  for (const PodIndex other : promised())
    if (Pod& lesser = facts_.pods[raw(other)];
        lesser.nominated_node == answer.node && lesser.priority < asking.priority) {
      lesser.nominated_node = {};
      answer.freed.push_back(fact_name(lesser));
    }
  asking.nominated_node = answer.node;
  nominations_.add(key_of(asking));
  return std::optional(std::move(answer));
}

Result<std::vector<PodName>> LiveCluster::Parts::companions(std::span<const PodName> pods) {
  GEDGE_TRY(freshen());
  std::vector<PodName> found;
  if (!has_budgets_) return found;
  for (const PodIndex pod : session_->companions(waiting(pods)))
    found.push_back(fact_name(session_->cluster().pod(pod)));
  return found;
}

bool LiveCluster::Parts::break_promise(const PodName& pod) {
  const auto at = pods_.find(key_of(pod.namespace_name, pod.name));
  return at != pods_.end() && take_back(facts_.pods[at->second]).has_value();
}

Result<std::optional<PodView>> LiveCluster::Parts::look(const PodName& pod) {
  GEDGE_TRY(freshen());
  const std::vector<PodIndex> found = waiting(std::span(&pod, 1));
  if (found.empty()) return std::optional<PodView>();
  Engine& engine = *session_->engine_of(found.front());
  return std::optional<PodView>(PodView{session_->cluster(), engine, found.front()});
}

std::vector<ClaimRequest> LiveCluster::Parts::take_claims(const PodName& pod) {
  const auto at = pods_.find(key_of(pod.namespace_name, pod.name));
  if (at == pods_.end() || !session_) return {};
  return claims_.take(session_->cluster(), PodIndex{at->second}, storage_);
}

std::optional<Nanos> LiveCluster::Parts::group_timeout(const PodName& pod) const {
  const Pod* const known = find_pod(pod);
  const std::string* const name =
      known == nullptr ? nullptr : pod_group_name(*known, facts_.spec_of(*known));
  if (name == nullptr) return std::nullopt;
  const auto group =
      std::find_if(facts_.pod_groups.begin(), facts_.pod_groups.end(), [&](const PodGroup& one) {
        return one.name == *name && pod.namespace_name == one.namespace_name;
      });
  if (group == facts_.pod_groups.end() || group->timeout_seconds == 0) return std::nullopt;
  return Nanos(std::chrono::seconds(group->timeout_seconds));
}

Result<bool> LiveCluster::Parts::still_fits(const PodName& pod) {
  GEDGE_TRY(freshen());
  const auto at = pods_.find(key_of(pod.namespace_name, pod.name));
  if (at == pods_.end()) return false;
  const PodIndex index{at->second};
  ClusterState& cluster = session_->cluster();
  if (!cluster.is_placed(index) || session_->engine_of(index) == nullptr) return false;
  const NodeIndex node = cluster.node_of(index);
  cluster.unbind(index);
  session_->follow();
  const bool fits = session_->engine_of(index)->fits(index, node);
  cluster.bind(index, node);
  session_->follow();
  return fits;
}

Result<std::vector<Overcommit>> LiveCluster::Parts::overcommits(
    const std::vector<SharedText>& nodes) {
  if (!session_) GEDGE_TRY(rebuild());
  const ClusterState& cluster = session_->cluster();
  std::vector<Overcommit> found;
  for (const SharedText& name : nodes) {
    const auto node = cluster.find_node(name);
    if (!node || !cluster.alive().test(*node) || !cluster.node(*node).unread.empty()) continue;
    Overcommit overcommit{name, {}};
    for (std::uint32_t i = 0; i < cluster.resource_count(); ++i) {
      const ResourceIndex resource{i};
      const std::int64_t requested = cluster.requested(resource)[raw(*node)];
      const std::int64_t allocatable = cluster.allocatable(resource)[raw(*node)];
      if (requested > allocatable)
        overcommit.amounts.push_back({cluster.resource_name(resource), requested, allocatable});
    }
    if (!overcommit.amounts.empty()) found.push_back(std::move(overcommit));
  }
  return found;
}

Result<std::optional<PodName>> LiveCluster::Parts::relief(const SharedText& name,
                                                          const MayGo& may_go) {
  if (!session_) GEDGE_TRY(rebuild());
  const ClusterState& cluster = session_->cluster();
  const auto node = cluster.find_node(name);
  if (!node || !cluster.alive().test(*node)) return std::optional<PodName>();
  for (const PodIndex pod : cluster.pods_on(*node))
    if (assumed_.contains(key_of(cluster.pod(pod)))) return std::optional<PodName>();
  const auto found = gedge::relief(cluster, *node, [&](PodIndex pod) {
    return may_go(cluster.pod(pod), *cluster.pod_facts(pod).spec);
  });
  return found ? std::optional(fact_name(cluster.pod(*found))) : std::nullopt;
}

}  // namespace gedge
