// gedge.hpp - the command under test, and inputs that many tests share.
#pragma once

#include "support/command.hpp"
#include "support/paths.hpp"

namespace gedge::test {

/// Runs the gedge of this build.
inline Ran run_gedge(const std::vector<std::string>& args, const RunOptions& options = {}) {
  return run_program(programs_dir() / "gedge", args, options);
}

/// Six nodes in three tiers: edge-1, edge-2, near-1, near-2, cloud-1, cloud-2; 4 cpu and 8 GiB
/// each.
inline const std::string kSite = "synthetic:nodes=6,tiers=2/2/2";

/// decode-0..2 within 5 ms of edge-1 (two fit there); store-0 within 25 ms of every decode.
inline const std::string kCamera = R"(apiVersion: apps/v1
kind: Deployment
metadata: {name: decode}
spec:
  replicas: 3
  selector: {matchLabels: {app: decode}}
  template:
    metadata:
      labels: {app: decode, delay_edge-1: "5"}
    spec:
      containers:
      - {name: main, image: "decode:1", resources: {requests: {cpu: 1500m, memory: 1Gi}}}
---
apiVersion: apps/v1
kind: StatefulSet
metadata: {name: store}
spec:
  replicas: 1
  selector: {matchLabels: {app: store}}
  template:
    metadata:
      labels: {app: store}
      annotations: {gedge.io/delay-budget: "deployment/decode=25ms"}
    spec:
      containers:
      - {name: main, image: "store:1", resources: {requests: {cpu: 500m, memory: 3Gi}}}
)";

/// A pod that asks for more than any node has.
inline const std::string kBig = R"(apiVersion: v1
kind: Pod
metadata: {name: big, labels: {delay_edge-1: "1"}}
spec:
  containers:
  - {name: main, image: "big:1", resources: {requests: {cpu: "5", memory: 3Gi}}}
)";

}  // namespace gedge::test
