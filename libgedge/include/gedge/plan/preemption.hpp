// gedge/plan/preemption.hpp - which pods would have to go so that a more important one fits.
//
// As kube-scheduler's DefaultPreemption (pkg/scheduler/framework/plugins/defaultpreemption), but
// every node is a candidate, and the name of the node decides where nothing else does.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "gedge/plan/engine.hpp"
#include "gedge/snapshot/cluster_state.hpp"

namespace gedge {

struct Victims {
  NodeIndex node = kNoNode;
  /// Those whose eviction violates a disruption budget first, each of the two kinds from the most
  /// important to the least: by priority, then by who started earlier.
  std::vector<PodIndex> pods;
  std::int64_t violations = 0;  ///< pods among them that violate a budget
};

struct Preemption {
  /// False: the pod does not preempt, or waits for victims that are terminating already.
  bool is_eligible = false;
  std::vector<Victims> candidates;    ///< in the order of node names
  std::optional<std::size_t> chosen;  ///< of the candidates; empty: nobody can help the pod
};

struct PreemptionOptions {
  /// Nodes whose victims, all of them together, would violate a disruption budget are no
  /// candidates.
  bool keeps_budgets = false;
};

/// Tries things out in `cluster`, and leaves it as it was; `engine` is kept up to date with it.
class Preemptor {
 public:
  Preemptor(ClusterState& cluster, Engine& engine, PreemptionOptions options = {});

  /// For a pod that fits nowhere. Cost: O(nodes * policies), and for each candidate as often as
  /// there are less important pods on it.
  Preemption find(PodIndex pod);

  /// Whether the pod fits, with and without the pods that were promised the node (nominated) and
  /// are as important.
  bool fits(PodIndex pod, NodeIndex node);
  /// What the first filter that rejects the node says, with or without those pods; empty: it fits.
  std::vector<Rejection> first_rejection(PodIndex pod, NodeIndex node);

 private:
  bool is_eligible(PodIndex pod);
  std::vector<PodIndex> lesser_on(PodIndex pod, NodeIndex node) const;
  std::optional<Victims> victims_on(PodIndex pod, NodeIndex node);
  std::vector<bool> violating(const std::vector<PodIndex>& pods) const;
  bool keeps_budgets(const Victims& victims) const;
  bool is_more_important(PodIndex a, PodIndex b) const;
  bool is_better(const Victims& a, const Victims& b) const;
  void add(PodIndex pod, NodeIndex node);
  void take(PodIndex pod);
  void promise(PodIndex pod, NodeIndex node);

  ClusterState& cluster_;
  Engine& engine_;
  PreemptionOptions options_;
  std::vector<PodIndex> nominated_;  // that wait
};

}  // namespace gedge
