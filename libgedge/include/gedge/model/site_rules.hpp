// gedge/model/site_rules.hpp - where an autoscaler's replicas may be, as declared.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "gedge/model/resize_way.hpp"

namespace gedge {

/// Which site gets the next replica.
enum class SiteChoice : std::uint8_t {
  kOrder,   ///< the first one that has room; far replicas leave first
  kDemand,  ///< the one where it removes most latency for those who ask
  kSpread,  ///< the one with the fewest
};

/// How replicas become larger where they are.
struct GrowRule {
  std::string resource;                 ///< empty: they do not
  std::int64_t step = 0;                ///< at once; thousandths of cpu, units of everything else
  std::int64_t most = 0;                ///< of one replica
  ResizeWay way = ResizeWay::kInPlace;  ///< of a live cluster
  friend bool operator==(const GrowRule&, const GrowRule&) = default;
};

struct SiteRules {
  std::vector<std::string> order;  ///< values of `label`, each once; the first is home
  /// Of a live cluster: [order], what runs on each site, of the target's kind; empty: nobody says.
  /// That of home is the target itself.
  std::vector<std::string> workloads;
  std::string label = "topology.kubernetes.io/zone";  ///< of nodes
  SiteChoice choice = SiteChoice::kOrder;
  /// kDemand, of a live cluster: the label of the metric's values that says from which site they
  /// come; empty: nobody says.
  std::string demand_label;
  std::optional<std::int64_t> budget_us;  ///< longest RTT from those who ask
  GrowRule up;                            ///< kOrder
  std::int64_t over_after_s = 60;         ///< see SiteScaler
  std::int64_t return_after_s = 300;
  /// What a replica takes before those who ask go to the next site, in percent of its target.
  std::int32_t full_percent = 125;
  friend bool operator==(const SiteRules&, const SiteRules&) = default;
};

}  // namespace gedge
