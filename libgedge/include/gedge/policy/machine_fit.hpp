// gedge/policy/machine_fit.hpp - policy MachineFit: would the kubelet of the node admit the pod?
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "gedge/pin/admission.hpp"
#include "gedge/policy/policy.hpp"

namespace gedge {

inline constexpr std::string_view kMachineFit = "MachineFit";

/// The machines of nodes, each with its kubelet as it is configured and as full as its state file
/// says.
class NodeMachines {
 public:
  void add(std::string node, Kubelet kubelet) {
    asks_for_memory_ = asks_for_memory_ || kubelet.rules().memory.is_static;
    kubelets_.insert_or_assign(std::move(node), std::move(kubelet));
  }
  /// Null for a node whose machine is not known.
  const Kubelet* find(std::string_view node) const {
    const auto found = kubelets_.find(node);
    return found != kubelets_.end() ? &found->second : nullptr;
  }
  std::size_t size() const { return kubelets_.size(); }
  /// Some kubelet has a memory manager of policy Static.
  bool asks_for_memory() const { return asks_for_memory_; }

 private:
  std::map<std::string, Kubelet, std::less<>> kubelets_;
  bool asks_for_memory_ = false;
};

/// Rejects nodes whose kubelet would refuse the pod. `machines` outlives the policy. Nodes whose
/// machine is not known pass; so do pods without exclusive CPUs, unless a kubelet promises memory.
std::unique_ptr<FilterPolicy> make_machine_filter(const NodeMachines& machines);
/// 100, divided by the number of NUMA nodes that the pod's exclusive CPUs would lie on; 0 where the
/// machine is not known. Pods without exclusive CPUs: 0 everywhere.
std::unique_ptr<ScorePolicy> make_machine_score(const NodeMachines& machines);

}  // namespace gedge
