// gedge/codec/synthetic.hpp - a made-up edge site from one line of text.
//
//   synthetic:nodes=6,tiers=2/2/2,zones=2,cpu=4,memory=8Gi,pods=110,rtt=0.2ms/2ms/10ms/40ms,seed=0
//
//   nodes    how many; without `tiers` shared among edge, near-edge and cloud, edge first
//   tiers    nodes of edge/near-edge/cloud; the last ones may be left out
//   zones    zones of each tier; node K of a tier is in zone (K-1) % zones + 1
//   cpu, memory, pods    allocatable of every node
//   rtt      inside a zone / between zones of a tier / edge to near-edge / to the cloud
//   seed     0: exactly these RTTs; else each pair differs by up to a tenth, the same for the same
//   seed
#pragma once

#include <string_view>
#include <vector>

#include "gedge/base/result.hpp"
#include "gedge/latency/matrix.hpp"
#include "gedge/model/node.hpp"

namespace gedge {

struct SyntheticSite {
  std::vector<Node> nodes;  ///< edge-1, edge-2, ..., near-1, ..., cloud-1, ...
  RttMatrix rtt;            ///< by node name, both directions alike
};

/// True for a text that begins with "synthetic:".
bool is_synthetic(std::string_view text);

/// The keys above in any order, each at most once; what is left out has the value shown. Nodes
/// carry kubernetes.io/hostname, os and arch (linux, amd64), topology.kubernetes.io/zone
/// ("edge-zone-1"), gedge.io/tier (edge, near-edge, cloud), and in the cloud
/// kubernetes.io/role=cloud. Errors: kInvalidInput with the column within `text`. Cost: O(nodes^2).
Result<SyntheticSite> read_synthetic(std::string_view text);

}  // namespace gedge
