// codec/expansion.cpp - what the controllers of workloads would make, one pod at a time.
#include "codec/expansion.hpp"

#include <algorithm>

#include "gedge/base/quantity.hpp"

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

// What a pod keeps that has a spec and claims of its own: the lists that it shares with the others
// of its template are not copied.
std::uint64_t bytes_of(const PodSpec& spec, const std::vector<PersistentVolumeClaim>& ephemeral,
                       const std::vector<PersistentVolumeClaim>& claims) {
  PodTemplate own;
  own.spec.labels = spec.labels;
  own.spec.annotations = spec.annotations;
  own.spec.node_selector = spec.node_selector;
  own.spec.budgets = spec.budgets;
  own.spec.volumes = spec.volumes;
  own.ephemeral = ephemeral;
  own.ephemeral.insert(own.ephemeral.end(), claims.begin(), claims.end());
  return sizeof(PodSpec) + content_of(own).size();
}

}  // namespace

Pod Expansion::pod_of(const Workload& workload) {
  Pod pod;
  pod.namespace_name = texts_.of(workload.meta.namespace_name);
  pod.workload_kind = texts_.of(workload.kind);
  pod.workload_name = workload.meta.name;
  pod.controller = {pod.workload_kind, pod.workload_name, workload.meta.uid};
  pod.place = workload.meta.place;
  return pod;
}

Pod& Expansion::push(Pod&& pod, bool fresh) {
  is_new_.push_back(fresh);
  return pods_.emplace_back(std::move(pod));
}

bool Expansion::has_room(const Workload& workload, std::int64_t count) {
  if (count <= drafts_.options.max_pods - expanded_) {
    expanded_ += count;
    return true;
  }
  drafts_.diagnostics.add(invalid_input(describe(workload) + " brings the pods to more than " +
                                            std::to_string(drafts_.options.max_pods),
                                        drafts_.facts.span(workload.meta.place),
                                        "check its replicas"));
  return false;
}

// True if `count` specs of `bytes` each may be kept. Says no once: what comes after one that is too
// large is small beside it.
bool Expansion::has_memory(const std::string& who, Place place, std::uint64_t bytes,
                           std::int64_t count) {
  if (out_of_memory_) return false;
  const std::uint64_t limit = drafts_.options.max_spec_bytes;
  if (static_cast<std::uint64_t>(count) <= (limit - copied_) / bytes) {
    copied_ += static_cast<std::uint64_t>(count) * bytes;
    return true;
  }
  out_of_memory_ = true;
  drafts_.diagnostics.add(invalid_input(
      who + " brings the specs that pods do not share to more than " +
          format_bytes(static_cast<std::int64_t>(limit)),
      drafts_.facts.span(place),
      "lower the number of its pods, or take labels, annotations or volumes out of its template: "
      "each pod of a DaemonSet and each with claims of its own keeps them for itself"));
  return false;
}

// The spec is that of the template.
void Expansion::admit(const PodTemplate& pod, const std::string& namespace_name,
                      const std::string& who, PodSpec& spec, Pod& out) {
  admission_.admit(pod, namespace_name, who, spec);
  const Admission::Priority priority = admission_.admit_priority(pod, spec, who);
  out.priority = priority.value;
  spec.preempts = priority.preempts;
  if (std::exchange(spec.gated, false))
    drafts_.diagnostics.warn(
        "SchedulingGated", who + " waits for scheduling gates; it is planned as if they were gone",
        drafts_.facts.span(spec.place));
}

void Expansion::add_owner(Workload& workload, const std::string& hash) {
  SpreadOwner owner{workload.kind, workload.meta.namespace_name, workload.meta.name,
                    std::move(workload.selector)};
  if (workload.kind == "Deployment") {
    owner.kind = "ReplicaSet";
    owner.name += "-" + hash;
    auto& requirements = owner.selector.requirements;
    const auto at = std::find_if(requirements.begin(), requirements.end(),
                                 [&](const Requirement& r) { return r.key > kHashLabel; });
    requirements.insert(at, {std::string(kHashLabel), SelectorOp::kEquals, {hash}});
  }
  if (owner.kind == "ReplicaSet" || owner.kind == "StatefulSet" ||
      owner.kind == "ReplicationController")
    drafts_.facts.spread_owners.push_back(std::move(owner));
}

void Expansion::add_workload(Workload& workload) {
  const std::string who = describe(workload);
  const PodTemplate& pod = *workload.pod.get();
  PodSpec spec = pod.spec;
  put_metadata(std::move(workload.template_meta), spec);
  if (workload.kind == "DaemonSet") add_daemon_tolerations(spec);
  Pod made = pod_of(workload);
  std::string hash;
  if (workload.kind == "Deployment") {
    put_content(pod, spec, content_);
    hash = hash_label(content_);
    spec.labels.set(kHashLabel, hash);
    made.controller = {texts_.of("ReplicaSet"), workload.meta.name + "-" + hash, ""};
  } else if (workload.kind == "Job" || workload.kind == "CronJob") {
    add_job_labels(workload, drafts_.options.compat, spec);
    if (workload.kind == "CronJob") made.controller = {texts_.of("Job"), made.workload_name, ""};
  }
  if (workload.has_selector && !workload.selector.matches(spec.labels) && workload.kind != "Job" &&
      workload.kind != "CronJob")
    drafts_.diagnostics.warn("SelectorMismatch",
                             "the selector of " + who + " does not match its own template",
                             drafts_.facts.span(workload.meta.place));
  add_owner(workload, hash);
  if (workload.replicas == 0) return;
  admit(pod, workload.meta.namespace_name, who, spec, made);
  if (workload.kind == "DaemonSet")
    add_daemons(workload, spec, made);
  else if (has_room(workload, workload.replicas))
    add_replicas(workload, std::move(spec), std::move(made));
}

// Specs of equal templates of Deployments are equal, but for what their namespaces add. Another
// pod's spec that is equal, with their label, is kept twice.
SpecIndex Expansion::share(const Workload& workload, PodSpec&& spec) {
  if (workload.kind != "Deployment") return share(std::move(spec));
  return SpecIndex{specs_.intern(std::move(spec), hash_content(content_))};
}

void Expansion::add_replicas(const Workload& workload, PodSpec&& spec, Pod&& pod) {
  const bool own_spec = !workload.claims.empty() || !workload.pod.get()->ephemeral.empty();
  if (!own_spec) pod.spec = share(workload, std::move(spec));
  if (own_spec && !has_memory(describe(workload), workload.meta.place,
                              bytes_of(spec, workload.pod.get()->ephemeral, workload.claims),
                              workload.replicas))
    return;
  for (std::int32_t i = 0; i < workload.replicas; ++i) {
    pod.ordinal = std::int64_t{workload.first_ordinal} + i;
    pod.name = workload.meta.name + "-" + std::to_string(pod.ordinal);
    add_own_labels(workload, drafts_.options.compat, pod);
    if (own_spec) {
      PodSpec own = spec;
      add_claims(workload.claims, pod, own);
      add_ephemeral(*workload.pod.get(), pod, true, own);
      pod.spec = share(std::move(own));
    }
    push(i + 1 < workload.replicas ? Pod(pod) : std::move(pod), true);
  }
}

void Expansion::add_daemons(const Workload& workload, const PodSpec& spec, const Pod& pod) {
  const std::string who = describe(workload);
  const std::uint64_t bytes = bytes_of(spec, workload.pod.get()->ephemeral, {});
  std::int64_t ordinal = 0;
  for (const Node& node : drafts_.facts.nodes) {
    if (!allows(spec, node)) continue;
    if (!has_room(workload, 1) || !has_memory(who, workload.meta.place, bytes, 1)) return;
    Pod daemon = pod;
    daemon.ordinal = ordinal++;
    daemon.name = workload.meta.name + "-" + node.name;
    PodSpec own = spec;
    NodeSelectorTerm only;
    only.fields.push_back({"metadata.name", SelectorOp::kIn, {node.name}});
    own.has_required_node_terms = true;
    own.required_node_terms = {only};
    add_ephemeral(*workload.pod.get(), daemon, true, own);
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
    std::vector<PodVolume>& volumes = spec.volumes.edit();
    volumes.erase(std::remove_if(volumes.begin(), volumes.end(), same), volumes.end());
    volumes.push_back({from.name, claim.name, false});
    drafts_.facts.claims.push_back(std::move(claim));
  }
}

void Expansion::add_ephemeral(const PodTemplate& pod, const Pod& made, bool with_claims,
                              PodSpec& spec) {
  if (!spec.volumes.empty())
    for (PodVolume& volume : spec.volumes.edit())
      if (volume.ephemeral) volume.claim = made.name + "-" + volume.name;
  if (!with_claims) return;
  for (const PersistentVolumeClaim& from : pod.ephemeral) {
    PersistentVolumeClaim claim = from;
    claim.namespace_name = made.namespace_name;
    claim.name = made.name + "-" + from.name;
    drafts_.facts.claims.push_back(std::move(claim));
  }
}

void Expansion::add_known(PodEntry&& entry) {
  const std::uint32_t index = raw(entry.pod.spec);
  const PodTemplate& from = drafts_.templates[index];
  Pod& pod = push(std::move(entry.pod), false);
  pod.bound_node = std::move(entry.node_name);
  const Admission::Priority priority = admission_.known_priority(from);
  pod.priority = priority.value;
  const auto known = known_.find({index, priority.preempts});
  if (known != known_.end() && from.ephemeral.empty()) {
    pod.spec = known->second;
    return;
  }
  PodSpec spec = from.spec;
  spec.preempts = priority.preempts;
  if (!from.ephemeral.empty() && !has_memory("Pod " + pod.namespace_name + "/" + pod.name,
                                             pod.place, bytes_of(spec, {}, {}), 1))
    return;
  add_ephemeral(from, pod, false, spec);
  pod.spec = share(std::move(spec));
  known_[{index, priority.preempts}] = pod.spec;
}

// What was admitted before under this key; most pods say what the last of their template said.
const Expansion::Admitted* Expansion::find_admitted(const AdmittedKey& key) {
  const std::uint32_t index = std::get<0>(key);
  if (last_admitted_.size() <= index) last_admitted_.resize(drafts_.templates.size());
  const auto*& last = last_admitted_[index];
  if (last != nullptr && last->first == key) return &last->second;
  const auto known = admitted_.find(key);
  if (known == admitted_.end()) return nullptr;
  last = &*known;
  return &known->second;
}

void Expansion::add_new(PodEntry&& entry) {
  const std::uint32_t index = raw(entry.pod.spec);
  const PodTemplate& from = drafts_.templates[index];
  Pod& pod = push(std::move(entry.pod), true);
  pod.phase = PodPhase::kPending;
  AdmittedKey key{index, pod.namespace_name, std::move(entry.node_name)};
  if (const Admitted* known = find_admitted(key)) {
    pod.spec = known->spec;
    pod.priority = known->priority;
    return;
  }
  const std::string who = "Pod " + pod.namespace_name + "/" + pod.name;
  const std::size_t said = drafts_.diagnostics.said();
  PodSpec spec = from.spec;
  admit(from, pod.namespace_name, who, spec, pod);
  spec.node_name = std::get<2>(key);
  if (!from.ephemeral.empty() && !has_memory(who, pod.place, bytes_of(spec, from.ephemeral, {}), 1))
    return;
  add_ephemeral(from, pod, true, spec);
  pod.spec = share(std::move(spec));
  if (from.ephemeral.empty() && drafts_.diagnostics.said() == said)
    admitted_[std::move(key)] = {pod.spec, pod.priority};
}

}  // namespace gedge::codec
