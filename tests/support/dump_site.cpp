#include "support/dump_site.hpp"

#include <array>
#include <cstdio>

#include "gedge/base/units.hpp"

namespace gedge::test {
namespace {

using nlohmann::json;

json map_of(const Labels& labels) {
  json out = json::object();
  for (const auto& [key, value] : labels) out[key] = value;
  return out;
}

json amounts(const Resources& resources) {
  json out = json::object();
  for (const auto& [name, amount] : resources)
    out[name] = std::to_string(amount) + (name == kCpu ? "m" : "");
  return out;
}

const char* operator_name(SelectorOp op) {
  switch (op) {
    case SelectorOp::kNotEquals:
    case SelectorOp::kNotIn:
      return "NotIn";
    case SelectorOp::kExists:
      return "Exists";
    case SelectorOp::kDoesNotExist:
      return "DoesNotExist";
    case SelectorOp::kGt:
      return "Gt";
    case SelectorOp::kLt:
      return "Lt";
    default:
      return "In";
  }
}

json requirements(const std::vector<Requirement>& list) {
  json out = json::array();
  for (const Requirement& r : list) {
    json one{{"key", r.key}, {"operator", operator_name(r.op)}};
    if (!r.values.empty()) one["values"] = r.values;
    out.push_back(one);
  }
  return out;
}

json selector(const LabelSelector& from) {
  return from.requirements.empty() ? json::object()
                                   : json{{"matchExpressions", requirements(from.requirements)}};
}

/// Services and replication controllers know only equality.
json equalities(const LabelSelector& from) {
  json out = json::object();
  for (const Requirement& r : from.requirements)
    if (r.values.size() == 1) out[r.key] = r.values[0];
  return out;
}

json node_term(const NodeSelectorTerm& term) {
  json out = json::object();
  if (!term.expressions.empty()) out["matchExpressions"] = requirements(term.expressions);
  if (!term.fields.empty()) out["matchFields"] = requirements(term.fields);
  return out;
}

json node_terms(const std::vector<NodeSelectorTerm>& terms) {
  json list = json::array();
  for (const NodeSelectorTerm& term : terms) list.push_back(node_term(term));
  return {{"nodeSelectorTerms", list}};
}

json pod_term(const PodAffinityTerm& term) {
  json out{{"topologyKey", term.topology_key}};
  if (!term.selector.nothing) out["labelSelector"] = selector(term.selector);
  if (!term.namespaces.empty()) out["namespaces"] = term.namespaces;
  if (term.namespace_selector) out["namespaceSelector"] = selector(*term.namespace_selector);
  if (!term.match_label_keys.empty()) out["matchLabelKeys"] = term.match_label_keys;
  if (!term.mismatch_label_keys.empty()) out["mismatchLabelKeys"] = term.mismatch_label_keys;
  return out;
}

constexpr const char* kRequired = "requiredDuringSchedulingIgnoredDuringExecution";
constexpr const char* kPreferred = "preferredDuringSchedulingIgnoredDuringExecution";

json pod_affinity(const std::vector<PodAffinityTerm>& required,
                  const std::vector<PreferredPodTerm>& preferred) {
  json out = json::object();
  for (const PodAffinityTerm& term : required) out[kRequired].push_back(pod_term(term));
  for (const PreferredPodTerm& term : preferred)
    out[kPreferred].push_back({{"weight", term.weight}, {"podAffinityTerm", pod_term(term.term)}});
  return out;
}

json affinity(const PodSpec& spec) {
  json node = json::object();
  if (spec.has_required_node_terms) node[kRequired] = node_terms(spec.required_node_terms);
  for (const PreferredNodeTerm& term : spec.preferred_node_terms)
    node[kPreferred].push_back({{"weight", term.weight}, {"preference", node_term(term.term)}});
  return {
      {"nodeAffinity", node},
      {"podAffinity", pod_affinity(spec.required_affinity, spec.preferred_affinity)},
      {"podAntiAffinity", pod_affinity(spec.required_anti_affinity, spec.preferred_anti_affinity)}};
}

const char* effect_name(TaintEffect effect) {
  if (effect == TaintEffect::kNoExecute) return "NoExecute";
  return effect == TaintEffect::kNoSchedule ? "NoSchedule" : "PreferNoSchedule";
}

json toleration(const Toleration& from) {
  json out{{"operator", from.exists ? "Exists" : "Equal"}};
  if (!from.key.empty()) out["key"] = from.key;
  if (!from.exists) out["value"] = from.value;
  if (from.effect) out["effect"] = effect_name(*from.effect);
  return out;
}

json spread(const TopologySpread& from) {
  json out{{"maxSkew", from.max_skew},
           {"topologyKey", from.topology_key},
           {"whenUnsatisfiable", from.hard ? "DoNotSchedule" : "ScheduleAnyway"},
           {"nodeAffinityPolicy", from.honor_node_affinity ? "Honor" : "Ignore"},
           {"nodeTaintsPolicy", from.honor_node_taints ? "Honor" : "Ignore"}};
  if (!from.selector.nothing) out["labelSelector"] = selector(from.selector);
  if (from.min_domains) out["minDomains"] = *from.min_domains;
  if (!from.match_label_keys.empty()) out["matchLabelKeys"] = from.match_label_keys;
  return out;
}

json container(const Container& from, bool starter) {
  json out{{"name", from.name},
           {"image", from.image},
           {"resources", {{"requests", amounts(from.requests)}}}};
  if (starter && from.restartable) out["restartPolicy"] = "Always";
  return out;
}

json containers(const PodSpec& spec) {
  json out = json::array();
  for (const Container& c : spec.containers) out.push_back(container(c, false));
  for (const HostPort& port : spec.host_ports)
    out[0]["ports"].push_back({{"hostPort", port.port},
                               {"containerPort", port.port},
                               {"hostIP", port.ip},
                               {"protocol", port.protocol}});
  if (!spec.latency_source.empty()) {
    const json config{{"scope", "local"},
                      {"priority", "GLowLatencyPriority"},
                      {"option", {{"source_node", spec.latency_source}}}};
    out[0]["env"].push_back({{"name", "gschConfig"}, {"value", config.dump()}});
  }
  return out;
}

json pod_spec(const Pod& pod, const PodSpec& spec) {
  json out{
      {"containers", containers(spec)}, {"affinity", affinity(spec)}, {"priority", pod.priority}};
  for (const Container& c : spec.init_containers)
    out["initContainers"].push_back(container(c, true));
  if (spec.pod_requests) out["resources"] = {{"requests", amounts(*spec.pod_requests)}};
  if (!spec.overhead.empty()) out["overhead"] = amounts(spec.overhead);
  if (!spec.node_selector.empty()) out["nodeSelector"] = map_of(spec.node_selector);
  for (const Toleration& t : spec.tolerations) out["tolerations"].push_back(toleration(t));
  for (const TopologySpread& s : spec.spread) out["topologySpreadConstraints"].push_back(spread(s));
  for (const PodVolume& v : spec.volumes)
    out["volumes"].push_back(
        {{"name", v.name}, {"persistentVolumeClaim", {{"claimName", v.claim}}}});
  const std::string& node = pod.bound_node.empty() ? spec.node_name.str() : pod.bound_node.str();
  if (!node.empty()) out["nodeName"] = node;
  return out;
}

std::string timestamp(UnixSeconds seconds) {
  std::array<char, 40> text{};
  std::snprintf(text.data(), text.size(), "1970-01-01T%02d:%02d:%02dZ",
                static_cast<int>(seconds / 3600 % 24), static_cast<int>(seconds / 60 % 60),
                static_cast<int>(seconds % 60));
  return text.data();
}

std::string budgets(const PodSpec& spec) {
  std::string out;
  for (const DelayBudget& budget : spec.budgets)
    out += (out.empty() ? "" : ", ") + budget.from + "=" + std::to_string(budget.limit_us) + "us";
  return out;
}

const char* phase_name(PodPhase phase) {
  constexpr std::array<const char*, 5> kNames{"Pending", "Running", "Succeeded", "Failed",
                                              "Unknown"};
  return kNames[static_cast<std::size_t>(phase)];
}

json object(const char* version, const std::string& kind, const std::string& space,
            const std::string& name) {
  json meta{{"name", name}};
  if (!space.empty()) meta["namespace"] = space;
  return {{"apiVersion", version}, {"kind", kind}, {"metadata", meta}};
}

json pod_object(const Pod& pod, const PodSpec& spec) {
  json out = object("v1", "Pod", pod.namespace_name, pod.name);
  json& meta = out["metadata"];
  meta["labels"] = map_of(pod_labels(pod, spec));
  for (const auto& [key, value] : spec.annotations) meta["annotations"][key] = value;
  if (!spec.budgets.empty()) meta["annotations"]["gedge.io/delay-budget"] = budgets(spec);
  if (pod.created != kNever) meta["creationTimestamp"] = timestamp(pod.created);
  if (pod.terminating) meta["deletionTimestamp"] = timestamp(2000);
  if (!pod.controller.kind.empty())
    meta["ownerReferences"] = json::array({{{"apiVersion", "apps/v1"},
                                            {"kind", pod.controller.kind},
                                            {"name", pod.controller.name},
                                            {"uid", pod.controller.uid},
                                            {"controller", true}}});
  out["spec"] = pod_spec(pod, spec);
  out["status"] = {{"phase", phase_name(pod.phase)}};
  return out;
}

json node_object(const Node& node) {
  json out = object("v1", "Node", "", node.name);
  out["metadata"]["labels"] = map_of(node.labels);
  json avoid = json::array();
  for (const AvoidedController& a : node.avoided)
    avoid.push_back({{"podSignature",
                      {{"podController",
                        {{"kind", a.kind},
                         {"uid", a.uid},
                         {"name", "x"},
                         {"apiVersion", "v1"},
                         {"controller", true}}}}}});
  if (!avoid.empty())
    out["metadata"]["annotations"]["scheduler.alpha.kubernetes.io/preferAvoidPods"] =
        json{{"preferAvoidPods", avoid}}.dump();
  if (node.unschedulable) out["spec"]["unschedulable"] = true;
  for (const Taint& t : node.taints)
    out["spec"]["taints"].push_back(
        {{"key", t.key}, {"value", t.value}, {"effect", effect_name(t.effect)}});
  out["status"]["allocatable"] = amounts(node.allocatable);
  for (const NodeImage& image : node.images)
    out["status"]["images"].push_back(
        {{"names", image.names()}, {"sizeBytes", image.size_bytes()}});
  return out;
}

json owner_object(const SpreadOwner& owner) {
  const bool core = owner.kind == "Service" || owner.kind == "ReplicationController";
  json out = object(core ? "v1" : "apps/v1", owner.kind, owner.namespace_name, owner.name);
  if (!owner.selector.nothing)
    out["spec"]["selector"] = core ? equalities(owner.selector) : selector(owner.selector);
  if (owner.kind != "Service") out["spec"]["replicas"] = 0;
  return out;
}

json class_object(const StorageClass& from) {
  json out = object("storage.k8s.io/v1", "StorageClass", "", from.name);
  const bool waits = from.binding == VolumeBinding::kWaitForFirstConsumer;
  out["volumeBindingMode"] = waits ? "WaitForFirstConsumer" : "Immediate";
  out["provisioner"] = from.provisions ? "example.com/disk" : "kubernetes.io/no-provisioner";
  for (const NodeSelectorTerm& term : from.allowed_topologies) {
    json expressions = json::array();
    for (const Requirement& r : term.expressions)
      expressions.push_back({{"key", r.key}, {"values", r.values}});
    out["allowedTopologies"].push_back({{"matchLabelExpressions", expressions}});
  }
  return out;
}

json volume_object(const PersistentVolume& from) {
  json out = object("v1", "PersistentVolume", "", from.name);
  out["metadata"]["labels"] = map_of(from.labels);
  out["spec"] = {{"storageClassName", from.storage_class},
                 {"capacity", {{"storage", std::to_string(from.capacity_bytes)}}},
                 {"accessModes", from.access_modes}};
  if (!from.claim_name.empty())
    out["spec"]["claimRef"] = {
        {"namespace", from.claim_namespace}, {"name", from.claim_name}, {"uid", from.claim_uid}};
  if (from.is_block) out["spec"]["volumeMode"] = "Block";
  if (!from.is_offered) out["metadata"]["deletionTimestamp"] = "2020-01-01T00:00:00Z";
  if (from.has_node_affinity) out["spec"]["nodeAffinity"]["required"] = node_terms(from.node_terms);
  return out;
}

json claim_object(const PersistentVolumeClaim& from) {
  json out = object("v1", "PersistentVolumeClaim", from.namespace_name, from.name);
  if (!from.selected_node.empty())
    out["metadata"]["annotations"]["volume.kubernetes.io/selected-node"] = from.selected_node;
  out["spec"] = {{"accessModes", from.access_modes},
                 {"resources", {{"requests", {{"storage", std::to_string(from.request_bytes)}}}}}};
  if (!from.uid.empty()) out["metadata"]["uid"] = from.uid;
  if (from.terminating) out["metadata"]["deletionTimestamp"] = "2020-01-01T00:00:00Z";
  if (from.is_half_bound) out["status"]["phase"] = "Pending";
  if (from.is_block) out["spec"]["volumeMode"] = "Block";
  if (from.storage_class) out["spec"]["storageClassName"] = *from.storage_class;
  if (!from.volume_name.empty()) out["spec"]["volumeName"] = from.volume_name;
  if (!from.selector.requirements.empty()) out["spec"]["selector"] = selector(from.selector);
  return out;
}

void write_yaml(const json& value, std::size_t indent, std::string& out) {
  const std::string lead(indent, ' ');
  if (value.is_object() && !value.empty()) {
    for (const auto& [key, part] : value.items()) {
      out += "\n" + lead + json(key).dump() + ":";
      write_yaml(part, indent + 2, out);
    }
  } else if (value.is_array() && !value.empty()) {
    for (const json& part : value) {
      out += "\n" + lead + "-";
      write_yaml(part, indent + 2, out);
    }
  } else {
    out += " " + value.dump();
  }
}

}  // namespace

std::vector<json> objects_of(const Facts& facts) {
  std::vector<json> out;
  for (const Namespace& space : facts.namespaces) {
    out.push_back(object("v1", "Namespace", "", space.name));
    out.back()["metadata"]["labels"] = map_of(space.labels);
  }
  for (const Node& node : facts.nodes) out.push_back(node_object(node));
  for (const StorageClass& c : facts.storage_classes) out.push_back(class_object(c));
  for (const PersistentVolume& volume : facts.volumes) out.push_back(volume_object(volume));
  for (const PersistentVolumeClaim& claim : facts.claims) out.push_back(claim_object(claim));
  for (const SpreadOwner& owner : facts.spread_owners) out.push_back(owner_object(owner));
  for (const Pod& pod : facts.pods) out.push_back(pod_object(pod, facts.spec_of(pod)));
  return out;
}

std::string to_yaml(const json& value) {
  std::string out;
  write_yaml(value, 0, out);
  if (!out.empty() && (out[0] == '\n' || out[0] == ' ')) out.erase(0, 1);
  return out + "\n";
}

std::string to_csv(const RttMatrix& rtt, const std::vector<NameIndex>& order) {
  std::string out = "from";
  for (const NameIndex name : order) out += "," + rtt.name(name);
  for (const NameIndex from : order) {
    out += "\n" + rtt.name(from);
    for (const NameIndex to : order) {
      const Rtt cell = rtt.at(from, to);
      std::array<char, 32> text{};
      std::snprintf(text.data(), text.size(), "%u.%03u", cell.us / 1000, cell.us % 1000);
      out += cell == kUnmeasured ? "," : "," + std::string(text.data());
    }
  }
  return out + "\n";
}

std::string to_csv(const RttMatrix& rtt) {
  std::vector<NameIndex> order;
  for (std::uint32_t i = 0; i < rtt.size(); ++i) order.push_back(NameIndex{i});
  return to_csv(rtt, order);
}

}  // namespace gedge::test
