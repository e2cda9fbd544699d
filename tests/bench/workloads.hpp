// bench/workloads.hpp - clusters and pods of the sizes that the figures are asked for.
#pragma once

#include <cstdint>
#include <string>

#include "gedge/effect/plan.hpp"
#include "gedge/latency/matrix.hpp"
#include "gedge/model/facts.hpp"

namespace gedge::bench {

struct Workload {
  Facts facts;
  RttMatrix rtt;
};

struct Size {
  std::uint32_t nodes = 0, pods = 0;
};

/// Nodes of three sizes in ten zones, and pods of `templates` templates, dealt round.
Workload of_templates(Size size, std::uint32_t templates);
/// With a label of its own on every pod, as StatefulSets set it; no selector reads it.
Workload with_own_labels(Workload made);
/// The same nodes; every pod asks for other amounts.
Workload all_different(Size size);
/// Sites of 50 nodes, RTTs from the distance of sites; every pod asks for other amounts and bounds
/// its RTT to one node.
Workload all_different_bounded(Size size);

enum class Order : std::uint8_t { kGrouped, kInterleaved };
/// `services` services with required anti-affinity on the hostname and a zone spread of maxSkew 1.
Workload spread_services(Size size, std::uint32_t services, Order order);

/// Whether the verifier finds nothing against the plan. Quadratic where every pod has affinity.
bool holds(const Facts& facts, const RttMatrix& rtt, const Plan& plan,
           Compat compat = Compat::k1_36);

}  // namespace gedge::bench
