// gedge/pin/admission.hpp - what a kubelet would say to a pod: admitted with these CPUs, or why
// not.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "gedge/base/result.hpp"
#include "gedge/pin/device_desk.hpp"
#include "gedge/pin/memory_desk.hpp"
#include "gedge/pin/static_policy.hpp"
#include "gedge/pin/topology_manager.hpp"

namespace gedge {

/// How a kubelet is configured, as far as it decides about CPUs and memory.
struct KubeletRules {
  KubeletForm form = KubeletForm::kToday;
  bool is_static = false;  ///< cpuManagerPolicy static; else none
  StaticOptions cpu;
  TopologyOptions topology;
  CpuReservation reservation;
  MemoryRules memory{};
  bool needs_reservation = true;  ///< a kubelet's static policy does
};

struct PinnedContainer {
  std::string container;
  ContainerRole role = ContainerRole::kApp;
  bool exclusive = false;
  CpuSet cpus;  ///< where it may run; of all that share, what is shared once the pod is admitted
  DeviceChoice devices{};
  std::optional<NumaMask> memory{};  ///< the NUMA nodes that its memory comes from
  friend bool operator==(const PinnedContainer&, const PinnedContainer&) = default;
};

struct PinAnswer {
  std::optional<PinRefusal> refusal;        ///< empty: admitted
  std::vector<PinnedContainer> containers;  ///< as in the pod; empty where it is refused
};

/// One machine, its kubelet, and the pods that it admitted.
class Kubelet {
 public:
  /// Errors: kInvalidInput in the kubelet's words, where it would not start with these rules.
  static Result<Kubelet> create(const Machine& machine, const KubeletRules& rules);

  const KubeletRules& rules() const { return rules_; }
  const StaticPolicy& cpus() const { return policy_; }
  /// See StaticPolicy::restore. Errors: kConflict.
  Status restore(CpuAssignments assignments) { return policy_.restore(std::move(assignments)); }
  /// See MemoryDesk::restore. Errors: kConflict.
  Status restore(const MemoryAssignments& assignments) { return memory_.restore(assignments); }
  /// See StaticPolicy::resume.
  void resume(CpuAssignments assignments) { policy_.resume(std::move(assignments)); }

  /// Its devices are given out from now on; without this, pods that wish for some are refused.
  void know_devices(const Machine& machine) { devices_ = DeviceDesk(machine); }

  /// Asks for hints, merges and allocates, container by container or for the pod as a whole. A
  /// refused pod leaves nothing behind. Init containers hold their CPUs until `start`.
  PinAnswer admit(const PodCpus& pod);
  /// The init containers of an admitted pod have ended.
  void start(const PodCpus& pod);
  /// The pod has ended.
  void remove(const PodCpus& pod);

 private:
  Kubelet(StaticPolicy policy, MemoryDesk memory, NumaLayout layout, const KubeletRules& rules)
      : policy_(std::move(policy)),
        memory_(std::move(memory)),
        layout_(std::move(layout)),
        rules_(rules) {}
  std::optional<PinRefusal> allocate(const PodCpus& pod);

  void release(const std::string& uid, const std::string& container);
  /// For one container, or without it for the whole pod.
  MergedHint merge(const PodCpus& pod, const CpuRequest* container) const;

  StaticPolicy policy_;
  MemoryDesk memory_;
  DeviceDesk devices_;
  NumaLayout layout_;
  KubeletRules rules_;
};

}  // namespace gedge
