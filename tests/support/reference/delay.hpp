// support/reference/delay.hpp - delay budgets, word for word from section 4 of the surface.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "support/reference/world.hpp"

namespace gedge::reference {

/// RTT between two nodes: 0 on one node, else what the matrix says of their names. kUnmeasured
/// where it says nothing.
Rtt rtt_between(const World& world, const Node& a, const Node& b);

/// What `<from>` turned out to be.
struct Peer {
  enum class Kind { kUnknown, kNodes, kPods, kName } kind = Kind::kUnknown;
  std::vector<const Node*> nodes;  ///< kNodes: the node, or the nodes of a zone
  std::vector<const Seat*>
      pods;  ///< kPods: the pod, or every pod of a workload, placed or not; without the owner
  std::string name;        ///< kName: a name of the matrix
  bool owner_too = false;  ///< kPods: the owner is one of them; it is near itself wherever it is
};
Peer find_peer(const World& world, const Seat& owner, const DelayBudget& budget);

enum class Judgement { kHolds, kOver, kUnmeasured, kUnknown, kNotPlaced };
struct Measured {
  Judgement judgement = Judgement::kHolds;
  std::optional<std::int64_t> rtt_us;  ///< empty: unmeasured, unknown or nobody else placed
};
/// One budget of `owner` as if it were on `node`.
Measured measure(const World& world, const Seat& owner, const DelayBudget& budget,
                 const Node& node);

/// Pods still to be placed whose places `pod` has to know first.
std::vector<const Seat*> waits_for(const World& world, const Seat& pod);

}  // namespace gedge::reference
