// plan/apply_edits.cpp - edits become changed facts and a changed matrix.
#include <algorithm>
#include <set>

#include "gedge/base/nearest.hpp"
#include "plan/edit_node.hpp"

namespace gedge {
namespace {

constexpr std::string_view kUnschedulableTaint = "node.kubernetes.io/unschedulable";

std::string_view effect_name(TaintEffect effect) {
  switch (effect) {
    case TaintEffect::kNoSchedule:
      return "NoSchedule";
    case TaintEffect::kPreferNoSchedule:
      return "PreferNoSchedule";
    case TaintEffect::kNoExecute:
      return "NoExecute";
  }
  return "";
}

Error missing(const Edit& edit, const std::string& what) {
  return {Errc::kNotFound,
          what + ", which `" + to_string(edit) + "` names",
          {"--what-if", 0, 0, "", 1},
          {}};
}

// `known`: what could have been meant by `name`.
Error missing(const Edit& edit, const std::string& what, const std::string& name,
              const std::vector<std::string>& known) {
  Error error = missing(edit, what);
  if (const auto meant = nearest(name, known)) error.hint = "did you mean `" + *meant + "`?";
  return error;
}

Result<Node*> find_node(const Edit& edit, const std::string& name, Facts& facts) {
  for (Node& node : facts.nodes)
    if (node.name == name) return &node;
  std::vector<std::string> names;
  for (const Node& node : facts.nodes) names.push_back(node.name);
  return missing(edit, "there is no node '" + name + "'", name, names);
}

Result<std::vector<Pod>::iterator> find_pod(const Edit& edit, Facts& facts) {
  const auto at = std::find_if(facts.pods.begin(), facts.pods.end(), [&](const Pod& pod) {
    return pod.namespace_name == edit.namespace_name && pod.name == edit.name;
  });
  if (at != facts.pods.end()) return at;
  const std::string name = edit.namespace_name + "/" + edit.name;
  std::vector<std::string> names;
  for (const Pod& pod : facts.pods) names.push_back(pod.namespace_name + "/" + pod.name);
  return missing(edit, "there is no pod '" + name + "'", name, names);
}

// Who is going anyway waits for no other node.
void evict_from(const std::string& node, Facts& facts, bool node_vanishes) {
  std::erase_if(facts.pods, [&](const Pod& pod) {
    const bool is_here = pod.bound_node == node;
    if (!belongs_to_node(pod)) return is_here && pod.terminating && !pod.is_finished();
    return node_vanishes &&
           (is_here || (pod.bound_node.empty() && is_only_for(facts.spec_of(pod), node)));
  });
  for (Pod& pod : facts.pods) {
    if (pod.bound_node != node || belongs_to_node(pod) || pod.is_finished()) continue;
    pod.bound_node = {};
    pod.phase = PodPhase::kPending;
  }
}

Status remove_label(const Edit& edit, Node& node) {
  if (node.labels.find(edit.name) != nullptr) {
    node.labels.erase(edit.name);
    return {};
  }
  std::vector<std::string> keys;
  for (const auto& label : node.labels) keys.push_back(label.first);
  return missing(edit, "node '" + node.name + "' has no such label", edit.name, keys);
}

Status remove_taint(const Edit& edit, Node& node) {
  const std::size_t removed = std::erase_if(node.taints, [&](const Taint& taint) {
    return taint.key == edit.name &&
           (edit.value.empty() || edit.value == effect_name(taint.effect));
  });
  const bool uncordoned = edit.name == kUnschedulableTaint && node.unschedulable;
  if (uncordoned) node.unschedulable = false;
  if (removed > 0 || uncordoned) return {};
  std::vector<std::string> keys;
  for (const Taint& taint : node.taints) keys.push_back(taint.key);
  return missing(edit, "node '" + node.name + "' has no such taint", edit.name, keys);
}

Status change_resource(const Edit& edit, Node& node) {
  std::int64_t amount = edit.amount;
  if (edit.kind == Edit::Kind::kAddResource) {
    const std::int64_t now = node.allocatable.amount(edit.name);
    if (__builtin_add_overflow(now, edit.amount, &amount))
      amount = std::numeric_limits<std::int64_t>::max();
  }
  if (amount < 0)
    return invalid_input("`" + to_string(edit) + "` takes away more than the node has",
                         {"--what-if", 0, 0, "", 1},
                         "`node/" + edit.node + ":" + edit.name + "=0` takes all of it");
  node.allocatable.set(edit.name, amount);
  return {};
}

void add_names(const Resources& resources, std::set<std::string>& names) {
  for (const auto& [name, amount] : resources) names.insert(name);
}

std::set<std::string> resource_names(const Facts& facts) {
  std::set<std::string> names{std::string(kCpu), std::string(kMemory),
                              std::string(kEphemeralStorage), std::string(kPods)};
  for (const Node& node : facts.nodes) add_names(node.allocatable, names);
  for (const PodSpec& spec : facts.specs) {
    for (const auto* containers : {&spec.containers, &spec.init_containers})
      for (const Container& container : *containers) {
        add_names(container.requests, names);
        add_names(container.limits, names);
      }
    if (spec.pod_requests) add_names(*spec.pod_requests, names);
    if (spec.pod_limits) add_names(*spec.pod_limits, names);
    add_names(spec.overhead, names);
  }
  return names;
}

// A name that neither a node nor a pod knows would change nothing: a slip.
Status check_resource(const Edit& edit, const Facts& facts) {
  const std::set<std::string> names = resource_names(facts);
  if (names.count(edit.name) > 0) return {};
  return missing(edit, "no node has and no pod asks for '" + edit.name + "'", edit.name,
                 {names.begin(), names.end()});
}

Status edit_facts_node(const Edit& edit, Facts& facts) {
  const auto found = find_node(edit, edit.node, facts);
  if (!found) return found.error();
  const bool sets_amount =
      edit.kind == Edit::Kind::kSetResource || edit.kind == Edit::Kind::kAddResource;
  if (sets_amount) GEDGE_TRY(check_resource(edit, facts));
  GEDGE_TRY(edit_node(edit, **found));
  if (edit.kind == Edit::Kind::kDrain) evict_from(edit.node, facts, false);
  if (edit.kind != Edit::Kind::kDeleteNode) return {};
  std::erase_if(facts.nodes, [&](const Node& other) { return other.name == edit.node; });
  evict_from(edit.node, facts, true);
  return {};
}

Status edit_pod(const Edit& edit, Facts& facts) {
  const auto found = find_pod(edit, facts);
  if (!found) return found.error();
  if (edit.kind == Edit::Kind::kDeletePod) {
    facts.pods.erase(*found);
    return {};
  }
  const auto node = find_node(edit, edit.value, facts);
  if (!node) return node.error();
  (*found)->bound_node = edit.value;
  return {};
}

bool is_called(const Node& node, const std::string& rtt_by, const std::string& name) {
  const std::string* latency_name = rtt_by.empty() ? &node.name.str() : node.labels.find(rtt_by);
  return latency_name != nullptr && *latency_name == name;
}

Status edit_rtt(const Edit& edit, const Facts& facts, const std::string& rtt_by, RttMatrix& rtt) {
  if (rtt_by.empty() && edit.node == edit.name)
    return invalid_input("`" + to_string(edit) + "` names one node twice",
                         {"--what-if", 0, 0, "", 1},
                         "a node is at no distance from itself; name two");
  for (const std::string* name : {&edit.node, &edit.name}) {
    const bool is_node = std::any_of(facts.nodes.begin(), facts.nodes.end(), [&](const Node& node) {
      return is_called(node, rtt_by, *name);
    });
    if (rtt.find(*name) || is_node) continue;
    std::vector<std::string> names = rtt.names();
    for (const Node& node : facts.nodes) names.push_back(node.name);
    return missing(edit, "neither a node nor the matrix is called '" + *name + "'", *name, names);
  }
  rtt.merge(RttMatrix({edit.node, edit.name}));
  const NameIndex a = *rtt.find(edit.node), b = *rtt.find(edit.name);
  rtt.set(a, b, Rtt{static_cast<std::uint32_t>(edit.amount)});
  rtt.set(b, a, Rtt{static_cast<std::uint32_t>(edit.amount)});
  return {};
}

}  // namespace

Status edit_node(const Edit& edit, Node& node) {
  switch (edit.kind) {
    case Edit::Kind::kSetResource:
    case Edit::Kind::kAddResource:
      return change_resource(edit, node);
    case Edit::Kind::kSetLabel:
      node.labels.set(edit.name, edit.value);
      return {};
    case Edit::Kind::kRemoveLabel:
      return remove_label(edit, node);
    case Edit::Kind::kRemoveTaint:
      return remove_taint(edit, node);
    case Edit::Kind::kDrain:
      node.unschedulable = true;
      return {};
    default:
      return {};
  }
}

bool belongs_to_node(const Pod& pod) {
  return pod.workload_kind == "DaemonSet" || pod.controller.kind == "Node";
}

bool is_only_for(const PodSpec& spec, const std::string& node) {
  const auto names_it = [&](const Requirement& field) {
    return field.op == SelectorOp::kIn && field.values.size() == 1 && field.values.front() == node;
  };
  const auto is_for_it = [&](const NodeSelectorTerm& term) {
    return std::any_of(term.fields.begin(), term.fields.end(), names_it);
  };
  return !spec.required_node_terms.empty() &&
         std::all_of(spec.required_node_terms.begin(), spec.required_node_terms.end(), is_for_it);
}

Status apply_edits(const std::vector<Edit>& edits, const std::string& rtt_by, Facts& facts,
                   RttMatrix& rtt) {
  for (const Edit& edit : edits) {
    switch (edit.kind) {
      case Edit::Kind::kAddFile:
        break;
      case Edit::Kind::kMovePod:
      case Edit::Kind::kDeletePod:
        GEDGE_TRY(edit_pod(edit, facts));
        break;
      case Edit::Kind::kSetRtt:
        GEDGE_TRY(edit_rtt(edit, facts, rtt_by, rtt));
        break;
      default:
        GEDGE_TRY(edit_facts_node(edit, facts));
        break;
    }
  }
  return {};
}

}  // namespace gedge
