#include "gedge/sim/world.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "gedge/base/split_mix.hpp"
#include "gedge/policy/delay.hpp"
#include "gedge/snapshot/cluster_state.hpp"
#include "sim/churn.hpp"
#include "sim/nodes.hpp"
#include "sim/stage.hpp"
#include "sim/workloads.hpp"

namespace gedge {
namespace {

using sim::has_ended;
using sim::name_of;

Error missing(std::string_view what, std::string_view name) {
  return {
      Errc::kNotFound, "there is no " + std::string(what) + " '" + std::string(name) + "'", {}, {}};
}

// A disruption budget says that it must not go.
bool is_kept(const SimCluster::SimPod& known, const std::vector<PodDisruptionBudget>& budgets) {
  const Labels labels = pod_labels(known.pod, known.spec);
  return std::any_of(budgets.begin(), budgets.end(), [&](const PodDisruptionBudget& budget) {
    return budget.namespace_name == known.pod.namespace_name && budget.disruptions_allowed <= 0 &&
           !budget.selector.requirements.empty() && budget.selector.matches(labels);
  });
}

// Whoever was made without a date was there from the beginning.
UnixSeconds date_pods(Facts& facts) {
  UnixSeconds begin = 0;
  for (const Pod& pod : facts.pods)
    if (pod.created != kNever) begin = std::max(begin, pod.created);
  for (Pod& pod : facts.pods)
    if (pod.created == kNever) pod.created = begin;
  return begin;
}

template <typename T>
std::vector<T> only_new(const std::vector<T>& before, const std::vector<T>& after) {
  std::set<PodName> known;
  for (const T& object : before) known.insert(fact_name(object));
  std::vector<T> fresh;
  for (const T& object : after)
    if (!known.contains(fact_name(object))) fresh.push_back(object);
  return fresh;
}

bool holds_nothing(const Facts& facts) {
  return facts.namespaces.empty() && facts.spread_owners.empty() &&
         facts.priority_classes.empty() && facts.storage_classes.empty() && facts.volumes.empty() &&
         facts.claims.empty() && facts.disruption_budgets.empty() && facts.pod_groups.empty();
}

bool is_same(const RttMatrix& a, const RttMatrix& b) {
  if (a.names() != b.names()) return false;
  for (std::uint32_t i = 0; i < a.size(); ++i) {
    const auto before = a.row(NameIndex{i}), after = b.row(NameIndex{i});
    if (!std::equal(before.begin(), before.end(), after.begin())) return false;
  }
  return true;
}

bool has_less(const Node& before, const Node& after) {
  return std::any_of(before.allocatable.begin(), before.allocatable.end(), [&](const auto& entry) {
    return after.allocatable.amount(entry.first) < entry.second;
  });
}

}  // namespace

class SimWorld::Parts {
 public:
  Parts(SimWorld& world, Facts facts, RttMatrix rtt, const SimWorldOptions& options)
      : world_(world),
        options_(options),
        stage{SimCluster(Facts{}), options.timing, {}, date_pods(facts), {}, {}},
        nodes(stage),
        workloads_(stage),
        rtt_(std::move(rtt)),
        dice_(split_mix(options.seed)) {
    for (const Pod& pod : facts.pods) workloads_.learn(pod, facts.spec_of(pod));
    stage.cluster = SimCluster(std::move(facts));
    for (const auto& [name, known] : stage.cluster.pods()) {
      known_.emplace(name, known.pod);
      workloads_.joined(known.pod);
    }
    for (const auto& [name, node] : stage.cluster.nodes()) nodes.changed(node);
    for (const auto& [name, known] : stage.cluster.pods())
      if (!known.pod.bound_node.empty()) nodes.bound(known.pod);
  }

  Status advance(Nanos now);
  void settle();
  void forget_before(std::size_t version);
  void churn(Nanos every, Nanos until);
  Status edit(const Change& change, std::string note);
  void add(const Facts& before, const Facts& after);
  void remove(const PodName& name, std::string note) {
    nodes.remove(name, std::move(note));
    settle();
  }

 private:
  SimWorld& world_;
  SimWorldOptions options_;

 public:
  sim::Stage stage;
  sim::Nodes nodes;
  sim::Workloads& workloads() { return workloads_; }
  const RttMatrix& rtt() const { return rtt_; }
  std::uint64_t rtt_version() const { return rtt_version_; }
  bool is_meddled_with(std::string_view node) const { return meddled_.contains(std::string(node)); }

 private:
  void see(const ClusterEvent& event);
  void see_gone(const PodName& name);
  void see_pod(const Pod& pod);
  void see_node(const ClusterEvent& event);
  void say_bound(const Pod& pod);
  Nanos lost_at(const Pod& pod) const {
    return nodes.failed_at(pod.bound_node).value_or(stage.now);
  }
  void change_nodes(const Facts& now);
  void change_pods(const Facts& now);
  void change_pod(const Pod& before, const Pod& now);

  sim::Workloads workloads_;
  RttMatrix rtt_;
  std::uint64_t rtt_version_ = 1;
  SplitMix dice_;
  std::size_t seen_ = 0;
  std::map<PodName, Pod> known_;  // as they were last seen
  std::set<std::string> nodes_seen_;
  std::set<std::string> meddled_;
};

Status SimWorld::Parts::advance(Nanos now) {
  settle();
  while (!stage.later.empty() && stage.later.begin()->first <= now) {
    stage.now = std::max(stage.now, stage.later.begin()->first);
    const sim::Stage::Then then = std::move(stage.later.begin()->second);
    stage.later.erase(stage.later.begin());
    GEDGE_TRY(then());
    settle();
  }
  stage.now = std::max(stage.now, now);
  return {};
}

// What nobody in here has seen stays.
void SimWorld::Parts::forget_before(std::size_t version) {
  stage.cluster.forget_before(std::min(version, seen_));
}

// What one does is what the next one sees, until nobody does anything.
void SimWorld::Parts::settle() {
  const auto remove = [this](const PodName& name, std::string note) {
    nodes.remove(name, std::move(note));
  };
  do {
    for (; seen_ < stage.cluster.version(); ++seen_) see(stage.cluster.event(seen_));
    workloads_.reconcile(remove);
  } while (seen_ < stage.cluster.version());
}

void SimWorld::Parts::see(const ClusterEvent& event) {
  if (event.kind == FactKind::kNode) return see_node(event);
  if (event.kind != FactKind::kPod) return;
  if (event.is_removed) return see_gone(event.name);
  see_pod(event.object.pods.front());
}

void SimWorld::Parts::see_node(const ClusterEvent& event) {
  const std::string& name = event.name.name.str();
  if (event.is_removed) {
    stage.say(Happening::kNodeGone).node = name;
    return nodes.gone(name);
  }
  nodes.changed(event.object.nodes.front());
  workloads_.node_came();
}

void SimWorld::Parts::see_gone(const PodName& name) {
  const auto at = known_.find(name);
  if (at == known_.end()) return;
  stage.say(Happening::kGone, at->second);
  workloads_.left(at->second, lost_at(at->second));
  known_.erase(at);
}

void SimWorld::Parts::see_pod(const Pod& pod) {
  const auto [at, fresh] = known_.try_emplace(name_of(pod));
  const Pod before = std::exchange(at->second, pod);
  const bool is_new = fresh || before.uid != pod.uid;
  if (is_new) {
    SimulationEvent& event = stage.say(Happening::kCreated, pod);
    if (const auto loss = workloads_.loss_of(name_of(pod))) {
      event.replaces = loss->pod;
      event.was_on = loss->node;
    }
    workloads_.joined(pod);
  }
  if (!pod.bound_node.empty() && (is_new || before.bound_node.empty())) {
    say_bound(pod);
    nodes.bound(pod);
  }
  if (pod.terminating && !before.terminating) {
    workloads_.leaving(pod, lost_at(pod));
    nodes.stopping(pod);
  }
  if (pod.phase == before.phase) return;
  if (pod.phase == PodPhase::kRunning) stage.say(Happening::kRunning, pod);
  if (!has_ended(pod)) return;
  stage.say(Happening::kFinished, pod);
  workloads_.ended(pod, lost_at(pod));
}

void SimWorld::Parts::say_bound(const Pod& pod) {
  SimulationEvent& event = stage.say(Happening::kBound, pod);
  if (const auto loss = workloads_.loss_of(name_of(pod))) {
    event.replaces = loss->pod;
    event.was_on = loss->node;
    event.since_lost = stage.now - loss->at;
  }
  if (!options_.reports_budgets) return;
  if (stage.cluster.pods().at(name_of(pod)).spec.budgets.empty()) return;
  const Facts facts = stage.cluster.list();
  const ClusterState state(facts, rtt_, {options_.compat, options_.rtt_by});
  for (std::size_t i = 0; i < facts.pods.size(); ++i)
    if (facts.pods[i].uid == pod.uid)
      event.budgets = budget_reports(state, PodIndex{static_cast<std::uint32_t>(i)});
}

void SimWorld::Parts::churn(Nanos every, Nanos until) {
  const auto span = static_cast<std::size_t>(2 * every.count());
  const Nanos next = stage.now + Nanos(static_cast<std::int64_t>(1 + dice_.below(span)));
  if (next >= until) return;
  stage.later.emplace(next, [this, every, until] {
    sim::churn(world_, dice_);
    churn(every, until);
    return Status{};
  });
}

Status SimWorld::Parts::edit(const Change& change, std::string note) {
  Facts now = stage.cluster.list();
  RttMatrix rtt = rtt_;
  GEDGE_TRY(change(now, rtt));
  if (!note.empty()) stage.say(Happening::kEdited).note = std::move(note);
  change_pods(now);
  change_nodes(now);
  if (!is_same(rtt, rtt_)) {
    rtt_ = std::move(rtt);
    ++rtt_version_;
  }
  settle();
  return {};
}

void SimWorld::Parts::change_nodes(const Facts& now) {
  std::set<std::string> left;
  for (const Node& node : now.nodes) {
    left.insert(node.name);
    const auto before = stage.cluster.nodes().find(node.name);
    if (before == stage.cluster.nodes().end() || differing_parts(before->second, node) == 0)
      continue;
    if (has_less(before->second, node)) meddled_.insert(node.name);
    SimulationEvent& event = stage.say(Happening::kNodeChanged);
    event.node = node.name;
    if (node.unschedulable != before->second.unschedulable)
      event.note = node.unschedulable ? "cordoned" : "uncordoned";
    stage.cluster.change(node);
  }
  std::vector<std::string> gone;
  for (const auto& [name, node] : stage.cluster.nodes())
    if (!left.contains(name)) gone.push_back(name);
  for (const std::string& name : gone) {
    std::vector<PodName> here;
    for (const auto& [of, known] : stage.cluster.pods())
      if (known.pod.bound_node == name) here.push_back(of);
    for (const PodName& of : here) stage.cluster.remove_pod(of);
    stage.cluster.remove_node(name);
  }
}

void SimWorld::Parts::change_pods(const Facts& now) {
  std::map<PodName, const Pod*> left;
  for (const Pod& pod : now.pods) left.emplace(name_of(pod), &pod);
  std::vector<Pod> before;
  for (const auto& [name, known] : stage.cluster.pods()) before.push_back(known.pod);
  for (const Pod& pod : before) {
    const auto at = left.find(name_of(pod));
    if (at == left.end())
      nodes.remove(name_of(pod), "deleted");
    else if (at->second->bound_node != pod.bound_node)
      change_pod(pod, *at->second);
  }
}

// A pod never changes its node: another one of its name does.
void SimWorld::Parts::change_pod(const Pod& before, const Pod& now) {
  const PodName name = name_of(before);
  if (now.bound_node.empty()) return nodes.remove(name, "evicted");
  meddled_.insert(now.bound_node);
  if (!before.bound_node.empty()) {
    const PodSpec spec = stage.cluster.pods().at(name).spec;
    stage.cluster.remove_pod(name);
    Pod pod = before;
    pod.bound_node = {};
    pod.phase = PodPhase::kPending;
    stage.cluster.create(std::move(pod), spec);
  }
  stage.cluster.bind({0, name, {}, now.bound_node});
}

void SimWorld::Parts::add(const Facts& before, const Facts& after) {
  for (const Node& node : only_new(before.nodes, after.nodes)) {
    const SharedText name = node.name;
    if (stage.cluster.create(node)) stage.say(Happening::kNodeAdded).node = name;
  }
  Facts others;
  others.namespaces = only_new(before.namespaces, after.namespaces);
  others.spread_owners = only_new(before.spread_owners, after.spread_owners);
  others.priority_classes = only_new(before.priority_classes, after.priority_classes);
  others.storage_classes = only_new(before.storage_classes, after.storage_classes);
  others.volumes = only_new(before.volumes, after.volumes);
  others.claims = only_new(before.claims, after.claims);
  others.disruption_budgets = only_new(before.disruption_budgets, after.disruption_budgets);
  others.pod_groups = only_new(before.pod_groups, after.pod_groups);
  if (!holds_nothing(others)) stage.cluster.add(std::move(others));
  for (Pod& pod : only_new(before.pods, after.pods)) {
    const PodSpec& spec = after.spec_of(pod);
    workloads_.learn(pod, spec);
    if (pod.created == kNever) pod.created = stage.date();
    stage.cluster.create(std::move(pod), spec);
  }
  settle();
}

SimWorld::SimWorld(Facts facts, RttMatrix rtt, const SimWorldOptions& options)
    : parts_(std::make_unique<Parts>(*this, std::move(facts), std::move(rtt), options)) {}
SimWorld::~SimWorld() = default;

Status SimWorld::advance(Nanos now) { return parts_->advance(now); }
Nanos SimWorld::time() const { return parts_->stage.now; }
std::optional<Nanos> SimWorld::next() const {
  const auto& later = parts_->stage.later;
  return later.empty() ? std::nullopt : std::optional(later.begin()->first);
}

void SimWorld::at(Nanos when, Act act) {
  parts_->stage.later.emplace(when, [this, act = std::move(act)] { return act(*this); });
}
void SimWorld::churn(Nanos every, Nanos until) { parts_->churn(every, until); }

Status SimWorld::fail_node(std::string_view name) {
  if (!parts_->nodes.fail(std::string(name))) {
    if (!cluster().nodes().contains(std::string(name))) return missing("node", name);
    return Error{Errc::kConflict, "node '" + std::string(name) + "' has failed already", {}, {}};
  }
  return {};
}

Status SimWorld::recover_node(std::string_view name) {
  if (!parts_->nodes.recover(std::string(name))) {
    if (!cluster().nodes().contains(std::string(name))) return missing("node", name);
    return Error{Errc::kConflict, "node '" + std::string(name) + "' has not failed", {}, {}};
  }
  parts_->settle();
  return {};
}

Status SimWorld::delete_pod(const PodName& name, std::string note) {
  if (!cluster().pods().contains(name))
    return missing("pod", name.namespace_name + "/" + name.name);
  parts_->remove(name, std::move(note));
  return {};
}

EvictAnswer SimWorld::evict(const EvictRequest& request) {
  const auto at = cluster().pods().find(request.pod);
  if (at == cluster().pods().end() || at->second.pod.uid != request.uid) return EvictAnswer::kGoing;
  if (request.within_budgets && is_kept(at->second, cluster().others().disruption_budgets))
    return EvictAnswer::kFailed;
  parts_->remove(request.pod, request.is_repair() ? "evicted: its node has too much"
                                                  : "preempted by " + request.by.namespace_name +
                                                        "/" + request.by.name);
  return EvictAnswer::kGoing;
}

void SimWorld::nominate(const Nomination& nomination) {
  const auto at = cluster().pods().find(nomination.pod);
  if (at == cluster().pods().end() || at->second.pod.uid != nomination.uid) return;
  Pod pod = at->second.pod;
  pod.nominated_node = nomination.node;
  parts_->stage.cluster.change(std::move(pod));
}

Status SimWorld::replace_pod(const PodName& name) {
  const auto at = cluster().pods().find(name);
  if (at == cluster().pods().end()) return missing("pod", name.namespace_name + "/" + name.name);
  Pod pod = at->second.pod;
  PodSpec spec = at->second.spec;
  pod.bound_node = {};
  pod.phase = PodPhase::kPending;
  pod.terminating = false;
  pod.created = parts_->stage.date();
  parts_->stage.say(Happening::kDeleted, at->second.pod).note = "replaced";
  parts_->stage.cluster.remove_pod(name);
  parts_->stage.cluster.create(std::move(pod), std::move(spec));
  parts_->settle();
  return {};
}

Status SimWorld::finish_pod(const PodName& name) {
  const auto at = cluster().pods().find(name);
  if (at == cluster().pods().end()) return missing("pod", name.namespace_name + "/" + name.name);
  if (at->second.pod.bound_node.empty() || has_ended(at->second.pod))
    return Error{Errc::kConflict, "pod '" + name.name + "' does not run", {}, {}};
  parts_->stage.cluster.finish(name);
  parts_->settle();
  return {};
}

Status SimWorld::scale(const WorkloadName& workload, std::int64_t replicas) {
  GEDGE_TRY(parts_->workloads().scale(workload, replicas));
  parts_->settle();
  return {};
}

Status SimWorld::edit(const Change& change, std::string note) {
  return parts_->edit(change, std::move(note));
}

void SimWorld::add(const Facts& before, const Facts& after) { parts_->add(before, after); }

ClaimAnswer SimWorld::claim(const ClaimRequest& request) {
  return parts_->stage.cluster.claim(request);
}

BindAnswer SimWorld::bind(const BindRequest& request) {
  const BindAnswer answer = parts_->stage.cluster.bind(request);
  parts_->settle();
  return answer;
}

void SimWorld::tell(const Unschedulable& pod) {
  const auto at = cluster().pods().find(pod.pod);
  if (at == cluster().pods().end() || at->second.pod.uid != pod.uid) return;
  parts_->stage.say(Happening::kUnschedulable, at->second.pod).note = pod.message;
}

const SimCluster& SimWorld::cluster() const { return parts_->stage.cluster; }
void SimWorld::forget_before(std::size_t version) { parts_->forget_before(version); }
const RttMatrix& SimWorld::rtt() const { return parts_->rtt(); }
std::uint64_t SimWorld::rtt_version() const { return parts_->rtt_version(); }
bool SimWorld::is_meddled_with(std::string_view node) const {
  return parts_->is_meddled_with(node);
}
std::vector<SimulationEvent> SimWorld::take_events() {
  return std::exchange(parts_->stage.events, {});
}

}  // namespace gedge
