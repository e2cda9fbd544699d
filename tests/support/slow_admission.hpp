// support/slow_admission.hpp - what today's kubelet says to pods, once more, by trying every set of
// NUMA nodes. Nothing is shared with the library but descriptions of machines and options.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "gedge/pin/admission.hpp"
#include "support/slow_cpus.hpp"

namespace gedge::test {

/// Options full-pcpus-only and distribute-cpus-across-numa, every topology policy and scope, memory
/// and devices that do not care. No init containers.
class SlowKubelet {
 public:
  SlowKubelet(const Machine& machine, const KubeletRules& rules, const Cpus& reserved);

  /// Exclusive CPUs of each container, in order; nothing for a pod that is refused, which changes
  /// nothing.
  std::optional<std::vector<Cpus>> admit(const std::vector<int>& containers);

 private:
  struct Choice {
    bool content = false;  // the topology policy is
    std::set<int> nodes;   // empty: any
  };
  Choice choose(int cpus) const;
  std::optional<Cpus> take(int cpus, const std::set<int>& nodes) const;
  int cpus_in(const std::set<int>& nodes, const Cpus& among) const;

  const Machine machine_;
  const KubeletRules rules_;
  Cpus all_, free_;
};

}  // namespace gedge::test
