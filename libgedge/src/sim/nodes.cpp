#include "sim/nodes.hpp"

#include <algorithm>

namespace gedge::sim {
namespace {

constexpr std::string_view kUnreachable = "node.kubernetes.io/unreachable";
constexpr std::string_view kNotReady = "node.kubernetes.io/not-ready";

bool is_about_failure(std::string_view key) { return key == kUnreachable || key == kNotReady; }

bool empties(const Taint& taint) { return taint.effect == TaintEffect::kNoExecute; }

// Facts do not say for how long a pod tolerates: who names the taint has the seconds that admission
// gives it, who tolerates everything has no end, and controllers of daemons see to theirs.
enum class Stay : std::uint8_t { kForever, kForSomeTime, kNot };

Stay stay_of(const Pod& pod, const PodSpec& spec, const Taint& taint) {
  if (pod.workload_kind == "DaemonSet" || pod.controller.kind == "Node") return Stay::kForever;
  const auto tolerates = [&](const Toleration& t) { return t.tolerates(taint); };
  const auto first = std::find_if(spec.tolerations.begin(), spec.tolerations.end(), tolerates);
  if (first == spec.tolerations.end()) return Stay::kNot;
  return is_about_failure(taint.key) && !first->key.empty() ? Stay::kForSomeTime : Stay::kForever;
}

}  // namespace

bool Nodes::fail(const std::string& name) {
  const auto& nodes = stage_.cluster.nodes();
  if (!nodes.contains(name) || !failed_.emplace(name, stage_.now).second) return false;
  stage_.say(Happening::kNodeFailed).node = name;
  stage_.after(stage_.timing.node_grace, [this, name, at = stage_.now] { notice(name, at); });
  return true;
}

void Nodes::notice(const std::string& name, Nanos failed) {
  const auto known = failed_.find(name);
  const auto at = stage_.cluster.nodes().find(name);
  if (known == failed_.end() || known->second != failed || at == stage_.cluster.nodes().end())
    return;
  Node node = at->second;
  node.ready = false;
  for (const TaintEffect effect : {TaintEffect::kNoSchedule, TaintEffect::kNoExecute})
    node.taints.push_back({std::string(kUnreachable), "", effect});
  stage_.say(Happening::kNodeUnreachable).node = name;
  stage_.cluster.change(std::move(node));
}

bool Nodes::recover(const std::string& name) {
  const auto at = stage_.cluster.nodes().find(name);
  if (at == stage_.cluster.nodes().end() || failed_.erase(name) == 0) return false;
  Node node = at->second;
  node.ready = true;
  std::erase_if(node.taints, [](const Taint& taint) { return taint.key == kUnreachable; });
  stage_.say(Happening::kNodeReady).node = name;
  stage_.cluster.change(std::move(node));
  for (const auto& [of, known] : stage_.cluster.pods()) {
    if (known.pod.bound_node != name) continue;
    if (known.pod.terminating)
      stop(known.pod);
    else
      start(known.pod);
  }
  return true;
}

std::optional<Nanos> Nodes::failed_at(std::string_view name) const {
  const auto at = failed_.find(std::string(name));
  return at == failed_.end() ? std::nullopt : std::optional(at->second);
}

void Nodes::remove(const PodName& name, std::string note) {
  const auto at = stage_.cluster.pods().find(name);
  if (at == stage_.cluster.pods().end() || at->second.pod.terminating) return;
  Pod pod = at->second.pod;
  stage_.say(Happening::kDeleted, pod).note = std::move(note);
  if (pod.bound_node.empty() || has_ended(pod)) {
    stage_.cluster.remove_pod(name);
    return;
  }
  pod.terminating = true;
  stage_.cluster.change(std::move(pod));
}

void Nodes::bound(const Pod& pod) {
  start(pod);
  const auto node = stage_.cluster.nodes().find(pod.bound_node);
  if (node != stage_.cluster.nodes().end()) return evict_from(node->second, pod);
  const auto collect = [this, name = name_of(pod), uid = pod.uid] {
    const Pod* const known = stage_.find(name, uid);
    if (known != nullptr && !stage_.cluster.nodes().contains(known->bound_node))
      stage_.cluster.remove_pod(name);
  };
  stage_.after(stage_.timing.node_grace, collect);
}

void Nodes::start(const Pod& pod) {
  if (!is_well(pod.bound_node) || pod.phase != PodPhase::kPending) return;
  const auto run = [this, name = name_of(pod), uid = pod.uid] {
    const Pod* const known = stage_.find(name, uid);
    if (known == nullptr || known->terminating || known->phase != PodPhase::kPending) return;
    if (!is_well(known->bound_node)) return;
    Pod running = *known;
    running.phase = PodPhase::kRunning;
    stage_.cluster.change(std::move(running));
  };
  stage_.after(stage_.timing.start_after, run);
}

void Nodes::stopping(const Pod& pod) { stop(pod); }

void Nodes::stop(const Pod& pod) {
  if (!is_well(pod.bound_node)) return;
  const auto end = [this, name = name_of(pod), uid = pod.uid] {
    const Pod* const known = stage_.find(name, uid);
    if (known != nullptr && is_well(known->bound_node)) stage_.cluster.remove_pod(name);
  };
  stage_.after(stage_.timing.stop_after, end);
}

void Nodes::changed(const Node& node) {
  const std::string name = node.name;
  if (std::none_of(node.taints.begin(), node.taints.end(), empties)) {
    emptied_.erase(name);
    return;
  }
  if (!emptied_.emplace(name, stage_.now).second) return;
  for (const auto& [of, known] : stage_.cluster.pods())
    if (known.pod.bound_node == name) evict_from(node, known.pod);
}

void Nodes::evict_from(const Node& node, const Pod& pod) {
  const auto known = stage_.cluster.pods().find(name_of(pod));
  const auto since = emptied_.find(node.name);
  if (known == stage_.cluster.pods().end() || since == emptied_.end()) return;
  Stay least = Stay::kForever;
  for (const Taint& taint : node.taints)
    if (empties(taint)) least = std::max(least, stay_of(pod, known->second.spec, taint));
  if (least == Stay::kForever) return;
  const Nanos span = least == Stay::kNot ? Nanos{0} : stage_.timing.evict_after;
  const auto evict = [this, name = name_of(pod), uid = pod.uid, at = since->second] {
    const Pod* const still = stage_.find(name, uid);
    if (still == nullptr || has_ended(*still)) return;
    const auto now = emptied_.find(still->bound_node);
    if (now != emptied_.end() && now->second == at) remove(name, "evicted");
  };
  stage_.after(span, evict);
}

void Nodes::gone(const std::string& name) {
  failed_.erase(name);
  emptied_.erase(name);
}

}  // namespace gedge::sim
