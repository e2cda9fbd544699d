// codec/facts_maker.cpp - from drafts to Facts: names and owners settled, workloads expanded,
// everything sorted.
#include <xxhash.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <set>
#include <tuple>

#include "codec/claim_binding.hpp"
#include "codec/drafts.hpp"
#include "codec/expansion.hpp"
#include "codec/flat_index.hpp"
#include "codec/pod_order.hpp"
#include "codec/shared_texts.hpp"

namespace gedge::codec {
namespace {

using Key = std::pair<std::string, std::string>;  // namespace, name

template <typename T, typename F>
void sort_by(std::vector<T>& values, F key) {
  const auto less = [&](const T& a, const T& b) { return key(a) < key(b); };
  if (!std::is_sorted(values.begin(), values.end(), less))
    std::stable_sort(values.begin(), values.end(), less);
}

template <typename T, typename F>
void sort_unique(std::vector<T>& values, F key) {
  sort_by(values, key);
  values.erase(std::unique(values.begin(), values.end(),
                           [&](const T& a, const T& b) { return key(a) == key(b); }),
               values.end());
}

const auto kByName = [](const auto& value) { return std::tie(value.name); };
const auto kByNamespace = [](const auto& value) {
  return std::tie(value.namespace_name, value.name);
};

void sort_declared(Facts& facts) {
  sort_by(facts.nodes, kByName);
  sort_by(facts.priority_classes, kByName);
  sort_by(facts.storage_classes, kByName);
  sort_by(facts.volumes, kByName);
  sort_by(facts.disruption_budgets, kByNamespace);
  sort_by(facts.pod_groups, kByNamespace);
}

// "web-3" of a StatefulSet "web" is 3.
std::int64_t ordinal_of(const std::string& pod, const std::string& workload) {
  std::int64_t ordinal = 0;
  if (pod.size() > workload.size() + 1 && pod.compare(0, workload.size(), workload) == 0)
    std::from_chars(pod.data() + workload.size() + 1, pod.data() + pod.size(), ordinal);
  return ordinal;
}

// The workload that people know: not the ReplicaSet but its Deployment, not the Job but its
// CronJob.
class Owners {
 public:
  explicit Owners(const std::vector<MadeBy>& made_by) {
    for (const MadeBy& made : made_by)
      makers_[{made.namespace_name, made.kind + "/" + made.name}] = made.maker;
  }

  void settle(Pod& pod, const PodSpec& spec) {
    if (!pod.workload_name.empty()) return;  // a pod that nothing made
    if (pod.controller.name.empty()) {
      pod.workload_kind = pod_kind_;
      pod.workload_name = pod.name;
      return;
    }
    pod.workload_kind = pod.controller.kind;
    pod.workload_name = pod.controller.name;
    if (pod.workload_kind == "StatefulSet") pod.ordinal = ordinal_of(pod.name, pod.workload_name);
    const auto made = makers_.empty() ? makers_.end() : makers_.find(maker_key(pod));
    if (made != makers_.end()) {
      pod.workload_kind = made->second.kind;
      pod.workload_name = made->second.name;
    } else if (pod.workload_kind == "ReplicaSet") {
      by_hash(pod, spec);
    }
  }

 private:
  static Key maker_key(const Pod& pod) {
    return {pod.namespace_name, pod.workload_kind + "/" + pod.workload_name};
  }

  // A dump without ReplicaSets: their names end with the hash that their pods carry.
  void by_hash(Pod& pod, const PodSpec& spec) {
    const std::string* hash = pod_label(pod, spec, "pod-template-hash");
    if (hash == nullptr || hash->empty()) return;
    const std::string& name = pod.controller.name;
    if (name.size() < hash->size() + 2) return;
    const std::size_t cut = name.size() - hash->size();
    if (name.compare(cut, hash->size(), *hash) != 0 || name[cut - 1] != '-') return;
    pod.workload_kind = deployment_kind_;
    pod.workload_name = names_.of(std::string_view(name).substr(0, cut - 1));
  }

  const SharedText pod_kind_ = "Pod", deployment_kind_ = "Deployment";
  SharedTexts names_;
  std::map<Key, ControllerRef> makers_;
};

bool is_bound(const PodEntry& entry) {
  if (entry.node_name.empty()) return false;
  return !entry.in_manifests || (entry.has_phase && entry.pod.phase != PodPhase::kPending);
}

/// Who holds a name: a pod for each namespace and name.
class NameTable {
 public:
  explicit NameTable(const std::vector<Pod>& pods) : pods_(pods) {}

  /// The pod that holds the name of `pod`: `pod` itself where nobody did.
  std::uint32_t& holder(std::uint32_t pod) {
    const auto next = static_cast<std::uint32_t>(held_.size());
    const std::uint32_t at = index_.find_or_add(
        hash_of(pod), next, [&](std::uint32_t i) { return same_name(held_[i], pod); });
    if (at == next) held_.push_back(pod);
    return held_[at];
  }
  bool holds_name_of(std::uint32_t pod) const {
    constexpr std::uint32_t nobody = 0xFFFFFFFF;
    return index_.find(hash_of(pod), nobody,
                       [&](std::uint32_t i) { return same_name(held_[i], pod); }) != nobody;
  }

 private:
  std::uint64_t hash_of(std::uint32_t pod) const {
    const std::string &space = pods_[pod].namespace_name, &name = pods_[pod].name;
    return XXH3_64bits_withSeed(name.data(), name.size(), XXH3_64bits(space.data(), space.size()));
  }
  bool same_name(std::uint32_t a, std::uint32_t b) const {
    return pods_[a].name == pods_[b].name && pods_[a].namespace_name == pods_[b].namespace_name;
  }

  const std::vector<Pod>& pods_;
  std::vector<std::uint32_t> held_;
  FlatIndex index_;
};

using WorkloadKey = std::tuple<std::string, std::string, std::string>;  // namespace, kind, name

WorkloadKey workload_of(const Pod& pod) {
  return {pod.namespace_name, pod.workload_kind, pod.workload_name};
}

// Of two workloads that make one name, the later kind in the alphabet (then the later name) has to
// give way; pods that exist keep theirs.
std::set<WorkloadKey> clashing(Expansion& expansion) {
  const std::vector<Pod>& pods = expansion.pods();
  NameTable names(pods);
  std::set<WorkloadKey> yielding;
  for (std::uint32_t i = 0; i < pods.size(); ++i) {
    std::uint32_t& holder = names.holder(i);
    if (holder == i || workload_of(pods[i]) == workload_of(pods[holder])) continue;
    const bool mine_yields =
        expansion.is_new()[i] &&
        (!expansion.is_new()[holder] || workload_of(pods[holder]) < workload_of(pods[i]));
    if (mine_yields) {
      yielding.insert(workload_of(pods[i]));
    } else if (expansion.is_new()[holder]) {
      yielding.insert(workload_of(pods[holder]));
      holder = i;
    }
  }
  return yielding;
}

class FactsMaker {
 public:
  explicit FactsMaker(Drafts& drafts) : drafts_(drafts) {}

  Facts make() {
    sort_declared(drafts_.facts);
    sort_by(drafts_.limit_ranges, kByNamespace);
    Admission admission(drafts_);
    Expansion expansion(drafts_, admission);
    Owners owners(drafts_.made_by);
    add_known_pods(owners, expansion);
    warn_doubled(expansion);
    add_generated_pods(owners, expansion);
    add_workloads(expansion);
    if (!drafts_.diagnostics.ok()) return {};
    settle_names(expansion);
    finish(expansion);
    return std::move(drafts_.facts);
  }

 private:
  void add_known_pods(Owners& owners, Expansion& expansion);
  void add_generated_pods(Owners& owners, Expansion& expansion);
  void warn_doubled(const Expansion& expansion);
  void add_workloads(Expansion& expansion);
  void settle_names(Expansion& expansion);
  void drop_existing(Expansion& expansion);
  void finish(Expansion& expansion);
  void warn_missing_nodes();
  void add_namespaces();
  void renumber(Expansion& expansion);
  void warn(const char* code, std::string message, Place place) {
    drafts_.diagnostics.warn(code, std::move(message), drafts_.facts.span(place));
  }

  Drafts& drafts_;
  bool makes_names_ = false;  // names that were read are different: the loader saw to it
};

void FactsMaker::add_known_pods(Owners& owners, Expansion& expansion) {
  std::size_t pushed_aside = 0;
  drafts_.pods.for_each([&](PodEntry& entry) {
    if (!entry.generate_name.empty()) return;
    owners.settle(entry.pod, drafts_.templates[raw(entry.pod.spec)].spec);
    const bool bound = is_bound(entry);
    if (entry.in_manifests && !bound && !entry.pod.is_finished()) {
      expansion.add_new(std::move(entry));
      return;
    }
    const bool pending = !bound && entry.pod.phase == PodPhase::kPending;
    if (pending && drafts_.has_manifests) {
      ++pushed_aside;
      return;
    }
    if (!bound && !pending && !entry.pod.is_finished())
      warn("RunningWithoutNode",
           "pod " + entry.pod.namespace_name + "/" + entry.pod.name + " runs, but on no node",
           entry.pod.place);
    expansion.add_known(std::move(entry));
  });
  if (pushed_aside > 0)
    drafts_.diagnostics.warn("PendingPodsNotPlanned",
                             std::to_string(pushed_aside) +
                                 (pushed_aside == 1 ? " pending pod of the cluster is"
                                                    : " pending pods of the cluster are") +
                                 " not planned, since manifests are given",
                             {});
}

// Workloads of the manifests beside pods that their controllers made already. Only those of a
// StatefulSet bear the names that they get here.
void FactsMaker::warn_doubled(const Expansion& expansion) {
  if (drafts_.workloads.size() == 0) return;
  std::set<WorkloadKey> with_pods;
  for (std::size_t i = 0; i < expansion.pods().size(); ++i) {
    const Pod& pod = expansion.pods()[i];
    if (!expansion.is_new()[i] && !pod.is_finished()) with_pods.insert(workload_of(pod));
  }
  if (with_pods.empty()) return;
  drafts_.workloads.for_each([&](const Workload& workload) {
    const Metadata& meta = workload.meta;
    if (workload.kind == "StatefulSet" || workload.replicas == 0 ||
        with_pods.count({meta.namespace_name, workload.kind, meta.name}) == 0)
      return;
    warn("AlreadyInCluster",
         workload.kind + " " + meta.namespace_name + "/" + meta.name +
             " is in the cluster already, with pods of its own",
         meta.place);
  });
}

// Pods with generateName: numbered by content, so that their order in files does not count.
void FactsMaker::add_generated_pods(Owners& owners, Expansion& expansion) {
  std::vector<PodEntry*> entries;
  drafts_.pods.for_each([&](PodEntry& entry) {
    if (!entry.generate_name.empty()) entries.push_back(&entry);
  });
  std::stable_sort(entries.begin(), entries.end(), [](const PodEntry* a, const PodEntry* b) {
    return std::tie(a->pod.namespace_name, a->generate_name, a->fingerprint) <
           std::tie(b->pod.namespace_name, b->generate_name, b->fingerprint);
  });
  makes_names_ = !entries.empty() || drafts_.workloads.size() > 0;
  std::set<Key> taken;
  if (!entries.empty())
    for (const Pod& pod : expansion.pods()) taken.insert({pod.namespace_name, pod.name});
  std::map<Key, std::int64_t> next;
  for (PodEntry* entry : entries) {
    std::string base = entry->generate_name;
    while (!base.empty() && base.back() == '-') base.pop_back();
    std::int64_t& ordinal = next[{entry->pod.namespace_name, base}];
    while (taken.count({entry->pod.namespace_name, base + "-" + std::to_string(ordinal)}) > 0)
      ++ordinal;
    owners.settle(entry->pod, drafts_.templates[raw(entry->pod.spec)].spec);
    Pod& pod = entry->pod;
    pod.name = base + "-" + std::to_string(ordinal);
    if (pod.controller.name.empty()) pod.workload_name = pod.name;
    pod.ordinal = ordinal++;
    expansion.add_new(std::move(*entry));
  }
  drafts_.pods.clear();
}

void FactsMaker::add_workloads(Expansion& expansion) {
  const auto name_of = [](const Workload* workload) {
    return std::tie(workload->meta.namespace_name, workload->kind, workload->meta.name);
  };
  const auto by_name = [&](const auto* a, const auto* b) { return name_of(a) < name_of(b); };
  std::vector<Workload*> workloads;
  workloads.reserve(drafts_.workloads.size());
  drafts_.workloads.for_each([&](Workload& workload) { workloads.push_back(&workload); });
  if (!std::is_sorted(workloads.begin(), workloads.end(), by_name))
    std::sort(workloads.begin(), workloads.end(), by_name);
  const auto is_declared = [&](const std::string& space, const ControllerRef& maker) {
    const std::tuple<const std::string&, const std::string&, const std::string&> wanted(
        space, maker.kind, maker.name);
    const auto found =
        std::lower_bound(workloads.begin(), workloads.end(), wanted,
                         [&](const Workload* a, const auto& name) { return name_of(a) < name; });
    return found != workloads.end() && name_of(*found) == wanted;
  };
  for (Workload* const workload : workloads) {
    // Whose maker is declared too is made by it.
    const Metadata& meta = workload->meta;
    if (meta.controller.name.empty() || !is_declared(meta.namespace_name, meta.controller))
      expansion.add_workload(*workload);
  }
}

std::string lower(std::string text) {
  for (char& c : text)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c | 0x20);
  return text;
}

void FactsMaker::settle_names(Expansion& expansion) {
  std::vector<Pod>& pods = expansion.pods();
  if (!makes_names_) {
    drafts_.facts.pods = std::move(pods);
    return;
  }
  for (int round = 0; round < 8; ++round) {
    const std::set<WorkloadKey> yielding = clashing(expansion);
    if (yielding.empty()) break;
    for (std::size_t i = 0; i < pods.size(); ++i)
      if (expansion.is_new()[i] && yielding.count(workload_of(pods[i])) > 0)
        pods[i].name = lower(pods[i].workload_kind) + "-" + pods[i].name;
  }
  drop_existing(expansion);
}

// New pods whose name is taken by a pod of the same workload: a StatefulSet's pod that runs
// already.
void FactsMaker::drop_existing(Expansion& expansion) {
  std::vector<Pod>& pods = expansion.pods();
  std::vector<bool> keep(pods.size(), true);
  const std::vector<bool>& is_new = expansion.is_new();
  if (std::find(is_new.begin(), is_new.end(), false) != is_new.end()) {
    NameTable names(pods);
    for (std::uint32_t i = 0; i < pods.size(); ++i)
      if (!is_new[i]) names.holder(i);
    for (std::uint32_t i = 0; i < pods.size(); ++i)
      if (is_new[i]) keep[i] = !names.holds_name_of(i);
  }
  if (std::find(keep.begin(), keep.end(), false) == keep.end()) {
    drafts_.facts.pods = std::move(pods);
    return;
  }
  drafts_.facts.pods.reserve(pods.size());
  for (std::size_t i = 0; i < pods.size(); ++i) {
    if (keep[i])
      drafts_.facts.pods.push_back(std::move(pods[i]));
    else
      warn("AlreadyPlaced",
           "pod " + pods[i].namespace_name + "/" + pods[i].name + " is in the cluster already",
           pods[i].place);
  }
}

void FactsMaker::warn_missing_nodes() {
  std::map<std::string, std::pair<std::size_t, const Pod*>> missing;
  for (const Pod& pod : drafts_.facts.pods) {
    if (pod.bound_node.empty()) continue;
    const auto& nodes = drafts_.facts.nodes;
    const auto found = std::lower_bound(
        nodes.begin(), nodes.end(), pod.bound_node,
        [](const Node& node, const std::string& name) { return node.name < name; });
    if (found != nodes.end() && found->name == pod.bound_node) continue;
    auto& [count, first] = missing[pod.bound_node];
    if (count++ == 0) first = &pod;
  }
  for (const auto& [node, who] : missing)
    warn("MissingNode",
         "node " + node + " does not exist, but " + std::to_string(who.first) +
             (who.first == 1 ? " pod runs" : " pods run") + " on it, first " +
             who.second->namespace_name + "/" + who.second->name,
         who.second->place);
}

// Namespaces exist as soon as something lives in them; since 1.21 each has its name as a label.
void FactsMaker::add_namespaces() {
  Facts& facts = drafts_.facts;
  sort_by(facts.namespaces, kByName);
  std::set<std::string> names;
  const SharedText* last = nullptr;
  for (const Pod& pod : facts.pods) {
    if (last == nullptr || *last != pod.namespace_name) names.insert(pod.namespace_name);
    last = &pod.namespace_name;
  }
  for (const Namespace& one : facts.namespaces) names.erase(one.name);
  for (const std::string& name : names) facts.namespaces.push_back({name, {}});
  sort_by(facts.namespaces, kByName);
  if (drafts_.options.compat != Compat::k1_36) return;
  for (Namespace& one : facts.namespaces) one.labels.set("kubernetes.io/metadata.name", one.name);
}

// Specs in the order in which the sorted pods use them, those that none uses dropped. Sorted in
// place, cycle by cycle: a second list of them would be the peak of memory.
void FactsMaker::renumber(Expansion& expansion) {
  std::vector<PodSpec>& specs = drafts_.facts.specs;
  specs = expansion.specs().take();
  constexpr std::uint32_t unused = 0xFFFFFFFF;
  std::vector<std::uint32_t> index_of(specs.size(), unused);
  std::uint32_t used = 0;
  for (Pod& pod : drafts_.facts.pods) {
    std::uint32_t& index = index_of[raw(pod.spec)];
    if (index == unused) index = used++;
    pod.spec = SpecIndex{index};
  }
  std::uint32_t next = used;
  for (std::uint32_t& index : index_of)
    if (index == unused) index = next++;
  for (std::uint32_t i = 0; i < specs.size(); ++i) {
    while (index_of[i] != i) {
      const std::uint32_t to = index_of[i];
      std::swap(specs[i], specs[to]);
      std::swap(index_of[i], index_of[to]);
    }
  }
  specs.erase(specs.begin() + used, specs.end());
}

void FactsMaker::finish(Expansion& expansion) {
  Facts& facts = drafts_.facts;
  sort_pods(facts.pods);
  renumber(expansion);
  warn_missing_nodes();
  add_namespaces();
  sort_unique(facts.claims, kByNamespace);
  bind_immediate_claims(facts);
  sort_unique(facts.spread_owners,
              [](const SpreadOwner& o) { return std::tie(o.namespace_name, o.kind, o.name); });
  sort_by(facts.skipped, [](const SkippedObject& o) { return std::tie(o.kind, o.name); });
  sort_by(drafts_.latency, [](const LatencyDraft& o) { return std::tie(o.kind, o.name); });
}

}  // namespace

Facts make_facts(Drafts& drafts) { return FactsMaker(drafts).make(); }

}  // namespace gedge::codec
