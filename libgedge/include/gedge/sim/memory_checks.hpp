// gedge/sim/memory_checks.hpp - what must hold of what a scheduler remembers, beside the simulated
// cluster that it is told of.
//
// Templates, because a Scheduler and its LiveCluster are of rooms that this one does not include.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "gedge/model/fact_name.hpp"
#include "gedge/model/facts.hpp"
#include "gedge/sim/cluster.hpp"

namespace gedge {

// What is known otherwise than it is; empty: nothing.
std::string difference(const PodName& name, const Pod* known, const PodSpec* spec,
                       const SimCluster::SimPod& there);
std::string difference(const Node* known, const Node& there);
/// Of a pod that may be gone.
std::string difference(const PodName& known, const SimCluster& cluster);

/// What a LiveCluster has of pods and nodes otherwise than they are, once everything was told and
/// every bind is settled (I-6). Pods that have ended need not be known.
template <typename Known>
std::string difference(const Known& known, const SimCluster& cluster) {
  std::string found;
  for (const auto& [name, there] : cluster.pods()) {
    const Pod* const pod = known.find_pod(name);
    if (pod == nullptr && there.pod.is_finished()) continue;
    found = difference(name, pod, known.find_spec(name), there);
    if (!found.empty()) return found;
  }
  for (const PodName& name : known.names(FactKind::kPod))
    if (found = difference(name, cluster); !found.empty()) return found;
  for (const auto& [name, there] : cluster.nodes())
    if (found = difference(known.find_node(name), there); !found.empty()) return found;
  if (known.node_count() == cluster.nodes().size()) return {};
  return std::to_string(known.node_count()) + " nodes are known, and there are " +
         std::to_string(cluster.nodes().size());
}

/// What a scheduler was told of and has asked for.
struct SchedulerInput {
  std::size_t pods = 0, nodes = 0;      ///< that it was last told are there
  std::size_t binds = 0, requests = 0;  ///< sent and not answered; requests: of all kinds
};

struct SizeAndBound {
  const char* what;
  std::size_t size, bound;
};
/// The first that is larger than its bound; empty: none is.
std::string excess(std::span<const SizeAndBound> sizes);

/// What a Scheduler keeps beyond what it has got (I-8): pods that went stay as long as their bind
/// is not settled, and nothing else does.
template <typename AnyScheduler>
std::string excess(const AnyScheduler& scheduler, const SchedulerInput& input) {
  const std::size_t pods = scheduler.cluster().pod_count();
  const std::size_t queued = scheduler.unplaced() + scheduler.bound();
  const std::size_t unsettled = scheduler.binding() + scheduler.unclear() + scheduler.bound();
  const SizeAndBound sizes[] = {
      {"pods in the queue", queued, pods},
      {"pods with a timer", scheduler.timed(), queued},
      {"pods that are known", pods, input.pods + unsettled},
      {"nodes that are known", scheduler.cluster().node_count(), input.nodes},
      {"binds that are waited for", scheduler.in_flight(), input.binds},
      {"answers that are waited for", scheduler.asked(), input.requests},
  };
  return excess(sizes);
}

}  // namespace gedge
