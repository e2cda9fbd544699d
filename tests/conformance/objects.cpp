#include "conformance/objects.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <map>

#include "gedge/base/quantity.hpp"

namespace gedge::test {
namespace {

using nlohmann::json;

const json& list_in(const json& object, const char* key) {
  static const json kEmpty = json::array();
  return object.contains(key) ? object.at(key) : kEmpty;
}

const json& object_in(const json& object, const char* key) {
  static const json kEmpty = json::object();
  return object.contains(key) ? object.at(key) : kEmpty;
}

Labels read_labels(const json& object, const char* key) {
  Labels labels;
  for (const auto& [name, value] : object_in(object, key).items()) {
    labels.set(name, value.get<std::string>());
  }
  return labels;
}

Resources read_resources(const json& object, const char* key) {
  Resources out;
  for (const auto& [name, value] : object_in(object, key).items()) {
    const auto text = value.get<std::string>();
    const auto amount = name == kCpu ? parse_milli(text) : parse_units(text);
    REQUIRE_MESSAGE(amount, "amount " << text);
    out.set(name, *amount);
  }
  return out;
}

TaintEffect read_effect(const std::string& text) {
  if (text == "NoExecute") return TaintEffect::kNoExecute;
  return text == "NoSchedule" ? TaintEffect::kNoSchedule : TaintEffect::kPreferNoSchedule;
}

std::vector<Requirement> read_expressions(const json& object, const char* key) {
  static const std::map<std::string, SelectorOp> kOperators{
      {"In", SelectorOp::kIn},         {"NotIn", SelectorOp::kNotIn},
      {"Exists", SelectorOp::kExists}, {"DoesNotExist", SelectorOp::kDoesNotExist},
      {"Gt", SelectorOp::kGt},         {"Lt", SelectorOp::kLt}};
  std::vector<Requirement> out;
  for (const json& expression : list_in(object, key)) {
    out.push_back({expression.at("key"), kOperators.at(expression.at("operator")),
                   expression.value("values", std::vector<std::string>{})});
  }
  return out;
}

LabelSelector read_selector(const json& owner) {
  if (!owner.contains("labelSelector")) return {true, {}};
  const json& object = owner.at("labelSelector");
  std::vector<Requirement> requirements = read_expressions(object, "matchExpressions");
  for (const auto& [key, value] : read_labels(object, "matchLabels")) {
    requirements.push_back({key, SelectorOp::kEquals, {value}});
  }
  auto selector = make_selector(std::move(requirements));
  REQUIRE(selector);
  return *std::move(selector);
}

NodeSelectorTerm read_node_term(const json& object) {
  NodeSelectorTerm term;
  term.fields = read_expressions(object, "matchFields");
  auto selector = make_selector(read_expressions(object, "matchExpressions"));
  term.broken = !selector;
  if (selector) term.expressions = selector->requirements;
  return term;
}

std::vector<PodAffinityTerm> read_required(const json& affinity, const char* kind) {
  std::vector<PodAffinityTerm> out;
  const json& object = object_in(affinity, kind);
  for (const json& term : list_in(object, "requiredDuringSchedulingIgnoredDuringExecution")) {
    PodAffinityTerm read;
    read.selector = read_selector(term);
    read.namespaces = term.value("namespaces", std::vector<std::string>{});
    std::sort(read.namespaces.begin(), read.namespaces.end());
    read.topology_key = term.at("topologyKey");
    out.push_back(std::move(read));
  }
  return out;
}

void read_affinity(const json& object, PodSpec& out) {
  const json& affinity = object_in(object, "affinity");
  const json& node = object_in(affinity, "nodeAffinity");
  if (node.contains("requiredDuringSchedulingIgnoredDuringExecution")) {
    out.has_required_node_terms = true;
    const json& required = node.at("requiredDuringSchedulingIgnoredDuringExecution");
    for (const json& term : list_in(required, "nodeSelectorTerms")) {
      out.required_node_terms.push_back(read_node_term(term));
    }
  }
  out.required_affinity = read_required(affinity, "podAffinity");
  out.required_anti_affinity = read_required(affinity, "podAntiAffinity");
}

std::vector<Container> read_containers(const json& spec, const char* key) {
  std::vector<Container> out;
  for (const json& object : list_in(spec, key)) {
    const json& resources = object_in(object, "resources");
    out.push_back({object.at("name").get<std::string>(), object.value("image", ""),
                   read_resources(resources, "requests"), read_resources(resources, "limits"),
                   false});
  }
  return out;
}

void read_ports(const json& spec, PodSpec& out) {
  for (const json& container : list_in(spec, "containers")) {
    for (const json& port : list_in(container, "ports")) {
      if (port.value("hostPort", 0) == 0) continue;
      const std::string ip = port.value("hostIP", "");
      const std::string protocol = port.value("protocol", "");
      out.host_ports.push_back(
          {ip.empty() ? "0.0.0.0" : ip, protocol.empty() ? "TCP" : protocol, port.at("hostPort")});
    }
  }
}

Toleration read_toleration(const json& object) {
  Toleration out;
  out.key = object.value("key", "");
  out.exists = object.value("operator", "") == "Exists";
  out.value = object.value("value", "");
  if (const std::string effect = object.value("effect", ""); !effect.empty()) {
    out.effect = read_effect(effect);
  }
  return out;
}

PodSpec read_spec(const json& object) {
  const json& spec = object.at("spec");
  PodSpec out;
  out.labels = read_labels(object.at("metadata"), "labels");
  out.containers = read_containers(spec, "containers");
  out.init_containers = read_containers(spec, "initContainers");
  out.overhead = read_resources(spec, "overhead");
  out.node_selector = read_labels(spec, "nodeSelector");
  read_affinity(spec, out);
  read_ports(spec, out);
  for (const json& toleration : list_in(spec, "tolerations")) {
    out.tolerations.push_back(read_toleration(toleration));
  }
  for (const json& constraint : list_in(spec, "topologySpreadConstraints")) {
    TopologySpread read;
    read.max_skew = constraint.at("maxSkew");
    read.topology_key = constraint.at("topologyKey");
    read.hard = constraint.at("whenUnsatisfiable") == "DoNotSchedule";
    read.selector = read_selector(constraint);
    out.spread.push_back(std::move(read));
  }
  return out;
}

Pod& add_pod(const json& object, Facts& facts) {
  Pod pod;
  pod.namespace_name = object.at("metadata").at("namespace").get<std::string>();
  pod.name = object.at("metadata").at("name").get<std::string>();
  pod.workload_kind = "Pod";
  pod.workload_name = pod.name;
  pod.terminating = object.at("metadata").contains("deletionTimestamp");
  pod.spec = SpecIndex{static_cast<std::uint32_t>(facts.specs.size())};
  facts.specs.push_back(read_spec(object));
  return facts.pods.emplace_back(std::move(pod));
}

}  // namespace

Node read_node(const json& object) {
  Node node;
  node.name = object.at("metadata").at("name").get<std::string>();
  node.labels = read_labels(object.at("metadata"), "labels");
  node.allocatable = read_resources(object.at("status"), "allocatable");
  const json& spec = object.at("spec");
  node.unschedulable = spec.value("unschedulable", false);
  for (const json& taint : list_in(spec, "taints")) {
    node.taints.push_back(
        {taint.at("key"), taint.value("value", ""), read_effect(taint.at("effect"))});
  }
  return node;
}

void add_bound_pod(const json& object, Facts& facts) {
  Pod& pod = add_pod(object, facts);
  pod.bound_node = object.at("spec").at("nodeName").get<std::string>();
  pod.phase = PodPhase::kRunning;
}

void add_pending_pod(const json& object, Facts& facts) {
  add_pod(object, facts);
  facts.specs.back().node_name = object.at("spec").value("nodeName", "");
}

}  // namespace gedge::test
