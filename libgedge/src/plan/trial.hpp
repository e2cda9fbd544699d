// plan/trial.hpp - an edit applied to a cluster state for a moment.
#pragma once

#include <memory>
#include <vector>

#include "gedge/plan/edit.hpp"
#include "gedge/plan/engine.hpp"
#include "gedge/snapshot/cluster_state.hpp"

namespace gedge {

/// Applies edits one on top of the other and takes all of them back when it goes. What an edit does
/// to pods that lose their node is not played through: they are simply gone.
class Trial {
 public:
  /// `engine` is kept up to date with the cluster.
  Trial(ClusterState& cluster, Engine& engine)
      : cluster_(cluster), engine_(engine), start_(cluster.mark()) {}
  Trial(const Trial&) = delete;
  Trial& operator=(const Trial&) = delete;
  ~Trial();

  /// False if the edit names something that is not there; then nothing has changed. `named`: the
  /// pod that the edit names; kNoPod: it is looked for.
  bool apply(const Edit& edit, PodIndex named = kNoPod);

 private:
  bool apply_to_node(const Edit& edit);
  bool apply_to_pod(const Edit& edit, PodIndex named);
  void apply(const Change& change);
  void unbind(PodIndex pod) { apply({Change::Kind::kUnbind, pod, cluster_.node_of(pod)}); }

  ClusterState& cluster_;
  Engine& engine_;
  ClusterState::Mark start_;
  std::vector<std::unique_ptr<Node>> nodes_;  // edited facts, alive until the state is as before
};

}  // namespace gedge
