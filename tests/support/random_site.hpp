// support/random_site.hpp - small random sites, rich in everything that filters and scores look at.
//
// A site draws a few themes (taints, affinity, budgets, ...) and uses those often and the others
// never, so that many pods find a place and each rule meets many others.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "gedge/latency/matrix.hpp"
#include "gedge/model/facts.hpp"
#include "support/dice.hpp"

namespace gedge::test {

struct RandomSite {
  Facts facts;  ///< lists in the order that readers give them
  RttMatrix rtt;
  std::string rtt_by;  ///< node label that names nodes in the matrix; empty: the node name
};

struct SiteOptions {
  /// False: budgets point only at nodes, names, bound pods and at workloads that come before, so
  /// that pods never wait for each other in a circle (but for names that collide).
  bool cycles = false;
};

/// Brings pods into the order that readers give them.
void sort_pods(Facts& facts);

RandomSite make_random_site(Dice& dice, SiteOptions options = {});

/// What a site is about; each theme is drawn on its own. A gentle site has room and forbids little,
/// so that scores decide.
struct Themes {
  bool taints, affinity, ports, extended, spread, pods, images, storage, budgets, init, overhead,
      crowded, tiers, gpus, gentle;
};

/// A label of single pods of StatefulSets, which a few selectors read.
inline constexpr std::string_view kPodIndexLabel = "apps.kubernetes.io/pod-index";

/// A name that random pods and budgets refer to.
struct RandomWorkload {
  std::string namespace_name, kind, name;
  std::size_t bound = 0, pending = 0;
  Labels labels;
};

/// The spec of one workload's pods. `place` is its index in `workloads`.
PodSpec make_random_spec(Dice& dice, const Themes& themes, const RandomSite& site,
                         const std::vector<RandomWorkload>& workloads, std::size_t place,
                         SiteOptions options);

}  // namespace gedge::test
