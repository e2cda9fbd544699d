// support/reference/filters.hpp - every filter, one pod against one node.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "gedge/effect/reason.hpp"
#include "gedge/policy/profile.hpp"
#include "support/reference/world.hpp"

namespace gedge::reference {

/// Why one filter keeps `pod` from `node`; empty: it does not. `pod` itself has no node.
using Objections = std::vector<Evidence>;

/// Runs the filter that `entry` names. A name that the reference does not know is a failure of the
/// caller's test: `known` becomes false.
Objections object(const ProfileEntry& entry, const World& world, const Seat& pod, const Node& node,
                  bool& known);

Objections node_unschedulable(const Seat& pod, const Node& node);
Objections node_name(const Seat& pod, const Node& node);
Objections taint_toleration(const Seat& pod, const Node& node);
Objections node_affinity(const PolicyArgs& args, const Seat& pod, const Node& node);
Objections node_ports(const World& world, const Seat& pod, const Node& node);
Objections resources_fit(const PolicyArgs& args, const World& world, const Seat& pod,
                         const Node& node);
Objections volume_binding(const World& world, const Seat& pod, const Node& node);
Objections volume_zone(const World& world, const Seat& pod, const Node& node);
Objections topology_spread(const PolicyArgs& args, const World& world, const Seat& pod,
                           const Node& node);
Objections inter_pod_affinity(const World& world, const Seat& pod, const Node& node);
Objections gpu_share(const World& world, const Seat& pod, const Node& node);
Objections cloud_for_unconstrained(const Seat& pod, const Node& node);
Objections delay_budget(const World& world, const Seat& pod, const Node& node);

/// The texts that are counted in "0/N nodes are available: ...", from tables 3.0 and 3.2; where
/// these say nothing, the library's own words.
std::vector<std::string> words(const Evidence& evidence, Compat compat);

}  // namespace gedge::reference
