// Names of filters, and the texts of tables 3.0 and 3.2.
#include "support/reference/filters.hpp"

namespace gedge::reference {
namespace {

/// What the tables say; empty where they say nothing.
std::string table_text(const Evidence& evidence, bool old) {
  switch (evidence.reason) {
    case Reason::kNodeUnschedulable:
      return "node(s) were unschedulable";
    case Reason::kNodeName:
      return old ? "node(s) didn't match the requested hostname"
                 : "node(s) didn't match the requested node name";
    case Reason::kUntoleratedTaint:
      return old ? "node(s) had taint {" + evidence.subject + "}, that the pod didn't tolerate"
                 : "node(s) had untolerated taint(s)";
    case Reason::kNodeAffinity:
      if (evidence.subject == kAddedAffinity)
        return "node(s) didn't match scheduler-enforced node affinity";
      return old ? "node(s) didn't match Pod's node affinity"
                 : "node(s) didn't match Pod's node affinity/selector";
    case Reason::kPorts:
      return "node(s) didn't have free ports for the requested pod ports";
    case Reason::kTooManyPods:
      return "Too many pods";
    case Reason::kInsufficient:
      return "Insufficient " + evidence.subject;
    case Reason::kSpreadLabelMissing:
      return "node(s) didn't match pod topology spread constraints (missing required label)";
    case Reason::kSpread:
      return "node(s) didn't match pod topology spread constraints";
    case Reason::kPodAffinity:
      return "node(s) didn't match pod affinity rules";
    case Reason::kPodAntiAffinity:
      return "node(s) didn't match pod anti-affinity rules";
    case Reason::kExistingAntiAffinity:
      return "node(s) didn't satisfy existing pods anti-affinity rules";
    default:
      return {};
  }
}

bool is_inter_pod(Reason reason) {
  return reason == Reason::kPodAffinity || reason == Reason::kPodAntiAffinity ||
         reason == Reason::kExistingAntiAffinity;
}

}  // namespace

std::vector<std::string> words(const Evidence& evidence, Compat compat) {
  const bool old = compat == Compat::k1_20;
  const std::string text = table_text(evidence, old);
  if (text.empty()) return reason_texts(evidence, compat);
  if (old && is_inter_pod(evidence.reason))
    return {"node(s) didn't match pod affinity/anti-affinity", text};
  return {text};
}

Objections object(const ProfileEntry& entry, const World& world, const Seat& pod, const Node& node,
                  bool& known) {
  const std::string& name = entry.policy;
  if (name == "NodeUnschedulable") return node_unschedulable(pod, node);
  if (name == "NodeName") return node_name(pod, node);
  if (name == "TaintToleration") return taint_toleration(pod, node);
  if (name == "NodeAffinity") return node_affinity(entry.args, pod, node);
  if (name == "NodePorts") return node_ports(world, pod, node);
  if (name == "NodeResourcesFit") return resources_fit(entry.args, world, pod, node);
  if (name == "VolumeBinding") return volume_binding(world, pod, node);
  if (name == "VolumeZone") return volume_zone(world, pod, node);
  if (name == "PodTopologySpread") return topology_spread(entry.args, world, pod, node);
  if (name == "InterPodAffinity") return inter_pod_affinity(world, pod, node);
  if (name == "GpuShare") return gpu_share(world, pod, node);
  if (name == "CloudForUnconstrained") return cloud_for_unconstrained(pod, node);
  if (name == "DelayBudget") return delay_budget(world, pod, node);
  known = false;
  return {};
}

}  // namespace gedge::reference
