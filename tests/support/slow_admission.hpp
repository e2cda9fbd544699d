// support/slow_admission.hpp - what today's kubelet says to pods, once more, by trying every set of
// NUMA nodes. Nothing is shared with the library but descriptions of machines and options.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "gedge/pin/admission.hpp"
#include "support/slow_cpus.hpp"

namespace gedge::test {

/// Options full-pcpus-only and distribute-cpus-across-numa, every topology policy and scope, the
/// memory manager, devices that do not care. No init containers.
class SlowKubelet {
 public:
  SlowKubelet(const Machine& machine, const KubeletRules& rules, const Cpus& reserved);

  /// Exclusive CPUs of each container, in order; nothing for a pod that is refused, which changes
  /// nothing. `memory`: bytes of each container; empty: none.
  std::optional<std::vector<Cpus>> admit(const std::vector<int>& containers,
                                         const std::vector<std::uint64_t>& memory = {});

 private:
  struct Choice {
    bool content = false;  // the topology policy is
    std::set<int> nodes;   // empty: any
    bool preferred = false;
  };
  struct Hint {
    std::set<int> nodes;  // empty: any
    bool preferred = false;
  };
  struct Memory {
    std::uint64_t all = 0, free = 0;
    int holders = 0;
    std::set<int> group;
  };
  Choice choose(int cpus, std::uint64_t bytes) const;
  std::vector<std::set<int>> node_sets() const;
  std::vector<Hint> cpu_hints(int cpus) const;
  std::vector<Hint> memory_hints(std::uint64_t bytes) const;
  bool can_group(const std::set<int>& nodes) const;
  bool take_memory(std::uint64_t bytes, const Choice& choice);
  std::optional<Cpus> take(int cpus, const std::set<int>& nodes) const;
  int cpus_in(const std::set<int>& nodes, const Cpus& among) const;

  const Machine machine_;
  const KubeletRules rules_;
  Cpus all_, free_;
  std::map<int, Memory> memory_;
};

}  // namespace gedge::test
