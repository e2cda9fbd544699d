// gedge/control/planned_room.hpp - what fits on sites, by asking the planner.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>

#include "gedge/base/result.hpp"
#include "gedge/base/shared_text.hpp"
#include "gedge/latency/matrix.hpp"
#include "gedge/model/autoscaler.hpp"
#include "gedge/model/facts.hpp"
#include "gedge/plan/live_cluster.hpp"
#include "gedge/scale/site_scaler.hpp"

namespace gedge {

/// RTTs between the sites of an autoscaler: of each pair the largest that was measured between a
/// node of one and a node of the other; kUnmeasured where none was. `rtt_by`: the node label that
/// names nodes in the matrix; empty: their names. Cost: O(nodes * nodes).
SiteRtts site_rtts(const Facts& facts, const RttMatrix& rtt, std::string_view rtt_by,
                   const SiteRules& rules);

/// A cluster in which replicas of one workload are placed as the profiles say, each on nodes of the
/// site that it was asked for. Every answer is a decision of the planner, with all its filters:
/// resources, taints, affinity, spreading, delay budgets of the template.
class PlannedRoom final : public SiteRoom {
 public:
  /// Replicas are made of the template of the autoscaler's workload. Pods that the facts have of
  /// it, bound or not, are left out; what else waits there is placed first. Errors: kNotFound for a
  /// workload that the facts do not have; kInvalidInput for a site without nodes, and for replicas
  /// that are to grow and request nothing of the resource; as LiveCluster::place.
  static Result<PlannedRoom> make(Facts facts, RttMatrix rtt, LiveOptions options,
                                  const Autoscaler& autoscaler);
  PlannedRoom(PlannedRoom&&) noexcept;
  PlannedRoom& operator=(PlannedRoom&&) noexcept;
  ~PlannedRoom() override;

  Result<bool> add(std::uint32_t replica, std::uint32_t site) override;
  Result<bool> resize(std::uint32_t replica, std::int64_t amount) override;
  void remove(std::uint32_t replica) override;

  /// Of SiteRules::up, what the container of the template requests that requests most; 0: replicas
  /// do not grow.
  std::int64_t base() const;
  /// Empty for a replica that is not there.
  SharedText node_of(std::uint32_t replica) const;

  /// The planner's cluster: nodes and pods may be put and removed between questions.
  LiveCluster& cluster();

 private:
  class Parts;
  explicit PlannedRoom(std::unique_ptr<Parts> parts);
  std::unique_ptr<Parts> parts_;
};

}  // namespace gedge
