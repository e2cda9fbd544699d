#include "snapshot/pod_digests.hpp"

#include <algorithm>
#include <tuple>

namespace gedge {
namespace {

// Names of pods and workloads that budgets may mean; such pods are not interchangeable with others.
std::unordered_set<std::string_view> names_in_budgets(const Facts& facts) {
  std::unordered_set<std::string_view> names;
  for (const PodSpec& spec : facts.specs)
    for (const DelayBudget& budget : spec.budgets)
      if (budget.kind == PeerKind::kAny || budget.kind == PeerKind::kPod ||
          budget.kind == PeerKind::kWorkload)
        names.insert(budget.name);
  return names;
}

// Calls visit(key) for every label of pods that the rules of `spec` read.
template <typename F>
void for_each_selected(const PodSpec& spec, F&& visit) {
  const auto of_selector = [&](const LabelSelector& selector) {
    for (const Requirement& requirement : selector.requirements) visit(requirement.key);
  };
  const auto of_keys = [&](const std::vector<std::string>& keys) {
    for (const std::string& key : keys) visit(key);
  };
  const auto of_term = [&](const PodAffinityTerm& term) {
    of_selector(term.selector);
    of_keys(term.match_label_keys);
    of_keys(term.mismatch_label_keys);
  };
  for (const auto* terms : {&spec.required_affinity, &spec.required_anti_affinity})
    for (const PodAffinityTerm& term : *terms) of_term(term);
  for (const auto* terms : {&spec.preferred_affinity, &spec.preferred_anti_affinity})
    for (const PreferredPodTerm& preferred : *terms) of_term(preferred.term);
  for (const TopologySpread& constraint : spec.spread) {
    of_selector(constraint.selector);
    of_keys(constraint.match_label_keys);
  }
}

std::unordered_set<std::string_view> selected_keys(const Facts& facts) {
  std::unordered_set<std::string_view> keys;
  for (const PodSpec& spec : facts.specs)
    for_each_selected(spec, [&](const std::string& key) { keys.insert(key); });
  for (const SpreadOwner& owner : facts.spread_owners)
    for (const Requirement& requirement : owner.selector.requirements) keys.insert(requirement.key);
  return keys;
}

}  // namespace

bool PodDigester::Key::operator==(const Key& other) const {
  const auto key = [](const Key& k) {
    return std::tie(k.spec, k.namespace_name, *k.own, k.controller->kind, k.controller->name,
                    k.controller->uid, k.owner, k.peer_name, k.peer_workload, k.peer_workload_kind);
  };
  return key(*this) == key(other);
}

std::size_t PodDigester::KeyHash::operator()(const Key& key) const {
  std::size_t hash = key.spec;
  const auto add = [&](std::string_view text) {
    hash = hash * 0x9e3779b97f4a7c15U + std::hash<std::string_view>()(text);
  };
  add(key.namespace_name);
  for (const auto& [name, value] : *key.own) {
    add(name);
    add(value);
  }
  for (const std::string_view text : {std::string_view(key.controller->name), key.peer_name,
                                      key.peer_workload, key.peer_workload_kind})
    if (!text.empty()) add(text);
  return hash;
}

PodDigester::PodDigester(const Facts& facts, const StateOptions& options,
                         std::span<const std::string> names, DistinctPods& made)
    : facts_(facts),
      compat_(options.compat),
      names_(names),
      made_(made),
      only_selected_(options.only_selected_labels),
      has_budgets_(std::any_of(facts.specs.begin(), facts.specs.end(),
                               [](const PodSpec& spec) { return !spec.budgets.empty(); })),
      peers_(names_in_budgets(facts)),
      latest_(facts.specs.size()) {
  if (only_selected_) selected_ = selected_keys(facts);
}

// No budgets, and no resource that is new.
bool PodDigester::is_plain(const PodSpec& spec) const {
  const auto all_known = [&](const Resources& resources) {
    return std::all_of(resources.begin(), resources.end(), [&](const auto& entry) {
      return find_resource(names_, entry.first).has_value();
    });
  };
  const auto all_ask_for_known = [&](const SharedList<Container>& containers) {
    return std::all_of(containers.begin(), containers.end(),
                       [&](const Container& container) { return all_known(container.requests); });
  };
  return spec.budgets.empty() && all_ask_for_known(spec.containers) &&
         all_ask_for_known(spec.init_containers) && all_known(spec.overhead) &&
         (!spec.pod_requests || all_known(*spec.pod_requests));
}

bool PodDigester::selects_by_known(const PodSpec& spec) const {
  bool all_known = true;
  for_each_selected(spec, [&](const std::string& key) {
    all_known = all_known && (!only_selected_ || selected_.contains(key));
  });
  return all_known;
}

bool PodDigester::take_new_specs() {
  const auto first = facts_.specs.begin() + static_cast<std::ptrdiff_t>(latest_.size());
  const bool all_plain = std::all_of(first, facts_.specs.end(), [&](const PodSpec& spec) {
    return is_plain(spec) && selects_by_known(spec);
  });
  if (has_budgets_ || !all_plain) return false;
  latest_.resize(facts_.specs.size());
  return true;
}

// A pod's own labels, or none where nothing reads them. Whether a pod has labels at all is read
// too.
const Labels& PodDigester::own_of(const Pod& pod) const {
  static const Labels none;
  const Labels& own = pod.extra_labels;
  if (!only_selected_ || own.empty() || facts_.spec_of(pod).labels.empty()) return own;
  const auto is_selected = [&](const auto& label) { return selected_.contains(label.first); };
  return std::any_of(own.begin(), own.end(), is_selected) ? own : none;
}

// UID of a pod whose claims are only good if they were made for it; empty for others.
std::string_view PodDigester::owner_of(const Pod& pod) const {
  const std::vector<PodVolume>& volumes = facts_.spec_of(pod).volumes;
  const bool is_owner = std::any_of(volumes.begin(), volumes.end(),
                                    [](const PodVolume& volume) { return volume.ephemeral; });
  return is_owner ? std::string_view(pod.uid) : std::string_view();
}

// True for pods of one spec that share one PodFacts unless a budget means one of them.
bool PodDigester::are_alike(const Pod& a, const Pod& b) const {
  return a.namespace_name == b.namespace_name && own_of(a) == own_of(b) &&
         a.controller == b.controller && owner_of(a) == owner_of(b);
}

PodDigester::Key PodDigester::key_of(const Pod& pod) const {
  Key key{raw(pod.spec), pod.namespace_name, &own_of(pod), &pod.controller, owner_of(pod)};
  if (is_named(pod.name)) key.peer_name = pod.name;
  if (is_named(pod.workload_name)) {
    key.peer_workload = pod.workload_name;
    key.peer_workload_kind = pod.workload_kind;
  }
  return key;
}

// Most pods are like the last one of their spec, or the only ones of it: a key is looked up where
// neither is so.
const PodFacts* PodDigester::next(std::uint32_t i, const FindNode& find_node) {
  const Pod& pod = facts_.pods[i];
  const Key key = key_of(pod);
  const bool is_nobodys_peer = key.peer_name.empty() && key.peer_workload.empty();
  if (!is_nobodys_peer) {
    const auto [at, fresh] = by_key_.try_emplace(key, nullptr);
    if (fresh) at->second = digest(pod, key, find_node);
    return at->second;
  }
  Latest& latest = latest_[raw(pod.spec)];
  if (latest.pod == kNone) {
    latest = {i, digest(pod, key, find_node), false};
    return latest.facts;
  }
  const Pod& before = facts_.pods[latest.pod];
  if (are_alike(pod, before)) return latest.facts;
  if (!latest.is_known) by_key_.try_emplace(key_of(before), latest.facts);
  const auto [at, fresh] = by_key_.try_emplace(key, nullptr);
  if (fresh) at->second = digest(pod, key, find_node);
  latest = {i, at->second, true};
  return latest.facts;
}

const PodFacts* PodDigester::digest(const Pod& pod, const Key& key, const FindNode& find_node) {
  const PodSpec& spec = facts_.spec_of(pod);
  std::pmr::polymorphic_allocator<> allocator(&made_.memory);
  PodFacts& facts = *allocator.new_object<PodFacts>();
  facts.index = static_cast<std::uint32_t>(made_.all.size());
  facts.spec = &spec;
  facts.any = &pod;
  facts.all_labels =
      key.own->empty() ? &spec.labels : &made_.merged.emplace_back(pod_labels(pod, spec));
  facts.peer_name = key.peer_name;
  facts.peer_workload = key.peer_workload;
  facts.peer_workload_kind = key.peer_workload_kind;
  digest_requests(spec, facts);
  digest_budgets(spec, find_node, facts);
  facts.has_required_anti_affinity = !spec.required_anti_affinity.empty();
  facts.has_affinity = facts.has_required_anti_affinity || !spec.required_affinity.empty() ||
                       !spec.preferred_affinity.empty() || !spec.preferred_anti_affinity.empty();
  return made_.all.emplace_back(&facts);
}

void PodDigester::digest_requests(const PodSpec& spec, PodFacts& facts) {
  const RequestTotals totals = total_requests(spec, compat_);
  const Resources& requests = totals.requests();
  std::pmr::polymorphic_allocator<Amount> allocator(&made_.memory);
  Amount* const amounts = allocator.allocate(requests.size());
  std::size_t count = 0;
  for (const auto& [name, amount] : requests) {
    if (name == kPods) continue;
    amounts[count++] = {column(name), amount};
    facts.requests_anything = facts.requests_anything || amount > 0;
  }
  facts.requests = {amounts, count};
  std::sort(amounts, amounts + count,
            [](const Amount& a, const Amount& b) { return a.resource < b.resource; });
  facts.score_cpu_m = totals.score_cpu_m;
  facts.score_memory = totals.score_memory;
  facts.incoming_cpu_m = totals.incoming_cpu_m;
}

void PodDigester::digest_budgets(const PodSpec& spec, const FindNode& find_node, PodFacts& facts) {
  std::pmr::polymorphic_allocator<NodeBudget> allocator(&made_.memory);
  NodeBudget* const made = allocator.allocate(spec.budgets.size());
  std::size_t count = 0;
  for (const DelayBudget& budget : spec.budgets) {
    if (budget.kind != PeerKind::kAny && budget.kind != PeerKind::kNode) return;
    const std::optional<NodeIndex> node = find_node(budget.name);
    if (!node) return;
    made[count++] = {*node, budget.limit_us};
  }
  facts.node_budgets = {made, count};
}

// Every resource of a spec is among the names.
ResourceIndex PodDigester::column(std::string_view resource) const {
  return *find_resource(names_, resource);
}

}  // namespace gedge
