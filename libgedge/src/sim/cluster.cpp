// sim/cluster.cpp
#include "gedge/sim/cluster.hpp"

#include <algorithm>

namespace gedge {
namespace {

template <typename T>
void append(std::vector<T>& all, const std::vector<T>& some) {
  all.insert(all.end(), some.begin(), some.end());
}

}  // namespace

SimCluster::SimCluster(Facts facts) {
  for (Node& node : facts.nodes) nodes_.emplace(node.name, std::move(node));
  for (Pod& pod : facts.pods) {
    SimPod made{std::move(pod), {}};
    made.spec = facts.specs[raw(made.pod.spec)];
    if (made.pod.uid.empty()) made.pod.uid = "uid-" + std::to_string(++last_uid_);
    const PodName name{made.pod.namespace_name, made.pod.name};
    pods_.emplace(name, std::move(made));
  }
  others_ = std::move(facts);
  others_.nodes.clear();
  others_.pods.clear();
  others_.specs.clear();
}

void SimCluster::log(const SimPod& pod) {
  ClusterEvent event;
  event.name = {pod.pod.namespace_name, pod.pod.name};
  event.object.specs.push_back(pod.spec);
  event.object.pods.push_back(pod.pod);
  event.object.pods.front().spec = SpecIndex{0};
  log_.push_back(std::move(event));
}

void SimCluster::log(const Node& node) {
  ClusterEvent event;
  event.kind = FactKind::kNode;
  event.name = {"", node.name};
  event.object.nodes.push_back(node);
  log_.push_back(std::move(event));
}

void SimCluster::log_removed(FactKind kind, PodName name) {
  ClusterEvent event;
  event.kind = kind;
  event.name = std::move(name);
  event.is_removed = true;
  log_.push_back(std::move(event));
}

void SimCluster::forget_before(std::size_t version) {
  for (; forgotten_ < version && !log_.empty(); ++forgotten_) log_.pop_front();
}

bool SimCluster::create(Pod pod, PodSpec spec) {
  const PodName name{pod.namespace_name, pod.name};
  const auto [at, fresh] = pods_.try_emplace(name);
  if (!fresh) return false;
  pod.uid = "uid-" + std::to_string(++last_uid_);
  pod.nominated_node = {};  // status that a client writes is ignored
  at->second = {std::move(pod), std::move(spec)};
  log(at->second);
  return true;
}

bool SimCluster::create(const Node& node) {
  const auto [at, fresh] = nodes_.try_emplace(node.name, node);
  if (fresh) log(at->second);
  return fresh;
}

bool SimCluster::remove_pod(const PodName& name) {
  if (pods_.erase(name) == 0) return false;
  log_removed(FactKind::kPod, name);
  return true;
}

bool SimCluster::remove_node(const std::string& name) {
  if (nodes_.erase(name) == 0) return false;
  log_removed(FactKind::kNode, {"", name});
  return true;
}

bool SimCluster::finish(const PodName& name) {
  const auto at = pods_.find(name);
  if (at == pods_.end()) return false;
  at->second.pod.phase = PodPhase::kSucceeded;
  log(at->second);
  return true;
}

bool SimCluster::change(Node node) {
  const auto at = nodes_.find(node.name);
  if (at == nodes_.end()) return false;
  at->second = std::move(node);
  log(at->second);
  return true;
}

bool SimCluster::change(Pod pod) {
  const auto at = pods_.find({pod.namespace_name, pod.name});
  if (at == pods_.end()) return false;
  at->second.pod = std::move(pod);
  log(at->second);
  return true;
}

void SimCluster::add(Facts others) {
  others.nodes.clear();
  others.pods.clear();
  others.specs.clear();
  append(others_.namespaces, others.namespaces);
  append(others_.spread_owners, others.spread_owners);
  append(others_.priority_classes, others.priority_classes);
  append(others_.storage_classes, others.storage_classes);
  append(others_.volumes, others.volumes);
  append(others_.claims, others.claims);
  append(others_.disruption_budgets, others.disruption_budgets);
  append(others_.pod_groups, others.pod_groups);
  ClusterEvent event;
  event.kind = FactKind::kService;
  event.object = std::move(others);
  log_.push_back(std::move(event));
}

BindAnswer SimCluster::bind(const BindRequest& request) {
  const auto at = pods_.find(request.pod);
  if (at == pods_.end()) return BindAnswer::kGone;
  Pod& pod = at->second.pod;
  if (!pod.bound_node.empty() || pod.terminating) return BindAnswer::kConflict;
  pod.bound_node = request.node;
  log(at->second);
  return BindAnswer::kBound;
}

PodReading SimCluster::read(const PodName& name) const {
  const auto at = pods_.find(name);
  if (at == pods_.end()) return {PodReading::Kind::kMissing, {}, {}, false};
  const Pod& pod = at->second.pod;
  return {PodReading::Kind::kFound, pod.uid, pod.bound_node, pod.is_finished()};
}

ClaimAnswer SimCluster::claim(const ClaimRequest& request) {
  const auto claim = std::find_if(others_.claims.begin(), others_.claims.end(), [&](const auto& c) {
    return PodName{c.namespace_name, c.name} == request.claim;
  });
  if (claim == others_.claims.end()) return ClaimAnswer::kRefused;
  if (request.volume.empty()) {
    PersistentVolume made;
    made.name = "pvc-" + claim->namespace_name + "-" + claim->name;
    made.storage_class = claim->storage_class.value_or("");
    made.capacity_bytes = claim->request_bytes;
    made.access_modes = claim->access_modes;
    made.has_node_affinity = true;
    NodeSelectorTerm here;
    here.expressions.push_back({"kubernetes.io/hostname", SelectorOp::kIn, {request.node.str()}});
    made.node_terms.push_back(std::move(here));
    claim->selected_node = request.node;
    others_.volumes.push_back(std::move(made));
  }
  const std::string name =
      request.volume.empty() ? others_.volumes.back().name : request.volume.str();
  const auto volume = std::find_if(others_.volumes.begin(), others_.volumes.end(),
                                   [&](const auto& v) { return v.name == name; });
  if (volume == others_.volumes.end() || !volume->claim_name.empty()) return ClaimAnswer::kRefused;
  volume->claim_namespace = claim->namespace_name;
  volume->claim_name = claim->name;
  claim->volume_name = name;
  ClusterEvent event;
  event.kind = FactKind::kClaim;
  event.name = request.claim;
  event.object.volumes.push_back(*volume);
  event.object.claims.push_back(*claim);
  log_.push_back(std::move(event));
  return ClaimAnswer::kAsked;
}

Facts SimCluster::list() const {
  Facts all = others_;
  for (const auto& [name, node] : nodes_) all.nodes.push_back(node);
  for (const auto& [name, pod] : pods_) {
    all.pods.push_back(pod.pod);
    all.pods.back().spec = SpecIndex{static_cast<std::uint32_t>(all.specs.size())};
    all.specs.push_back(pod.spec);
  }
  return all;
}

}  // namespace gedge
