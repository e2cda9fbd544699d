// effect/reason.cpp - evidence in the words of kube-scheduler.
//
// Source   texts of pkg/scheduler/framework/plugins/*: 1.20.2 (tests/data/conformance) and 1.36;
//          for reasons that only gedge has, sentences of the same form.
#include "gedge/effect/reason.hpp"

namespace gedge {
namespace {

std::string affinity_text(const Evidence& evidence, Compat compat) {
  if (evidence.subject == kAddedAffinity)
    return "node(s) didn't match scheduler-enforced node affinity";
  return compat == Compat::k1_20 ? "node(s) didn't match Pod's node affinity"
                                 : "node(s) didn't match Pod's node affinity/selector";
}

std::string taint_text(const std::string& taint, Compat compat) {
  return compat == Compat::k1_20 ? "node(s) had taint {" + taint + "}, that the pod didn't tolerate"
                                 : "node(s) had untolerated taint(s)";
}

// 1.20 names the plugin's purpose first, then the rule.
std::vector<std::string> inter_pod_texts(std::string rule, Compat compat) {
  if (compat != Compat::k1_20) return {std::move(rule)};
  return {"node(s) didn't match pod affinity/anti-affinity", std::move(rule)};
}

std::string volume_affinity_text(Compat compat) {
  return compat == Compat::k1_20 ? "node(s) had volume node affinity conflict"
                                 : "node(s) didn't match PersistentVolume's node affinity";
}

// What only gedge knows of; a policy module words its reasons itself.
std::string own_text(const Evidence& evidence) {
  const std::string& subject = evidence.subject;
  switch (evidence.reason) {
    case Reason::kOverBudget:
      return "node(s) were over the delay budget from " + subject;
    case Reason::kUnmeasuredRtt:
      return "node(s) had no measured RTT from " + subject;
    case Reason::kUnknownPeer:
      return "node(s) had no RTT from unknown peer " + subject;
    case Reason::kPeerNotPlaced:
      return "node(s) had no RTT from unplaced peer " + subject;
    case Reason::kBreaksBudget:
      return "node(s) would break the delay budget of pod " + subject;
    case Reason::kGpuCard:
      return "node(s) had no single card with enough free " + subject;
    case Reason::kGpuModel:
      return "node(s) had no card of model " + subject;
    case Reason::kNotCloud:
      return "node(s) were not in the cloud, where pods without budgets go";
    default:
      return subject;
  }
}

std::string text_of(const Evidence& evidence, Compat compat) {
  const std::string& subject = evidence.subject;
  switch (evidence.reason) {
    case Reason::kNodeUnschedulable:
      return "node(s) were unschedulable";
    case Reason::kNodeName:
      return compat == Compat::k1_20 ? "node(s) didn't match the requested hostname"
                                     : "node(s) didn't match the requested node name";
    case Reason::kUntoleratedTaint:
      return taint_text(subject, compat);
    case Reason::kNodeAffinity:
      return affinity_text(evidence, compat);
    case Reason::kPorts:
      return "node(s) didn't have free ports for the requested pod ports";
    case Reason::kTooManyPods:
      return "Too many pods";
    case Reason::kInsufficient:
      return "Insufficient " + subject;
    case Reason::kSpread:
      return "node(s) didn't match pod topology spread constraints";
    case Reason::kSpreadLabelMissing:
      return "node(s) didn't match pod topology spread constraints (missing required label)";
    case Reason::kPodAffinity:
      return "node(s) didn't match pod affinity rules";
    case Reason::kPodAntiAffinity:
      return "node(s) didn't match pod anti-affinity rules";
    case Reason::kExistingAntiAffinity:
      return "node(s) didn't satisfy existing pods anti-affinity rules";
    case Reason::kVolumeZone:
      return "node(s) had no available volume zone";
    case Reason::kVolumeNodeAffinity:
      return volume_affinity_text(compat);
    case Reason::kClaimMissing:
      return "persistentvolumeclaim \"" + subject + "\" not found";
    case Reason::kClaimUnbound:
      return "pod has unbound immediate PersistentVolumeClaims";
    case Reason::kClaimTerminating:
      return "persistentvolumeclaim \"" + subject + "\" is being deleted";
    case Reason::kClaimNotOwned:
      return "persistentvolumeclaim \"" + subject + "\" was not created for the pod";
    case Reason::kNoVolume:
      return "node(s) didn't find available persistent volumes to bind";
    case Reason::kVolumeMissing:
      return "node(s) unavailable due to one or more pvc(s) bound to non-existent pv(s)";
    case Reason::kOverBudget:
    case Reason::kUnmeasuredRtt:
    case Reason::kUnknownPeer:
    case Reason::kPeerNotPlaced:
    case Reason::kBreaksBudget:
    case Reason::kGpuCard:
    case Reason::kGpuModel:
    case Reason::kNotCloud:
    case Reason::kModule:
      return own_text(evidence);
  }
  return subject;
}

}  // namespace

std::string_view to_string(Unit unit) {
  switch (unit) {
    case Unit::kNone:
      return "";
    case Unit::kMilliCpu:
      return "milliCpu";
    case Unit::kBytes:
      return "bytes";
    case Unit::kCount:
      return "count";
    case Unit::kMicros:
      return "us";
    case Unit::kThousandths:
      return "thousandths";
  }
  return "";
}

std::vector<std::string> reason_texts(const Evidence& evidence, Compat compat) {
  switch (evidence.reason) {
    case Reason::kPodAffinity:
    case Reason::kPodAntiAffinity:
    case Reason::kExistingAntiAffinity:
      return inter_pod_texts(text_of(evidence, compat), compat);
    default:
      return {text_of(evidence, compat)};
  }
}

}  // namespace gedge
