// verify/world.hpp - what stands where while a placement is checked.
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "gedge/verify/verify.hpp"

namespace gedge::verify_detail {

/// A pod on a node.
struct Placed {
  const Pod* pod = nullptr;
  const PodSpec* spec = nullptr;
  const Node* node = nullptr;
  Labels labels;
  Resources requests;
};

/// One broken rule of the pod in question.
struct Finding {
  std::string rule, text;
};
using Findings = std::vector<Finding>;

/// "namespace/name".
std::string name_of(const Pod& pod);

/// Only looked up by name and walked in the order in which pods were added.
class World {
 public:
  explicit World(const VerifyInput& input);

  const VerifyInput& input() const { return input_; }
  const Facts& facts() const { return input_.facts; }
  Compat compat() const { return input_.compat; }

  const Node* node(std::string_view name) const;
  const Pod* pod(std::string_view namespace_name, std::string_view name) const;
  const PersistentVolumeClaim* claim(std::string_view namespace_name, std::string_view name) const;
  const PersistentVolume* volume(std::string_view name) const;
  /// Pods of every workload of that name, whatever its kind.
  std::vector<const Pod*> workload(std::string_view namespace_name, std::string_view name) const;
  /// With the label kubernetes.io/metadata.name, which the API server gives to every namespace.
  Labels namespace_labels(const std::string& name) const;

  /// Where the node stands in the matrix.
  std::optional<NameIndex> matrix_name(const Node& node) const;

  Placed describe(const Pod& pod, const Node& node) const;
  void add(Placed placed);
  const std::vector<Placed>& placed() const { return placed_; }
  /// Positions in `placed` of the pods of a node.
  const std::vector<std::size_t>& placed_on(const Node& node) const;
  /// Positions in `placed` of pods with required anti-affinity.
  const std::vector<std::size_t>& with_anti_affinity() const { return with_anti_affinity_; }
  /// Where `pod` is; null: nowhere.
  const Node* place_of(const Pod& pod) const;
  /// What the pods on the node request; "pods" counts them.
  const Resources& requested_on(const Node& node) const;

 private:
  using Name = std::pair<std::string_view, std::string_view>;  // namespace, name
  const VerifyInput& input_;
  std::map<std::string_view, const Node*> nodes_;
  std::map<Name, const Pod*> pods_;
  std::map<Name, std::vector<const Pod*>> workloads_;
  std::map<Name, const PersistentVolumeClaim*> claims_;
  std::map<std::string_view, const PersistentVolume*> volumes_;
  std::map<std::string_view, const Namespace*> namespaces_;
  std::vector<Placed> placed_;
  std::vector<std::size_t> with_anti_affinity_;
  std::map<Name, const Node*> place_of_;
  std::map<std::string_view, Resources> requested_;                 // by node name
  std::map<std::string_view, std::vector<std::size_t>> placed_on_;  // by node name
};

/// Request of a pod in total, without "pods". Sums stop at the end of int64.
Resources total_requests(const PodSpec& spec, Compat compat);
/// a + b, stopping at the end of int64.
std::int64_t sum(std::int64_t a, std::int64_t b);

/// True if the node meets the pod's nodeSelector and required node affinity.
bool wants_node(const PodSpec& spec, const Node& node);
/// The first taint with effect NoSchedule or NoExecute that the pod does not tolerate; null: none.
const Taint* untolerated_taint(const PodSpec& spec, const Node& node);

// Each appends what `pod` breaks on its node. The pod is not in the world yet.
void check_node(const Placed& pod, Findings& out);
void check_ports(const World& world, const Placed& pod, Findings& out);
void check_resources(const World& world, const Placed& pod, Findings& out);
void check_gpus(const World& world, const Placed& pod, Findings& out);
void check_volumes(const World& world, const Placed& pod, Findings& out);
void check_spread(const World& world, const Placed& pod, Findings& out);
void check_pod_affinity(const World& world, const Placed& pod, Findings& out);

/// Of each pod group of the facts, by namespace and name.
struct GroupSize {
  std::int64_t least = 0, placed = 0;
};
using GroupSizes = std::map<std::pair<std::string, std::string>, GroupSize>;
GroupSizes placed_of_groups(const World& world);
void check_pod_group(const Placed& pod, const GroupSizes& groups, Findings& out);

/// Delay budgets of `pod`; every pod is in the world by now.
void check_budgets(const World& world, const Placed& pod, Findings& out);
/// Budgets of `pod` that one of `others` breaks by itself: it is a replica that counts, and too far
/// away.
void check_budgets_towards(const World& world, const Placed& pod,
                           const std::set<const Pod*>& others, Findings& out);

}  // namespace gedge::verify_detail
