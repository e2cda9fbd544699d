// support/reference/spreading.hpp - topology spread constraints as the filter and the score both
// read them.
#pragma once

#include <string>
#include <vector>

#include "gedge/policy/profile.hpp"
#include "support/reference/world.hpp"

namespace gedge::reference {

inline constexpr const char* kHostname = "kubernetes.io/hostname";
inline constexpr const char* kZone = "topology.kubernetes.io/zone";

/// Constraints that hold for a pod: its own or, if it has none of either kind, the defaults.
struct Constraints {
  std::vector<TopologySpread> list;  ///< selectors complete (matchLabelKeys, owners)
  bool system_defaults = false;      ///< 1.36: their keys need not all be there
};
Constraints constraints_of(const PolicyArgs& args, const World& world, const Seat& pod, bool hard);

/// The selector that 1.20 and 1.36 make of services and controllers; one without requirements
/// means: none.
LabelSelector owners_selector(const World& world, const Seat& pod);

bool has_all_keys(const Node& node, const std::vector<TopologySpread>& constraints);
/// May `node` hold domains of this constraint for `pod`? (node affinity, taints)
bool is_eligible(const World& world, const Seat& pod, const Node& node,
                 const TopologySpread& constraint);
/// Pods on `node` that count for this constraint: same namespace, not terminating, selected.
std::int64_t count_on(const World& world, const Seat& pod, const Node& node,
                      const TopologySpread& constraint);

}  // namespace gedge::reference
