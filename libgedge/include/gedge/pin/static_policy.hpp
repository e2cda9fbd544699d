// gedge/pin/static_policy.hpp - the kubelet's CPU manager under policy `static`: who holds which
// CPUs.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "gedge/base/result.hpp"
#include "gedge/pin/cpu_requests.hpp"
#include "gedge/pin/numa_hint.hpp"
#include "gedge/pin/take_cpus.hpp"

namespace gedge {

/// Why the kubelet does not admit a pod, in its own words.
struct PinRefusal {
  std::string reason;  ///< "SMTAlignmentError", "TopologyAffinityError", "UnexpectedAdmissionError"
  std::string message;
  friend bool operator==(const PinRefusal&, const PinRefusal&) = default;
};

/// What `cpu_manager_state` holds.
struct CpuAssignments {
  using OfPod = std::map<std::string, CpuSet>;
  CpuSet shared;                      ///< defaultCpuSet: all but the exclusive ones
  std::map<std::string, OfPod> pods;  ///< by uid, then by container
  friend bool operator==(const CpuAssignments&, const CpuAssignments&) = default;
};

/// CPUs that no container gets for itself.
struct CpuReservation {
  int count = 0;
  CpuSet cpus;  ///< empty: `count` are taken as for a container
};

class StaticPolicy {
 public:
  /// Errors: kInvalidInput in the kubelet's words where the reservation does not add up.
  static Result<StaticPolicy> create(CpuTopology topology, const StaticOptions& options,
                                     const CpuReservation& reservation);

  const CpuTopology& topology() const { return topology_; }
  const StaticOptions& options() const { return options_; }
  const CpuSet& reserved() const { return reserved_; }
  const CpuAssignments& assignments() const { return assignments_; }
  /// What a container may still get for itself.
  CpuSet free() const { return assignments_.shared - reserved_; }

  /// Goes on from where a kubelet was. Errors: kConflict, in the words with which it would not
  /// start; nothing is changed then.
  Status restore(CpuAssignments assignments);
  /// The same for assignments that are known to fit the machine: of this policy at another time.
  void resume(CpuAssignments assignments);

  /// For one container: where it would fit. With sockets instead of NUMA nodes under
  /// align-by-socket.
  NumaHints hints(const PodCpus& pod, const CpuRequest& request) const;
  /// For the whole pod at once.
  NumaHints hints(const PodCpus& pod) const;

  /// Gives a container of `pod` its CPUs, of the NUMA nodes in `affinity` first. Nothing happens to
  /// one that has some, or that asks for none. Empty: admitted.
  std::optional<PinRefusal> allocate(const PodCpus& pod, const CpuRequest& request,
                                     std::optional<NumaMask> affinity);
  /// The container has ended. 1.20 gives its CPUs back even where others of its pod use them.
  void release(const std::string& uid, const std::string& container);

 private:
  StaticPolicy(CpuTopology topology, const StaticOptions& options)
      : topology_(std::move(topology)), options_(options) {}
  std::optional<PinRefusal> check_cores(int cpus) const;
  std::optional<PinRefusal> refuse(int wanted, int free) const;
  std::vector<NumaHint> hints(const CpuSet& free, const CpuSet& reusable, int cpus) const;
  bool is_aligned_by_socket(NumaMask nodes, int fewest) const;
  CpuSet cpus_near(NumaMask nodes, const CpuSet& among) const;
  CpuSet reusable(const std::string& uid) const;
  const CpuSet* held_by(const std::string& uid, const std::string& container) const;
  void note_reusable(const std::string& uid, ContainerRole role, const CpuSet& cpus);

  CpuTopology topology_;
  StaticOptions options_;
  CpuSet reserved_;
  CpuSet reserved_cores_;  // and the siblings of these
  CpuAssignments assignments_;
  std::string reusing_;  // the pod that was asked about last, and what its init containers leave
  CpuSet reusable_;
};

}  // namespace gedge
