// gedge/verify/unplaced.hpp - the pods about which a verification says nothing.
#pragma once

#include <string>
#include <vector>

#include "gedge/verify/verify.hpp"

namespace gedge {

/// A pod that waits for a node.
struct UnplacedPod {
  std::string namespace_name, pod;
  Place place;  ///< where the facts have it from
};

/// Pods that the facts hold as pending and to which no placement of `input` gives a node, in the
/// order of the facts. Cost: O((pods + placements) log placements).
std::vector<UnplacedPod> unplaced_pods(const VerifyInput& input);

}  // namespace gedge
