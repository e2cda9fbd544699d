// gedge/control/sites_room.hpp - what fits on sites of a cluster that runs, where each site has a
// workload of its own.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "gedge/base/result.hpp"
#include "gedge/latency/matrix.hpp"
#include "gedge/model/facts.hpp"
#include "gedge/model/selector.hpp"
#include "gedge/plan/live_cluster.hpp"
#include "gedge/port/scaling.hpp"
#include "gedge/scale/site_scaler.hpp"

namespace gedge {

/// The workload of one site.
struct SiteWorkload {
  std::string kind;
  SharedText namespace_name;
  std::string sample;       ///< name of a workload of the facts that makes such pods: one of them
  LabelSelector selector;   ///< of the pods that run
  std::string grows_by;     ///< a resource; empty: its pods do not grow
  bool adds_first = false;  ///< a pod leaves when the one in its place is there
  bool in_place = false;    ///< they are where they are, and have more of it
};

/// Replicas are first those pods that are on a node, then those that wait, then new ones. The
/// latter two fit where the planner finds them a node: whoever waits in the cluster for another
/// reason was placed before. A replica that was removed frees what its pod takes, as do pods of the
/// workloads that are on the way out.
class SitesRoom final : public SiteRoom {
 public:
  /// Errors: kNotFound where the facts have no sample of a workload; as LiveCluster::place.
  static Result<std::unique_ptr<SitesRoom>> make(Facts facts, RttMatrix rtt, LiveOptions options,
                                                 const std::vector<SiteWorkload>& workloads);
  ~SitesRoom() override;

  Result<bool> add(std::uint32_t replica, std::uint32_t site) override;
  /// Another pod comes in its place, wherever on the site it fits, or on the same node; back to
  /// what it has been, it is where it was. False where none fits, and where the workload does not
  /// grow.
  Result<bool> resize(std::uint32_t replica, std::int64_t amount) override;
  void remove(std::uint32_t replica) override;

 private:
  class Parts;
  explicit SitesRoom(std::unique_ptr<Parts> parts);
  std::unique_ptr<Parts> parts_;
};

/// What pods of a site should say of themselves before replicas leave it, by the mean RTT from
/// nodes of home. Empty where all are alike. `rules` and `rtt_by`: as of
/// site_rtts(). Cost: O(pods * nodes).
std::vector<PodCost> deletion_costs(const Facts& facts, const RttMatrix& rtt,
                                    const std::string& rtt_by, const SiteRules& rules,
                                    const SiteWorkload& workload);

}  // namespace gedge
