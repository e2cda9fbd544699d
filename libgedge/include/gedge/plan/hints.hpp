// gedge/plan/hints.hpp - measured latency in the words of Kubernetes, for schedulers that know
// nothing of it.
//
// A budget towards a node, a zone or an outside name becomes a label on every node, the RTT in
// microseconds, and a node affinity that asks for less than that. It says exactly what the budget
// says. A budget towards pods becomes groups of nodes, of which any two are within it, as another
// label, and a pod affinity with that label for its topology. Two nodes may be near each other and
// in different groups, so it says more than the budget: what it allows holds, and not all that
// holds is allowed.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gedge/base/error.hpp"
#include "gedge/latency/matrix.hpp"
#include "gedge/model/facts.hpp"

namespace gedge {

inline constexpr std::string_view kRttLabel = "rtt.gedge.io/";       ///< "...edge-1": microseconds
inline constexpr std::string_view kGroupLabel = "within.gedge.io/";  ///< "...5000us": a group

/// Labels of one node that are to be changed. Empty: it is to have none, for it is unmeasured.
struct NodeHint {
  std::string node;
  std::map<std::string, std::optional<std::string>> labels;
};

/// What a workload's pods are to ask for, where they do not yet.
struct WorkloadHint {
  struct Beside {
    std::string label;           ///< topology key
    std::string namespace_name;  ///< of the peers
    Labels peers;                ///< what all of them bear
  };
  std::string kind, namespace_name, name;
  std::vector<NodeSelectorTerm> node_terms;  ///< all of the affinity, their own among them
  std::vector<Beside> beside;                ///< all of the pod affinity
};

struct Hints {
  std::vector<NodeHint> nodes;          ///< by name
  std::vector<WorkloadHint> workloads;  ///< by namespace, kind and name
  std::vector<Warning> warnings;        ///< HintImpossible: a budget that no label can say
};

struct HintRequest {
  const Facts* facts = nullptr;
  const RttMatrix* rtt = nullptr;
  std::string rtt_by;             ///< as StateOptions
  std::vector<std::string> from;  ///< further names that nodes are labelled with the RTT from
};

/// Of every workload that can be changed: Deployment, StatefulSet, DaemonSet, ReplicaSet.
/// Errors: kNotFound for a name of `from` that is no node, and not in the matrix.
/// Cost: O(names * nodes), and a cover of the nodes a limit of budgets towards pods.
Result<Hints> make_hints(const HintRequest& request);

}  // namespace gedge
