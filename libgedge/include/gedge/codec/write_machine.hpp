// gedge/codec/write_machine.hpp - the documents of `gedge pin`.
#pragma once

#include <string>
#include <vector>

#include "gedge/codec/write.hpp"
#include "gedge/pin/admission.hpp"
#include "gedge/pin/defragment.hpp"
#include "gedge/pin/machine.hpp"
#include "gedge/pin/pin_check.hpp"

namespace gedge {

/// kind Machine, with those who hold CPUs of it.
std::string write(const Machine& machine, const PinCheck& pins, TextFormat format);

/// kind PinCheck.
std::string write(const PinCheck& check, TextFormat format);

/// One pod, and what the kubelet says to it.
struct PinDecision {
  std::string namespace_name, pod;
  PinAnswer answer;
};

/// What a kubelet says to pods that come one after the other.
struct PinPlan {
  Compat compat = Compat::k1_36;
  CpuSet reserved, shared, free;       ///< shared and free: after the last pod
  std::vector<PinDecision> decisions;  ///< in the order of the queue
  /// NUMA nodes of CPUs, for the answer.
  std::vector<NumaNode> numa_nodes;
  std::vector<Device> devices;  ///< of the machine

  std::size_t admitted() const;
};

/// Ids of the NUMA nodes that these CPUs lie on, ascending.
std::vector<int> numa_nodes_of(const CpuSet& cpus, const std::vector<NumaNode>& nodes);

/// kind PinPlan.
std::string write(const PinPlan& plan, TextFormat format);

/// kind PinDefrag.
std::string write(const Defragmentation& found, TextFormat format);

}  // namespace gedge
