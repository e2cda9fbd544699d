#include "integration/equivalence/vectors.hpp"

#include <map>

#include "gedge/base/quantity.hpp"

namespace gedge::reference {
namespace {

using nlohmann::json;

const json kNothing = json::object();

const json& at(const json& object, const char* key) {
  return object.contains(key) ? object.at(key) : kNothing;
}

std::string text(const json& object, const char* key) { return object.value(key, std::string()); }

std::vector<std::string> texts(const json& object, const char* key) {
  return object.value(key, std::vector<std::string>());
}

Labels labels(const json& object) {
  Labels out;
  for (const auto& [key, value] : object.items()) out.set(key, value.get<std::string>());
  return out;
}

Resources resources(const json& object) {
  Resources out;
  for (const auto& [name, amount] : object.items()) {
    const auto quantity = amount.get<std::string>();
    out.set(name, (name == kCpu ? parse_milli(quantity) : parse_units(quantity)).value());
  }
  return out;
}

SelectorOp operation(const std::string& name) {
  static const std::map<std::string, SelectorOp> kAll{
      {"In", SelectorOp::kIn},         {"NotIn", SelectorOp::kNotIn},
      {"Exists", SelectorOp::kExists}, {"DoesNotExist", SelectorOp::kDoesNotExist},
      {"Gt", SelectorOp::kGt},         {"Lt", SelectorOp::kLt}};
  return kAll.at(name);
}

std::vector<Requirement> requirements(const json& list) {
  std::vector<Requirement> out;
  for (const json& r : list)
    out.push_back({text(r, "key"), operation(text(r, "operator")), texts(r, "values")});
  return out;
}

LabelSelector equals(const json& object) {
  std::vector<Requirement> all;
  for (const auto& [key, value] : object.items())
    all.push_back({key, SelectorOp::kIn, {value.get<std::string>()}});
  return {false, std::move(all)};
}

LabelSelector selector(const json& object, const char* key) {
  if (!object.contains(key)) return {true, {}};
  LabelSelector out = equals(at(object.at(key), "matchLabels"));
  for (Requirement& r : requirements(at(object.at(key), "matchExpressions")))
    out.requirements.push_back(r);
  return out;
}

NodeSelectorTerm node_term(const json& object) {
  NodeSelectorTerm term{requirements(at(object, "matchExpressions")),
                        requirements(at(object, "matchFields")), false};
  term.broken = !make_selector(term.expressions);
  return term;
}

std::vector<NodeSelectorTerm> node_terms(const json& affinity, const char* key) {
  std::vector<NodeSelectorTerm> out;
  for (const json& term : at(at(affinity, key), "nodeSelectorTerms"))
    out.push_back(node_term(term));
  return out;
}

std::vector<PreferredNodeTerm> preferred_terms(const json& affinity, const char* key) {
  std::vector<PreferredNodeTerm> out;
  for (const json& term : at(affinity, key))
    out.push_back({term.value("weight", 0), node_term(at(term, "preference"))});
  return out;
}

PodAffinityTerm pod_term(const json& object) {
  PodAffinityTerm term;
  term.selector = selector(object, "labelSelector");
  term.namespaces = texts(object, "namespaces");
  term.topology_key = text(object, "topologyKey");
  return term;
}

constexpr const char* kRequired = "requiredDuringSchedulingIgnoredDuringExecution";
constexpr const char* kPreferred = "preferredDuringSchedulingIgnoredDuringExecution";

void read_pod_affinity(const json& object, std::vector<PodAffinityTerm>& required,
                       std::vector<PreferredPodTerm>& preferred) {
  for (const json& term : at(object, kRequired)) required.push_back(pod_term(term));
  for (const json& term : at(object, kPreferred))
    preferred.push_back({term.value("weight", 0), pod_term(at(term, "podAffinityTerm"))});
}

void read_affinity(const json& object, PodSpec& spec) {
  const json& node = at(object, "nodeAffinity");
  spec.has_required_node_terms = node.contains(kRequired);
  spec.required_node_terms = node_terms(node, kRequired);
  spec.preferred_node_terms = preferred_terms(node, kPreferred);
  read_pod_affinity(at(object, "podAffinity"), spec.required_affinity.edit(),
                    spec.preferred_affinity.edit());
  read_pod_affinity(at(object, "podAntiAffinity"), spec.required_anti_affinity.edit(),
                    spec.preferred_anti_affinity.edit());
}

TaintEffect effect(const std::string& name) {
  if (name == "NoExecute") return TaintEffect::kNoExecute;
  return name == "NoSchedule" ? TaintEffect::kNoSchedule : TaintEffect::kPreferNoSchedule;
}

Toleration toleration(const json& object) {
  Toleration out{
      text(object, "key"), text(object, "operator") == "Exists", text(object, "value"), {}};
  if (const std::string name = text(object, "effect"); !name.empty()) out.effect = effect(name);
  return out;
}

TopologySpread spread(const json& object) {
  TopologySpread out;
  out.max_skew = object.at("maxSkew").get<std::int32_t>();
  out.topology_key = text(object, "topologyKey");
  out.hard = text(object, "whenUnsatisfiable") == "DoNotSchedule";
  out.selector = selector(object, "labelSelector");
  return out;
}

Container container(const json& object) {
  Container out;
  out.name = text(object, "name");
  out.image = text(object, "image");
  out.requests = resources(at(at(object, "resources"), "requests"));
  return out;
}

void read_ports(const json& object, PodSpec& spec) {
  for (const json& port : at(object, "ports")) {
    HostPort out;
    out.port = port.value("hostPort", 0);
    out.ip = port.value("hostIP", out.ip);
    out.protocol = port.value("protocol", out.protocol);
    if (out.port != 0) spec.host_ports.push_back(out);
  }
}

PodSpec pod_spec(const json& pod) {
  PodSpec out;
  const json& spec = pod.at("spec");
  out.labels = labels(at(pod.at("metadata"), "labels"));
  for (const json& c : at(spec, "containers")) {
    out.containers.push_back(container(c));
    read_ports(c, out);
  }
  for (const json& c : at(spec, "initContainers")) out.init_containers.push_back(container(c));
  out.overhead = resources(at(spec, "overhead"));
  out.node_selector = labels(at(spec, "nodeSelector"));
  read_affinity(at(spec, "affinity"), out);
  for (const json& t : at(spec, "tolerations")) out.tolerations.push_back(toleration(t));
  for (const json& s : at(spec, "topologySpreadConstraints")) out.spread.push_back(spread(s));
  return out;
}

void add_pod(const json& object, bool incoming, Facts& facts) {
  const json& meta = object.at("metadata");
  Pod pod;
  pod.namespace_name = meta.value("namespace", pod.namespace_name.str());
  pod.name = text(meta, "name");
  pod.terminating = meta.contains("deletionTimestamp");
  pod.phase = incoming ? PodPhase::kPending : PodPhase::kRunning;
  for (const json& owner : at(meta, "ownerReferences"))
    if (owner.value("controller", false))
      pod.controller = {text(owner, "kind"), text(owner, "name"), text(owner, "uid")};
  pod.spec = SpecIndex{static_cast<std::uint32_t>(facts.specs.size())};
  facts.specs.push_back(pod_spec(object));
  const std::string node = text(object.at("spec"), "nodeName");
  if (incoming)
    facts.specs.back().node_name = node;
  else
    pod.bound_node = node;
  facts.pods.push_back(std::move(pod));
}

Node read_node(const json& object) {
  const json& meta = object.at("metadata");
  Node node;
  node.name = text(meta, "name");
  node.labels = labels(at(meta, "labels"));
  node.unschedulable = at(object, "spec").value("unschedulable", false);
  for (const json& t : at(at(object, "spec"), "taints"))
    node.taints.push_back({text(t, "key"), text(t, "value"), effect(text(t, "effect"))});
  node.allocatable = resources(at(at(object, "status"), "allocatable"));
  for (const json& image : at(at(object, "status"), "images"))
    node.images.push_back({texts(image, "names"), image.value("sizeBytes", std::int64_t{0})});
  const std::string avoid =
      text(at(meta, "annotations"), "scheduler.alpha.kubernetes.io/preferAvoidPods");
  if (avoid.empty()) return node;
  const json entries = json::parse(avoid);
  for (const json& entry : at(entries, "preferAvoidPods")) {
    const json& controller = at(at(entry, "podSignature"), "podController");
    node.avoided.push_back({text(controller, "kind"), text(controller, "uid")});
  }
  return node;
}

void add_owners(const json& vector, const char* list, const char* kind, bool plain, Facts& facts) {
  for (const json& object : at(vector, list)) {
    const json& meta = object.at("metadata");
    SpreadOwner owner{kind, meta.value("namespace", "default"), text(meta, "name"), {}};
    const json& spec = at(object, "spec");
    owner.selector = plain ? equals(at(spec, "selector")) : selector(spec, "selector");
    facts.spread_owners.push_back(std::move(owner));
  }
}

}  // namespace

Facts read_vector(const json& vector) {
  Facts facts;
  for (const json& node : vector.at("nodes")) facts.nodes.push_back(read_node(node));
  for (const json& pod : at(vector, "pods")) add_pod(pod, false, facts);
  add_pod(vector.at("pod"), true, facts);
  add_owners(vector, "services", "Service", true, facts);
  add_owners(vector, "replicationControllers", "ReplicationController", true, facts);
  add_owners(vector, "replicaSets", "ReplicaSet", false, facts);
  add_owners(vector, "statefulSets", "StatefulSet", false, facts);
  return facts;
}

PolicyArgs read_args(const json& args) {
  PolicyArgs out;
  for (const json& r : at(args, "resources"))
    out.resources.push_back({text(r, "name"), r.value("weight", 0)});
  for (const json& point : at(args, "shape")) {
    out.shape.emplace_back(point.value("utilization", 0), point.value("score", 0));
  }
  out.hard_pod_affinity_weight = args.value("hardPodAffinityWeight", 1);
  out.added_required_terms = node_terms(at(args, "addedAffinity"), kRequired);
  out.added_preferred_terms = preferred_terms(at(args, "addedAffinity"), kPreferred);
  out.list_defaulting = text(args, "defaultingType") == "List";
  for (const json& s : at(args, "defaultConstraints")) out.default_spread.push_back(spread(s));
  return out;
}

}  // namespace gedge::reference
