// gedge/snapshot/pod_facts.hpp - a pod digested for scheduling: once per distinct (spec, namespace,
// own labels, controller, identity for delay budgets, UID where it has ephemeral volumes), shared
// by all pods that agree in these.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "gedge/model/facts.hpp"

namespace gedge {

/// Column of one resource in a ClusterState. The first four are always there, in this order.
enum class ResourceIndex : std::uint32_t {
  kCpuColumn = 0,
  kMemoryColumn = 1,
  kEphemeralColumn = 2,
  kPodsColumn = 3,
};
constexpr std::uint32_t raw(ResourceIndex r) { return static_cast<std::uint32_t>(r); }
inline constexpr std::uint32_t kFirstExtended = 4;

struct Amount {
  ResourceIndex resource{};
  std::int64_t amount = 0;
};

/// The greatest round-trip time that a pod accepts from a node.
struct NodeBudget {
  NodeIndex node = kNoNode;
  std::int64_t limit_us = 0;
};

struct PodFacts {
  std::uint32_t index = 0;         ///< among the distinct pods of one ClusterState, dense
  bool requests_anything = false;  ///< any amount above 0
  bool has_affinity = false;       ///< any own pod (anti-)affinity term, required or preferred
  bool has_required_anti_affinity = false;
  const PodSpec* spec = nullptr;
  const Pod* any = nullptr;            ///< one of the pods with these facts
  const Labels* all_labels = nullptr;  ///< of template and pod
  /// Who the pod is to delay budgets: its name and its workload, each empty where no budget of the
  /// facts has that name, so that equal pods stay equal.
  std::string_view peer_name, peer_workload, peer_workload_kind;
  /// max(sum of containers, each init container) + overhead (1.36: sidecars, pod-level); sorted by
  /// resource; without `pods`. An amount of 0 that was asked for explicitly is kept.
  std::span<const Amount> requests;
  /// All its delay budgets, in their order, where each is towards a node that was there when the
  /// pod was digested; else none. Such a node may be gone meanwhile.
  std::span<const NodeBudget> node_budgets;
  /// Requests for the resource scores: 100m and 200 MiB stand in for a missing request.
  std::int64_t score_cpu_m = 0, score_memory = 0;
  /// The same for this pod as the incoming one: 1.20 adds overhead cpu as ceil(cores) milli.
  std::int64_t incoming_cpu_m = 0;

  const std::string& namespace_name() const { return any->namespace_name; }
  const Labels& labels() const { return *all_labels; }
  const ControllerRef& controller() const { return any->controller; }
  std::int64_t request(ResourceIndex resource) const {
    for (const Amount& a : requests)
      if (a.resource == resource) return a.amount;
    return 0;
  }
};

}  // namespace gedge
