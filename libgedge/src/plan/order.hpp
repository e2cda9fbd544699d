// plan/order.hpp - in which order pending pods are placed.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <utility>
#include <vector>

#include "gedge/snapshot/cluster_state.hpp"
#include "plan/pod_groups.hpp"

namespace gedge {

/// Pods that are decided together; almost always one. Several: they are of one pod group, or their
/// delay budgets form a cycle.
using Group = std::span<const PodIndex>;

/// Groups, in the order in which they are placed.
class PlacingOrder {
 public:
  PlacingOrder() = default;
  /// Each pod by itself.
  explicit PlacingOrder(std::vector<PodIndex> pods) : pods_(std::move(pods)) {}
  /// `ends`: behind the last pod of each group.
  PlacingOrder(std::vector<PodIndex> pods, std::vector<std::size_t> ends)
      : pods_(std::move(pods)), ends_(std::move(ends)) {}

  const std::vector<PodIndex>& pods() const { return pods_; }
  std::size_t size() const { return ends_.empty() ? pods_.size() : ends_.size(); }
  /// Lives as long as the order.
  Group operator[](std::size_t i) const {
    if (ends_.empty()) return std::span(pods_).subspan(i, 1);
    const std::size_t first = i == 0 ? 0 : ends_[i - 1];
    return std::span(pods_).subspan(first, ends_[i] - first);
  }

 private:
  std::vector<PodIndex> pods_;
  std::vector<std::size_t> ends_;  // empty: one pod a group
};

/// True if `a` comes before `b` in the queue.
bool queues_before(const ClusterState& cluster, PodIndex a, PodIndex b);

/// Queue order (priority, creation time, namespace, workload, ordinal, name), except that a pod
/// with a budget towards pods that are still to be placed comes after those, and that pods of a
/// group come with the first of them. `wanted` may be in any order. Cost: O(pods log pods), and for
/// each distinct pod with a budget the pods that it points at.
PlacingOrder placing_order(const ClusterState& cluster, std::vector<PodIndex> wanted,
                           const std::function<bool(PodIndex)>& has_budgets,
                           const PodGroups& groups);

/// Pods that wait for a node, as `waits` says, and that are on a cycle of delay budgets with some
/// of `wanted`, without these. Cost: as placing_order, of all that is reached by budgets.
std::vector<PodIndex> bound_up_with(const ClusterState& cluster, std::vector<PodIndex> wanted,
                                    const std::function<bool(PodIndex)>& waits,
                                    const std::function<bool(PodIndex)>& has_budgets);

}  // namespace gedge
