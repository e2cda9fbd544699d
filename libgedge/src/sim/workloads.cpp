#include "sim/workloads.hpp"

#include <algorithm>
#include <array>
#include <cctype>

namespace gedge::sim {
namespace {

constexpr std::string_view kStatefulSet = "StatefulSet", kDaemonSet = "DaemonSet";

bool keeps_names(std::string_view kind) { return kind == kStatefulSet || kind == kDaemonSet; }

// Nobody makes a pod anew that was made by hand, or that a node runs by itself.
bool has_controller(const Pod& pod) {
  return !pod.workload_name.empty() && pod.workload_kind != "Pod" && pod.controller.kind != "Node";
}

bool is_done(const Pod& pod) {
  return pod.phase == PodPhase::kSucceeded &&
         (pod.workload_kind == "Job" || pod.workload_kind == "CronJob");
}

// The one node that a daemon is for: where it is, or what its controller wrote into its affinity.
std::string node_of(const Pod& pod, const PodSpec& spec) {
  if (!pod.bound_node.empty()) return pod.bound_node;
  for (const NodeSelectorTerm& term : spec.required_node_terms)
    for (const Requirement& field : term.fields)
      if (field.values.size() == 1) return field.values.front();
  return {};
}

bool same_word(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](char x, char y) {
    return std::tolower(static_cast<unsigned char>(x)) ==
           std::tolower(static_cast<unsigned char>(y));
  });
}

// `text` with its first `from` replaced; claims of a pod carry its name.
std::string renamed(const std::string& text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  return at == std::string::npos ? text : std::string(text).replace(at, from.size(), to);
}

}  // namespace

Workloads::Workload* Workloads::find(const Pod& pod) {
  const auto at = workloads_.find({pod.namespace_name, pod.workload_kind, pod.workload_name});
  return at == workloads_.end() || !has_controller(pod) ? nullptr : &at->second;
}

void Workloads::learn(const Pod& pod, const PodSpec& spec) {
  if (!has_controller(pod) || pod.terminating || (has_ended(pod) && !is_done(pod))) return;
  Workload& workload = workloads_[{pod.namespace_name, pod.workload_kind, pod.workload_name}];
  Mould mould{pod, spec, pod.workload_kind == kDaemonSet ? node_of(pod, spec) : std::string()};
  mould.pod.bound_node = mould.pod.nominated_node = mould.pod.uid = {};
  mould.pod.phase = PodPhase::kPending;
  mould.spec.node_name = {};
  if (workload.wanted++ == 0) workload.first = mould;
  workload.next = std::max(workload.next, pod.ordinal + 1);
  if (keeps_names(pod.workload_kind.str())) workload.named.emplace(pod.name, std::move(mould));
}

Status Workloads::scale(const WorkloadName& name, std::int64_t replicas) {
  for (auto& [key, workload] : workloads_) {
    const auto& [namespace_name, kind, known] = key;
    if (namespace_name != name.namespace_name || known != name.name || !same_word(kind, name.kind))
      continue;
    if (kind == kDaemonSet && replicas != 0)
      return invalid_input("a DaemonSet has as many pods as there are nodes for it");
    workload.wanted = replicas;
    if (kind == kDaemonSet) workload.named.clear();
    open_.insert(key);
    SimulationEvent& event = stage_.say(Happening::kScaled);
    event.namespace_name = namespace_name;
    event.pod = kind + '/' + known;
    event.note = "to " + std::to_string(replicas);
    return {};
  }
  return Error{Errc::kNotFound,
               "there is no " + name.kind + " '" + name.name + "' in namespace '" +
                   name.namespace_name + "'",
               {},
               {}};
}

void Workloads::joined(const Pod& pod) {
  Workload* const workload = find(pod);
  if (workload != nullptr && !pod.terminating && !has_ended(pod))
    workload->active.insert(name_of(pod));
  if (workload != nullptr && is_done(pod)) ++workload->done;
}

// Who is missed leaves a gap that the next one fills.
void Workloads::lose(const Pod& pod, Nanos at) {
  Workload* const workload = find(pod);
  if (workload == nullptr || workload->active.erase(name_of(pod)) == 0) return;
  open_.insert({pod.namespace_name, pod.workload_kind, pod.workload_name});
  const auto active = static_cast<std::int64_t>(workload->active.size() + workload->done);
  if (active < workload->wanted && pod.workload_kind != kDaemonSet)
    workload->losses.push_back({pod.name, pod.bound_node, at});
}

void Workloads::leaving(const Pod& pod, Nanos lost_at) { lose(pod, lost_at); }

void Workloads::ended(const Pod& pod, Nanos lost_at) {
  if (Workload* const workload = find(pod);
      workload != nullptr && is_done(pod) && workload->active.erase(name_of(pod)) > 0)
    ++workload->done;
  lose(pod, lost_at);
}

void Workloads::left(const Pod& pod, Nanos lost_at) {
  lose(pod, lost_at);
  made_for_.erase(name_of(pod));
  if (has_controller(pod)) open_.insert({pod.namespace_name, pod.workload_kind, pod.workload_name});
}

void Workloads::node_came() {
  for (const auto& [key, workload] : workloads_)
    if (std::get<1>(key) == kDaemonSet) open_.insert(key);
}

std::optional<Loss> Workloads::loss_of(const PodName& pod) const {
  const auto at = made_for_.find(pod);
  return at == made_for_.end() ? std::nullopt : std::optional(at->second);
}

bool Workloads::make(Workload& workload, const Mould& mould, const std::string& name,
                     std::int64_t ordinal) {
  Pod pod = mould.pod;
  pod.name = name;
  pod.ordinal = ordinal;
  const PodName full = name_of(pod);
  pod.created = stage_.date();
  if (stage_.cluster.pods().contains(full)) return false;
  PodSpec spec = mould.spec;
  Facts claims;
  if (!spec.volumes.empty())
    for (PodVolume& volume : spec.volumes.edit())
      volume.claim = renamed(volume.claim, mould.pod.name, name);
  for (const PodVolume& volume : mould.spec.volumes) {
    if (renamed(volume.claim, mould.pod.name, name) == volume.claim) continue;
    for (const PersistentVolumeClaim& claim : stage_.cluster.others().claims) {
      if (claim.namespace_name != pod.namespace_name || claim.name != volume.claim) continue;
      claims.claims.push_back(claim);
      claims.claims.back().name = renamed(volume.claim, mould.pod.name, name);
      claims.claims.back().volume_name.clear();
    }
  }
  if (!claims.claims.empty()) stage_.cluster.add(std::move(claims));
  if (!workload.losses.empty()) {
    made_for_.insert_or_assign(full, workload.losses.front());
    workload.losses.pop_front();
  }
  workload.active.insert(full);
  return stage_.cluster.create(std::move(pod), std::move(spec));
}

// One more pod of a StatefulSet is like the first but for its name and number.
Workloads::Mould Workloads::mould_of(const Key& key, Workload& workload, std::int64_t ordinal) {
  const std::string name = std::get<2>(key) + '-' + std::to_string(ordinal);
  const auto known = workload.named.find(name);
  if (known != workload.named.end()) return known->second;
  Mould mould = workload.first;
  for (const auto& [label, value] : workload.first.pod.extra_labels) {
    if (value == workload.first.pod.name) mould.pod.extra_labels.set(label, name);
    if (value == std::to_string(workload.first.pod.ordinal))
      mould.pod.extra_labels.set(label, std::to_string(ordinal));
  }
  return mould;
}

// A name is free again when its pod is gone.
void Workloads::fill_named(const Key& key, Workload& workload) {
  if (std::get<1>(key) == kStatefulSet) {
    const std::int64_t first = workload.first.pod.ordinal;
    for (std::int64_t i = first; i < first + workload.wanted; ++i)
      make(workload, mould_of(key, workload, i), std::get<2>(key) + '-' + std::to_string(i), i);
    return;
  }
  for (const auto& [name, mould] : workload.named)
    if (stage_.cluster.nodes().contains(mould.node)) make(workload, mould, name, mould.pod.ordinal);
}

void Workloads::fill(const Key& key, Workload& workload) {
  if (keeps_names(std::get<1>(key))) return fill_named(key, workload);
  while (static_cast<std::int64_t>(workload.active.size() + workload.done) < workload.wanted) {
    const std::int64_t ordinal = workload.next++;
    make(workload, workload.first, std::get<2>(key) + '-' + std::to_string(ordinal), ordinal);
  }
}

// Those without a place go first, then the last ones.
void Workloads::shrink(Workload& workload,
                       const std::function<void(const PodName&, std::string)>& remove) {
  const auto wanted = static_cast<std::size_t>(
      std::max(workload.wanted - static_cast<std::int64_t>(workload.done), std::int64_t{0}));
  if (workload.active.size() <= wanted) return;
  std::vector<std::tuple<bool, std::int64_t, PodName>> order;
  for (const PodName& name : workload.active) {
    const auto at = stage_.cluster.pods().find(name);
    if (at == stage_.cluster.pods().end()) continue;
    order.emplace_back(!at->second.pod.bound_node.empty(), -at->second.pod.ordinal, name);
  }
  std::sort(order.begin(), order.end());
  order.resize(std::min(order.size(), workload.active.size() - wanted));
  for (const auto& entry : order) remove(std::get<PodName>(entry), "scaled down");
}

void Workloads::reconcile(const std::function<void(const PodName&, std::string)>& remove) {
  while (!open_.empty()) {
    const Key key = *open_.begin();
    open_.erase(open_.begin());
    Workload& workload = workloads_.at(key);
    fill(key, workload);
    workload.losses.clear();  // somebody else has filled the gap
    shrink(workload, remove);
  }
}

}  // namespace gedge::sim
