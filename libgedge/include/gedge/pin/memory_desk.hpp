// gedge/pin/memory_desk.hpp - the kubelet's memory manager under policy `Static`: whose memory
// comes from which NUMA nodes.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "gedge/base/result.hpp"
#include "gedge/pin/cpu_requests.hpp"
#include "gedge/pin/memory_state.hpp"
#include "gedge/pin/numa_hint.hpp"
#include "gedge/pin/static_policy.hpp"

namespace gedge {

/// memoryManagerPolicy, and what is reserved.
struct MemoryRules {
  bool is_static = false;
  std::map<int, std::uint64_t> reserved;  ///< reservedMemory: bytes by NUMA node
  /// What kubeReserved, systemReserved and evictionHard reserve together; not known where the
  /// threshold of eviction is a share.
  std::optional<std::uint64_t> reserved_by_node;
};

/// NUMA nodes that memory was taken from together stay a group until nobody has memory there: no
/// other group may take from them, and one node alone neither.
/// Source: pkg/kubelet/cm/memorymanager/policy_static.go of Kubernetes, 1.36. Huge pages are not
/// asked for.
class MemoryDesk {
 public:
  MemoryDesk() = default;  ///< of policy None: nobody is asked, nothing is held
  /// Errors: kInvalidInput in the kubelet's words, where it would not start with these rules, or
  /// where nothing is known of the memory.
  static Result<MemoryDesk> create(const Machine& machine, const MemoryRules& rules);

  /// Goes on from where a kubelet was; of huge pages it says how much memory they take away.
  /// Errors: kConflict, in the words with which it would not start; nothing is changed then.
  Status restore(const MemoryAssignments& assignments);

  /// Sets of NUMA nodes with enough; preferred are those of the least size that would do were
  /// nothing taken. None where nothing is asked for, and where nothing fits: the topology manager
  /// is not told then, and `allocate` refuses.
  NumaHints hints(const PodCpus& pod, const CpuRequest& request) const;
  /// For the whole pod at once.
  NumaHints hints(const PodCpus& pod) const;

  /// Takes from the nodes of `hint`, or from more or others where these have not enough. Empty:
  /// admitted.
  std::optional<PinRefusal> allocate(const PodCpus& pod, const CpuRequest& request,
                                     const NumaHint& hint);
  void release(const std::string& uid, const std::string& container);

  /// The NUMA nodes that its memory comes from; none where it has no promise.
  std::optional<NumaMask> held_by(const std::string& uid, const std::string& container) const;

 private:
  struct Node {
    int id = 0;
    std::uint64_t total = 0, system_reserved = 0, allocatable = 0, free = 0;
    int holders = 0;
    NumaMask group = 0;  // those that it gives together with; itself alone at first
  };
  struct Block {
    NumaMask nodes = 0;
    std::uint64_t bytes = 0;  // that nobody of the pod uses again
    int holders = 1;          // kinds of memory that it has of each node
  };

  std::vector<NumaHint> hints(const std::string& uid, std::uint64_t bytes) const;
  std::uint64_t free_in(NumaMask nodes) const;
  bool breaks_group(NumaMask nodes) const;
  std::uint64_t reusable(const std::string& uid, NumaMask nodes) const;
  void note_reusable(const std::string& uid, ContainerRole role, const Block& block);
  void take(NumaMask nodes, std::uint64_t bytes, int holders = 1);
  Status take_size_of_nodes(const MemoryAssignments& assignments);
  Status take_blocks_of(const std::string& uid, const std::string& container,
                        const std::vector<MemoryBlock>& blocks);
  Status check_against(const MemoryAssignments& assignments) const;
  void use_again(const PodCpus& pod, const CpuRequest& request, const Block& block);

  std::vector<Node> nodes_;
  std::map<std::string, std::map<std::string, Block>> held_;  // by pod and container
  std::string reusing_;  // the pod that was asked about last, and what its init containers leave
  std::map<NumaMask, std::uint64_t> reusable_;
};

}  // namespace gedge
