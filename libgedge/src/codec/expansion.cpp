#include "codec/expansion.hpp"

#include <algorithm>

namespace gedge::codec {
namespace {

constexpr std::string_view kHashLabel = "pod-template-hash";

std::string describe(const Workload& workload) {
  return workload.kind + " " + workload.meta.namespace_name + "/" + workload.meta.name;
}

// What the DaemonSet controller asks before it makes a pod for a node.
bool allows(const PodSpec& spec, const Node& node) {
  if (!spec.node_name.empty() && spec.node_name != node.name) return false;
  for (const auto& [key, value] : spec.node_selector) {
    const std::string* found = node.labels.find(key);
    if (found == nullptr || *found != value) return false;
  }
  const auto matches = [&](const NodeSelectorTerm& term) {
    return term.matches(node.labels, node.name);
  };
  if (spec.has_required_node_terms &&
      std::none_of(spec.required_node_terms.begin(), spec.required_node_terms.end(), matches))
    return false;
  return std::all_of(node.taints.begin(), node.taints.end(), [&](const Taint& taint) {
    return taint.effect == TaintEffect::kPreferNoSchedule ||
           std::any_of(spec.tolerations.begin(), spec.tolerations.end(),
                       [&](const Toleration& toleration) { return toleration.tolerates(taint); });
  });
}

void add_job_labels(const Workload& workload, Compat compat, PodSpec& spec) {
  spec.labels.set("job-name", workload.meta.name);
  if (compat == Compat::k1_36) spec.labels.set("batch.kubernetes.io/job-name", workload.meta.name);
}

// Labels that differ from replica to replica.
void add_own_labels(const Workload& workload, Compat compat, Pod& pod) {
  const std::string ordinal = std::to_string(pod.ordinal);
  if (workload.kind == "StatefulSet") {
    pod.extra_labels.set("statefulset.kubernetes.io/pod-name", pod.name);
    if (compat == Compat::k1_36) pod.extra_labels.set("apps.kubernetes.io/pod-index", ordinal);
  }
  if (workload.is_indexed && compat == Compat::k1_36)
    pod.extra_labels.set("batch.kubernetes.io/job-completion-index", ordinal);
}

}  // namespace

Pod Expansion::pod_of(const Workload& workload) const {
  Pod pod;
  pod.namespace_name = workload.meta.namespace_name;
  pod.workload_kind = workload.kind;
  pod.workload_name = workload.meta.name;
  pod.controller = {workload.kind, workload.meta.name, workload.meta.uid};
  pod.place = workload.meta.place;
  return pod;
}

void Expansion::push(Pod pod, bool fresh) {
  pods_.push_back(std::move(pod));
  is_new_.push_back(fresh);
}

bool Expansion::has_room(const Workload& workload, std::int64_t count) {
  expanded_ += count;
  if (expanded_ <= drafts_.options.max_pods) return true;
  drafts_.diagnostics.add(invalid_input(describe(workload) + " brings the pods to more than " +
                                            std::to_string(drafts_.options.max_pods),
                                        drafts_.facts.span(workload.meta.place),
                                        "check its replicas"));
  return false;
}

PodSpec Expansion::admitted(const PodTemplate& pod, const std::string& namespace_name,
                            const std::string& who, Pod& out) {
  PodSpec spec = pod.spec;
  admission_.admit(pod, namespace_name, who, spec);
  const Admission::Priority priority = admission_.admit_priority(pod, who);
  out.priority = priority.value;
  spec.preempts = priority.preempts;
  if (pod.is_gated)
    drafts_.diagnostics.warn(
        "SchedulingGated", who + " waits for scheduling gates; it is planned as if they were gone",
        drafts_.facts.span(spec.place));
  return spec;
}

void Expansion::add_owner(const Workload& workload, const std::string& hash) {
  SpreadOwner owner{workload.kind, workload.meta.namespace_name, workload.meta.name,
                    workload.selector};
  if (workload.kind == "Deployment") {
    owner.kind = "ReplicaSet";
    owner.name += "-" + hash;
    auto& requirements = owner.selector.requirements;
    const Requirement own{std::string(kHashLabel), SelectorOp::kEquals, {hash}};
    const auto at = std::find_if(requirements.begin(), requirements.end(),
                                 [&](const Requirement& r) { return r.key > own.key; });
    requirements.insert(at, own);
  }
  if (owner.kind == "ReplicaSet" || owner.kind == "StatefulSet" ||
      owner.kind == "ReplicationController")
    drafts_.facts.spread_owners.push_back(std::move(owner));
}

void Expansion::add_workload(const Workload& workload) {
  const std::string who = describe(workload);
  PodTemplate pod = workload.pod;
  if (workload.kind == "DaemonSet") add_daemon_tolerations(pod.spec);
  Pod made = pod_of(workload);
  std::string hash;
  if (workload.kind == "Deployment") {
    hash = hash_label(content_of(pod));
    pod.spec.labels.set(kHashLabel, hash);
    made.controller = {"ReplicaSet", workload.meta.name + "-" + hash, ""};
  } else if (workload.kind == "Job" || workload.kind == "CronJob") {
    add_job_labels(workload, drafts_.options.compat, pod.spec);
    if (workload.kind == "CronJob") made.controller = {"Job", workload.meta.name, ""};
  }
  if (workload.has_selector && !workload.selector.matches(pod.spec.labels) &&
      workload.kind != "Job" && workload.kind != "CronJob")
    drafts_.diagnostics.warn("SelectorMismatch",
                             "the selector of " + who + " does not match its own template",
                             drafts_.facts.span(workload.meta.place));
  add_owner(workload, hash);
  if (workload.replicas == 0) return;
  PodSpec spec = admitted(pod, workload.meta.namespace_name, who, made);
  if (workload.kind == "DaemonSet")
    add_daemons(workload, spec, made);
  else if (has_room(workload, workload.replicas))
    add_replicas(workload, spec, std::move(made));
}

void Expansion::add_replicas(const Workload& workload, const PodSpec& spec, Pod pod) {
  const bool own_spec = !workload.claims.empty() || !workload.pod.ephemeral.empty();
  if (!own_spec) pod.spec = share(spec);
  for (std::int32_t i = 0; i < workload.replicas; ++i) {
    pod.ordinal = std::int64_t{workload.first_ordinal} + i;
    pod.name = workload.meta.name + "-" + std::to_string(pod.ordinal);
    add_own_labels(workload, drafts_.options.compat, pod);
    if (own_spec) {
      PodSpec own = spec;
      add_claims(workload.claims, pod, own);
      add_ephemeral(workload.pod, pod, true, own);
      pod.spec = share(std::move(own));
    }
    push(pod, true);
  }
}

void Expansion::add_daemons(const Workload& workload, const PodSpec& spec, const Pod& pod) {
  std::int64_t ordinal = 0;
  for (const Node& node : drafts_.facts.nodes) {
    if (!allows(spec, node)) continue;
    if (!has_room(workload, 1)) return;
    Pod daemon = pod;
    daemon.ordinal = ordinal++;
    daemon.name = workload.meta.name + "-" + node.name;
    PodSpec own = spec;
    NodeSelectorTerm only;
    only.fields.push_back({"metadata.name", SelectorOp::kIn, {node.name}});
    own.has_required_node_terms = true;
    own.required_node_terms = {only};
    add_ephemeral(workload.pod, daemon, true, own);
    daemon.spec = share(std::move(own));
    push(std::move(daemon), true);
  }
}

void Expansion::add_claims(const std::vector<PersistentVolumeClaim>& claims, const Pod& pod,
                           PodSpec& spec) {
  for (const PersistentVolumeClaim& from : claims) {
    PersistentVolumeClaim claim = from;
    claim.namespace_name = pod.namespace_name;
    claim.name = from.name + "-" + pod.name;
    const auto same = [&](const PodVolume& volume) { return volume.name == from.name; };
    spec.volumes.erase(std::remove_if(spec.volumes.begin(), spec.volumes.end(), same),
                       spec.volumes.end());
    spec.volumes.push_back({from.name, claim.name, false});
    drafts_.facts.claims.push_back(std::move(claim));
  }
}

void Expansion::add_ephemeral(const PodTemplate& pod, const Pod& made, bool with_claims,
                              PodSpec& spec) {
  for (PodVolume& volume : spec.volumes)
    if (volume.ephemeral) volume.claim = made.name + "-" + volume.name;
  if (!with_claims) return;
  for (const PersistentVolumeClaim& from : pod.ephemeral) {
    PersistentVolumeClaim claim = from;
    claim.namespace_name = made.namespace_name;
    claim.name = made.name + "-" + from.name;
    drafts_.facts.claims.push_back(std::move(claim));
  }
}

void Expansion::add_known(const PodEntry& entry) {
  const std::uint32_t index = raw(entry.pod.spec);
  const PodTemplate& from = drafts_.templates[index];
  Pod pod = entry.pod;
  pod.bound_node = entry.node_name;
  const Admission::Priority priority = admission_.known_priority(from);
  pod.priority = priority.value;
  const auto known = known_.find({index, priority.preempts});
  if (known != known_.end() && from.ephemeral.empty()) {
    pod.spec = known->second;
  } else {
    PodSpec spec = from.spec;
    spec.preempts = priority.preempts;
    add_ephemeral(from, pod, false, spec);
    pod.spec = share(std::move(spec));
    known_[{index, priority.preempts}] = pod.spec;
  }
  push(std::move(pod), false);
}

void Expansion::add_new(const PodEntry& entry, const std::string& name, std::int64_t ordinal) {
  const PodTemplate& from = drafts_.templates[raw(entry.pod.spec)];
  Pod pod = entry.pod;
  pod.name = name;
  pod.workload_name = name;
  pod.ordinal = ordinal;
  pod.phase = PodPhase::kPending;
  PodSpec spec = admitted(from, pod.namespace_name, "Pod " + pod.namespace_name + "/" + name, pod);
  spec.node_name = entry.node_name;
  add_ephemeral(from, pod, true, spec);
  pod.spec = share(std::move(spec));
  push(std::move(pod), true);
}

}  // namespace gedge::codec
