// Every struct of the model has an `add` here; a field that is left out would let two different
// sites look the same, so the test changes each field in turn.
#include "gedge/codec/fingerprint.hpp"

#include <bit>
#include <span>
#include <string_view>

#include "codec/canonical_hash.hpp"
#include "gedge/codec/profile.hpp"

namespace gedge {
namespace {

using codec::CanonicalHash;
using codec::Digest;

/// Feeds values to a hash. Members of a class, so that lists find the overload of their items.
class Canon {
 public:
  template <typename List>
  void add_list(const List& list) {
    hash_.number(static_cast<std::int64_t>(list.size()));
    for (const auto& item : list) add(item);
  }

  void add(const std::string& text) { hash_.text(text); }

  template <typename First, typename Second>
  void add(const std::pair<First, Second>& pair) {
    hash_.text(pair.first);
    if constexpr (std::is_arithmetic_v<Second>)
      hash_.number(pair.second);
    else
      hash_.text(pair.second);
  }

  void add(const Labels& labels) { add_list(labels); }
  void add(const Resources& resources) { add_list(resources); }

  template <typename T>
  void add_optional(const std::optional<T>& value) {
    hash_.flag(value.has_value());
    if (!value) return;
    if constexpr (std::is_arithmetic_v<T>)
      hash_.number(*value);
    else
      add(*value);
  }

  void add(const Requirement& requirement) {
    hash_.text(requirement.key);
    hash_.number(static_cast<std::int64_t>(requirement.op));
    add_list(requirement.values);
  }

  void add(const LabelSelector& selector) {
    hash_.flag(selector.nothing);
    add_list(selector.requirements);
  }

  void add(const NodeSelectorTerm& term) {
    add_list(term.expressions);
    add_list(term.fields);
    hash_.flag(term.broken);
  }

  void add(const PreferredNodeTerm& term) {
    hash_.number(term.weight);
    add(term.term);
  }

  void add(const PodAffinityTerm& term) {
    add(term.selector);
    add_list(term.namespaces);
    add_optional(term.namespace_selector);
    hash_.text(term.topology_key);
    add_list(term.match_label_keys);
    add_list(term.mismatch_label_keys);
  }

  void add(const PreferredPodTerm& term) {
    hash_.number(term.weight);
    add(term.term);
  }

  void add(const Taint& taint) {
    hash_.text(taint.key);
    hash_.text(taint.value);
    hash_.number(static_cast<std::int64_t>(taint.effect));
  }

  void add(const Toleration& toleration) {
    hash_.text(toleration.key);
    hash_.flag(toleration.exists);
    hash_.text(toleration.value);
    hash_.number(toleration.effect ? static_cast<std::int64_t>(*toleration.effect) : -1);
  }

  void add(const TopologySpread& spread) {
    hash_.number(spread.max_skew);
    hash_.text(spread.topology_key);
    hash_.flag(spread.hard);
    add(spread.selector);
    add_optional(spread.min_domains);
    hash_.flag(spread.honor_node_affinity);
    hash_.flag(spread.honor_node_taints);
    add_list(spread.match_label_keys);
  }

  void add(const HostPort& port) {
    hash_.text(port.ip);
    hash_.text(port.protocol);
    hash_.number(port.port);
  }

  void add(const Container& container) {
    hash_.text(container.name);
    hash_.text(container.image);
    add(container.requests);
    add(container.limits);
    hash_.flag(container.restartable);
  }

  void add(const DelayBudget& budget) {
    hash_.text(budget.from);
    hash_.number(static_cast<std::int64_t>(budget.kind));
    hash_.text(budget.workload_kind);
    hash_.text(budget.namespace_name);
    hash_.text(budget.name);
    hash_.flag(budget.nearest);
    hash_.number(budget.limit_us);
  }

  void add(const PodVolume& volume) {
    hash_.text(volume.name);
    hash_.text(volume.claim);
    hash_.flag(volume.ephemeral);
  }

  void add(const PodSpec& spec) {
    add(spec.labels);
    add(spec.annotations);
    add_list(spec.containers);
    add_list(spec.init_containers);
    add_optional(spec.pod_requests);
    add_optional(spec.pod_limits);
    add(spec.overhead);
    add(spec.node_selector);
    hash_.flag(spec.has_required_node_terms);
    add_list(spec.required_node_terms);
    add_list(spec.preferred_node_terms);
    add_list(spec.required_affinity);
    add_list(spec.required_anti_affinity);
    add_list(spec.preferred_affinity);
    add_list(spec.preferred_anti_affinity);
    add_list(spec.tolerations);
    add_list(spec.spread);
    add_list(spec.host_ports);
    add_list(spec.volumes);
    add_list(spec.budgets);
    hash_.text(spec.node_name);
    hash_.text(spec.scheduler_name);
    hash_.text(spec.priority_class);
    hash_.text(spec.runtime_class);
    hash_.flag(spec.host_network);
    hash_.flag(spec.preempts);
    hash_.text(spec.latency_source);
    // Of one that is placed like any other it is what it was before these counted.
    if (!spec.gated && spec.unread.empty()) return;
    hash_.flag(spec.gated);
    hash_.text(spec.unread);
  }

  void add(const ControllerRef& controller) {
    hash_.text(controller.kind);
    hash_.text(controller.name);
    hash_.text(controller.uid);
  }

  /// Without its spec, which counts by its digest.
  void add(const Pod& pod) {
    hash_.text(pod.namespace_name);
    hash_.text(pod.name);
    hash_.text(pod.uid);
    add(pod.extra_labels);
    hash_.text(pod.workload_kind);
    hash_.text(pod.workload_name);
    hash_.number(pod.ordinal);
    add(pod.controller);
    hash_.text(pod.bound_node);
    hash_.text(pod.nominated_node);
    hash_.number(static_cast<std::int64_t>(pod.phase));
    hash_.number(pod.priority);
    hash_.number(pod.created);
    hash_.number(pod.started);
    hash_.flag(pod.terminating);
  }

  void add(const NodeImage& image) {
    add_list(image.names());
    hash_.number(image.size_bytes());
  }

  void add(const AvoidedController& avoided) {
    hash_.text(avoided.kind);
    hash_.text(avoided.uid);
  }

  void add(const Node& node) {
    hash_.text(node.name);
    add(node.labels);
    add_list(node.taints);
    hash_.flag(node.unschedulable);
    hash_.flag(node.ready);
    add(node.allocatable);
    add_list(node.images);
    add_list(node.avoided);
    add_list(node.addresses);
  }

  void add(const Namespace& space) {
    hash_.text(space.name);
    add(space.labels);
  }

  void add(const SpreadOwner& owner) {
    hash_.text(owner.kind);
    hash_.text(owner.namespace_name);
    hash_.text(owner.name);
    add(owner.selector);
  }

  void add(const PriorityClass& priority) {
    hash_.text(priority.name);
    hash_.number(priority.value);
    hash_.flag(priority.global_default);
    hash_.flag(priority.preempts);
  }

  void add(const StorageClass& storage) {
    hash_.text(storage.name);
    hash_.number(static_cast<std::int64_t>(storage.binding));
    hash_.flag(storage.provisions);
    hash_.flag(storage.is_default);
    add_list(storage.allowed_topologies);
  }

  void add(const PersistentVolume& volume) {
    hash_.text(volume.name);
    add(volume.labels);
    hash_.text(volume.storage_class);
    hash_.number(volume.capacity_bytes);
    add_list(volume.access_modes);
    hash_.flag(volume.has_node_affinity);
    add_list(volume.node_terms);
    hash_.text(volume.claim_namespace);
    hash_.text(volume.claim_name);
    // Of one that says nothing of these it is what it was before they were read.
    if (volume.claim_uid.empty() && !volume.is_block && volume.is_offered) return;
    hash_.text(volume.claim_uid);
    hash_.flag(volume.is_block);
    hash_.flag(volume.is_offered);
  }

  void add(const PersistentVolumeClaim& claim) {
    hash_.text(claim.namespace_name);
    hash_.text(claim.name);
    add_optional(claim.storage_class);
    hash_.text(claim.volume_name);
    hash_.text(claim.selected_node);
    hash_.number(claim.request_bytes);
    add_list(claim.access_modes);
    add(claim.selector);
    const bool is_plain = claim.uid.empty() && claim.owner_uid.empty() && !claim.is_block &&
                          !claim.terminating && !claim.is_half_bound;
    if (is_plain) return;
    hash_.text(claim.uid);
    hash_.text(claim.owner_uid);
    hash_.flag(claim.is_block);
    hash_.flag(claim.terminating);
    hash_.flag(claim.is_half_bound);
  }

  void add(const PodDisruptionBudget& budget) {
    hash_.text(budget.namespace_name);
    hash_.text(budget.name);
    add(budget.selector);
    hash_.number(budget.disruptions_allowed);
    add_list(budget.disrupted_pods);
  }
  void add(const PodGroup& group) {
    hash_.text(group.namespace_name);
    hash_.text(group.name);
    hash_.number(group.min_member);
  }
  void digest(const Digest& value) { hash_.digest(value); }
  /// Begins anew.
  Digest finish() { return hash_.finish(); }

 private:
  CanonicalHash hash_;
};

template <typename T>
void add_objects(CanonicalHash& hash, const std::vector<T>& objects) {
  std::vector<Digest> digests;
  digests.reserve(objects.size());
  Canon one;
  for (const T& object : objects) {
    one.add(object);
    digests.push_back(one.finish());
  }
  hash.unordered(std::move(digests));
}

void add_pods(CanonicalHash& hash, const Facts& facts) {
  std::vector<Digest> specs, pods;
  specs.reserve(facts.specs.size());
  pods.reserve(facts.pods.size());
  Canon one;
  for (const PodSpec& spec : facts.specs) {
    one.add(spec);
    specs.push_back(one.finish());
  }
  for (const Pod& pod : facts.pods) {
    one.add(pod);
    one.digest(specs[raw(pod.spec)]);
    pods.push_back(one.finish());
  }
  hash.unordered(std::move(pods));
}

void add_matrix(CanonicalHash& hash, const RttMatrix& rtt) {
  for (const std::string& name : rtt.names()) hash.text(name);
  hash.number(static_cast<std::int64_t>(rtt.size()));
  const auto n = static_cast<std::uint32_t>(rtt.size());
  static_assert(sizeof(Rtt) == 4);
  for (std::uint32_t i = 0; i < n; ++i) {
    const std::span<const Rtt> row = rtt.row(NameIndex{i});
    std::uint32_t j = 0;
    if constexpr (std::endian::native == std::endian::little) {
      j = n - n % 2;
      hash.bytes({reinterpret_cast<const char*>(row.data()), j * sizeof(Rtt)});
    }
    for (; j < n; j += 2) {  // two cells a number
      const std::uint64_t low = row[j].us, high = j + 1 < n ? row[j + 1].us : 0;
      hash.number(static_cast<std::int64_t>(high << 32 | low));
    }
  }
}

std::string hexadecimal(const Digest& digest) {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string text;
  for (const std::uint64_t half : {digest.high, digest.low})
    for (int shift = 60; shift >= 0; shift -= 4) text += digits[(half >> shift) & 15];
  return text;
}

}  // namespace

std::string fingerprint(const Facts& facts, const RttMatrix& rtt) {
  CanonicalHash hash;
  add_objects(hash, facts.nodes);
  add_pods(hash, facts);
  add_objects(hash, facts.namespaces);
  add_objects(hash, facts.spread_owners);
  add_objects(hash, facts.priority_classes);
  add_objects(hash, facts.storage_classes);
  add_objects(hash, facts.volumes);
  add_objects(hash, facts.claims);
  add_objects(hash, facts.disruption_budgets);
  // Of facts without them it is what it was before they were read.
  if (!facts.pod_groups.empty()) add_objects(hash, facts.pod_groups);
  add_matrix(hash, rtt);
  return "xxh128:" + hexadecimal(hash.finish());
}

std::string fingerprint(const std::vector<Profile>& profiles) {
  CanonicalHash hash;
  for (const Profile& profile : profiles) hash.number(static_cast<std::int64_t>(profile.compat));
  hash.text(write_profiles(profiles, TextFormat::kJson));
  return "xxh128:" + hexadecimal(hash.finish());
}

}  // namespace gedge
