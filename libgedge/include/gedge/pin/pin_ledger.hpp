// gedge/pin/pin_ledger.hpp - which processes hold which CPUs of one machine for themselves.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "gedge/base/result.hpp"
#include "gedge/pin/admission.hpp"
#include "gedge/pin/control_group.hpp"

namespace gedge {

/// What is kept of pins in one file: longer ones are neither written nor read.
inline constexpr std::size_t kMostPinBytes = std::size_t{64} << 20;

/// A process: numbers are given again, a number and a start are not.
struct ProcessId {
  int pid = 0;
  std::uint64_t started = 0;  ///< clock ticks since boot
  friend bool operator==(const ProcessId&, const ProcessId&) = default;
};

/// Who holds CPUs: one process, or whatever is in a control group.
using PinHolder = std::variant<ProcessId, GroupId>;

/// "4711-123456", "group-4711", or "group-4711-4026532281" in a namespace of its own: how a holder
/// stands in the ledger, in the place of a pod's uid.
std::string holder_name(const PinHolder& holder);
/// Nothing where this names no process: an entry of somebody else.
std::optional<ProcessId> holder_process(std::string_view name);
/// An entry as a holder: a group's path stands in the place of a container's name. Nothing for an
/// entry of somebody else.
std::optional<PinHolder> holder_of(std::string_view name, const CpuAssignments::OfPod& parts);

/// For itself or beside others.
enum class PinMode : std::uint8_t {
  kExclusive,  ///< CPUs that nobody else holds, or none at all
  kPreferred,  ///< the same where they can be had, else beside others on all that nobody holds
  kShared,     ///< beside others on CPUs that are named, those left out that somebody holds
};

/// What one process asks for.
struct CpuAsk {
  int cpus = 1;
  StaticOptions options;
  TopologyPolicy topology = TopologyPolicy::kNone;
  std::vector<DeviceWish> near{};  ///< devices that the CPUs are to be near to; nobody holds them
  PinMode mode = PinMode::kExclusive;
  CpuSet shared{};  ///< of mode kShared
};

/// What it gets.
struct CpuGrant {
  CpuSet cpus;
  std::vector<int> nodes;  ///< the NUMA nodes that these are part of, ascending
  DeviceChoice near{};     ///< of those wished for
  bool exclusive = true;   ///< else others may run there, and it holds nothing
};

/// The machine as somebody sees it who may use these CPUs only.
Machine machine_within(const Machine& machine, const CpuSet& allowed);

/// Takes out what dead holders held; entries of others stay. `lives` is asked once for each.
void reclaim(CpuAssignments& ledger, const std::function<bool(const PinHolder&)>& lives);

/// A kubelet without a reservation of its own on this machine, that has given out what stands in
/// the ledger, as far as it has those CPUs. Errors: as Kubelet::create.
Result<Kubelet> kubelet_for(const CpuAssignments& ledger, const Machine& machine,
                            const StaticOptions& options, TopologyPolicy topology);

/// Chooses CPUs out of `allowed` that nobody holds, as a kubelet would, and writes them down for
/// `holder`, unless they are shared. Devices are chosen with them, as for a container that asks for
/// both; without a topology policy as far as it can be had. Errors: kDenied where there are not so
/// many, the policy refuses, or a policy or a device is asked for and the machine has more NUMA
/// nodes than a kubelet aligns by default; kNotFound for a device that it does not have;
/// kInvalidInput for policies that contradict each other. Nothing is written down then.
Result<CpuGrant> grant(CpuAssignments& ledger, const Machine& machine, const CpuSet& allowed,
                       const CpuAsk& ask, const PinHolder& holder);

/// `holder` holds nothing any more.
void give_back(CpuAssignments& ledger, const PinHolder& holder);

/// `shared` becomes what nobody holds.
void settle_shared(CpuAssignments& ledger, const CpuSet& all);

}  // namespace gedge
