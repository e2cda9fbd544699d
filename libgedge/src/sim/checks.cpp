#include "gedge/sim/checks.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "gedge/verify/verify.hpp"

namespace gedge {
namespace {

// Rules that only get easier to keep the less is known to be on a node: what the scheduler counts
// beyond that makes it more careful.
constexpr std::array<std::string_view, 6> kJudged = {"NodeName",        "NodeUnschedulable",
                                                     "TaintToleration", "NodeAffinity",
                                                     "NodePorts",       "NodeResourcesFit"};

constexpr std::string_view kFit = "NodeResourcesFit";
constexpr Nanos kMostAge{60'000'000'000};

bool has_ended(const Pod& pod) {
  return pod.phase == PodPhase::kSucceeded || pod.phase == PodPhase::kFailed;
}

// What is told again is no news: a pod never comes back from its end, or from its node.
bool is_older(const Pod& pod, const Pod& known) {
  return pod.uid == known.uid &&
         ((!known.bound_node.empty() && pod.bound_node.empty()) ||
          (has_ended(known) && !has_ended(pod)) || (known.terminating && !pod.terminating));
}

// A node and the pods on it: no rule that is judged asks for more.
struct Neighbours {
  Facts facts;
  void add(const Pod& pod, const PodSpec& spec, const SharedText& on) {
    Pod& added = facts.pods.emplace_back(pod);
    added.bound_node = on;
    added.spec = SpecIndex{static_cast<std::uint32_t>(facts.specs.size())};
    facts.specs.push_back(spec);
  }
};

std::string name_text(const PodName& pod) { return pod.namespace_name + "/" + pod.name; }

}  // namespace

void SimChecks::fail(std::string invariant, std::string text) {
  Breach& breach = breaches_.emplace_back();
  breach.at = world_.time();
  breach.invariant = std::move(invariant);
  breach.text = std::move(text);
}

void SimChecks::forget() {
  pods_.clear();
  nodes_.clear();
  assumed_.clear();
  open_.clear();
  budget_ = {options_.first_binds, options_.max_binds};
  unanswered_ = 0;
  blind_since_.reset();
}

// As the scheduler was told, and what it sent since.
Facts SimChecks::told_of(const SharedText& node, const PodName& bound) const {
  Neighbours here;
  const auto at = nodes_.find(node);
  if (at != nodes_.end()) here.facts.nodes.push_back(at->second);
  for (const auto& [name, told] : pods_) {
    if (name == bound) {
      here.add(told.pod, told.spec, {});
      continue;
    }
    const auto assumed = assumed_.find(name);
    const bool is_assumed = told.pod.bound_node.empty() && assumed != assumed_.end();
    const SharedText& on = is_assumed ? assumed->second : told.pod.bound_node;
    if (on == node) here.add(told.pod, told.spec, on);
  }
  return std::move(here.facts);
}

Facts SimChecks::truth_of(const SharedText& node, const PodName& bound) const {
  Neighbours here;
  const auto at = world_.cluster().nodes().find(node);
  if (at != world_.cluster().nodes().end()) here.facts.nodes.push_back(at->second);
  for (const auto& [name, known] : world_.cluster().pods()) {
    if (name == bound)
      here.add(known.pod, known.spec, {});
    else if (known.pod.bound_node == node)
      here.add(known.pod, known.spec, node);
  }
  return std::move(here.facts);
}

// `pod` has no node in `facts`.
void SimChecks::judge(const std::string& invariant, const Facts& facts, const PodName& pod,
                      const SharedText& node) {
  const RttMatrix none;
  VerifyInput input{facts, none, options_.rtt_by, options_.compat, {}, false};
  input.placements.push_back({pod.namespace_name, pod.name, node});
  for (const Violation& violation : verify(input)) {
    if (violation.namespace_name != pod.namespace_name || violation.pod != pod.name) continue;
    const bool is_nonsense = violation.rule == "Placement";
    const bool is_judged =
        options_.filters.contains(violation.rule) &&
        std::find(kJudged.begin(), kJudged.end(), violation.rule) != kJudged.end();
    if (!is_nonsense && !is_judged) continue;
    if (invariant == "I-2" && violation.rule != kFit) continue;
    return fail(invariant, name_text(pod) + " on " + node + ": " + violation.text);
  }
}

// Also where it may mean a workload: whoever is counted must be alone.
bool SimChecks::names_pods(const DelayBudget& budget) const {
  return budget.kind == PeerKind::kPod || budget.kind == PeerKind::kWorkload ||
         (budget.kind == PeerKind::kAny && !nodes_.contains(budget.name));
}

// Nobody is placed together with it: it is in no group, and neither of its budgets nor of those of
// others depends where the other one comes.
bool SimChecks::is_alone(const PodName& name) const {
  const auto at = pods_.find(name);
  if (at == pods_.end()) return true;
  const auto& [pod, spec] = at->second;
  if (pod_group_name(pod, spec) != nullptr) return false;
  for (const DelayBudget& budget : spec.budgets)
    if (names_pods(budget)) return false;
  for (const auto& [other, told] : pods_)
    for (const DelayBudget& budget : told.spec.budgets)
      if (names_pods(budget) && (budget.name == pod.name || budget.name == pod.workload_name))
        return false;
  return true;
}

void SimChecks::sent(const BindRequest& bind) {
  ++unanswered_;
  if (!budget_.sent(bind, is_alone(bind.pod)))
    fail("I-9", name_text(bind.pod) + " is one bind more than may be under way");
  if (blind_since_ && world_.time() - *blind_since_ > kMostAge)
    fail("I-4", name_text(bind.pod) + " is bound by what was told too long ago");
  if (!open_.insert(bind.pod).second)
    fail("I-1", name_text(bind.pod) + " is bound again before it is known what became of it");
  const auto known = pods_.find(bind.pod);
  if (known == pods_.end()) {
    fail("I-4", name_text(bind.pod) + " is bound, of which nothing was told");
  } else if (known->second.pod.uid != bind.uid) {
    fail("I-1", name_text(bind.pod) + " is bound as " + bind.uid + ", and it was told that it is " +
                    known->second.pod.uid);
  } else if (!known->second.pod.bound_node.empty()) {
    fail("I-1", name_text(bind.pod) + " is bound already, and that was told");
  } else {
    judge("I-4", told_of(bind.node, bind.pod), bind.pod, bind.node);
  }
  assumed_.insert_or_assign(bind.pod, bind.node);
}

void SimChecks::done(const BindRequest& bind, const SharedText& uid, BindAnswer answer) {
  if (answer != BindAnswer::kBound) return;
  std::set<SharedText>& nodes = on_[uid];
  nodes.insert(bind.node);
  if (nodes.size() > 1) fail("I-1", name_text(bind.pod) + " was bound to two nodes");
  if (!options_.filters.contains(std::string(kFit)) || world_.is_meddled_with(bind.node)) return;
  if (!world_.cluster().nodes().contains(bind.node)) return;  // it went meanwhile
  judge("I-2", truth_of(bind.node, bind.pod), bind.pod, bind.node);
}

void SimChecks::answered(const BindRequest& bind, BindAnswer answer) {
  --unanswered_;
  budget_.answered(bind.ticket, answer);
  if (answer != BindAnswer::kBound) assumed_.erase(bind.pod);
  if (answer != BindAnswer::kUnknown && answer != BindAnswer::kConflict) open_.erase(bind.pod);
}

void SimChecks::answered(const ReadRequest& read, const PodReading& reading) {
  if (reading.kind != PodReading::Kind::kUnreadable) open_.erase(read.pod);
}

void SimChecks::told(const ClusterEvent& event) {
  if (event.kind == FactKind::kNode) {
    nodes_.erase(event.name.name);
    if (!event.is_removed) nodes_.emplace(event.name.name, event.object.nodes.front());
    return;
  }
  if (event.kind != FactKind::kPod) return;
  assumed_.erase(event.name);
  if (event.is_removed) {
    pods_.erase(event.name);
    return;
  }
  const Pod& pod = event.object.pods.front();
  budget_.seen(event.name, pod.bound_node);
  const auto known = pods_.find(event.name);
  if (known != pods_.end() && is_older(pod, known->second.pod)) return;
  if (!pod.bound_node.empty()) open_.erase(event.name);
  pods_.insert_or_assign(event.name, Told{pod, event.object.spec_of(pod)});
}

void SimChecks::listed(const Facts& all) {
  blind_since_.reset();
  pods_.clear();
  nodes_.clear();
  assumed_.clear();
  for (const Node& node : all.nodes) nodes_.emplace(node.name, node);
  for (const Pod& pod : all.pods) {
    const PodName name{pod.namespace_name, pod.name};
    if (!pod.bound_node.empty()) open_.erase(name);
    budget_.seen(name, pod.bound_node);
    pods_.emplace(name, Told{pod, all.spec_of(pod)});
  }
}

}  // namespace gedge
