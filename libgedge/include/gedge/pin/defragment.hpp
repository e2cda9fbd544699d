// gedge/pin/defragment.hpp - whole cores and NUMA nodes that are lost because what is free lies
// apart, and the fewest restarts that bring them back.
#pragma once

#include <compare>
#include <cstddef>
#include <string>
#include <vector>

#include "gedge/pin/admission.hpp"

namespace gedge {

/// What is whole and free. More NUMA nodes are better, then more cores.
struct WholeUnits {
  int nodes = 0;  ///< NUMA nodes that nobody holds a CPU of; not those that are reserved whole
  int cores = 0;  ///< cores of which no CPU is held or reserved
  friend auto operator<=>(const WholeUnits&, const WholeUnits&) = default;
};

struct RestartedContainer {
  std::string container;
  CpuSet from, to;
  friend bool operator==(const RestartedContainer&, const RestartedContainer&) = default;
};

/// One pod ends, and its kubelet admits it again.
struct Restart {
  std::string pod;  ///< its uid
  std::vector<RestartedContainer> containers;
  WholeUnits free;  ///< afterwards
  friend bool operator==(const Restart&, const Restart&) = default;
};

struct Defragmentation {
  WholeUnits total;     ///< were nothing held
  WholeUnits now;       ///< as it is
  WholeUnits possible;  ///< so many CPUs, held as closely as can be, leave no more than this
  WholeUnits after;     ///< as it is once the restarts are done
  std::vector<Restart> restarts;  ///< one after the other
  /// No restarts lead further than `after`. Otherwise the search has come to its bound.
  bool is_proven = true;
};

/// How many restarts a search tries before it gives up.
inline constexpr std::size_t kMostTries = 20'000;

/// Looks for the restarts that make most NUMA nodes, then most cores, whole and free, and of these
/// for the fewest; of as few for those of the lowest uids. A restarted pod asks for as many CPUs as
/// it holds, container by container in the order of their names, and is given what the kubelet
/// chooses then; where it would be refused it is not restarted. A pod may be restarted twice.
/// Containers of one pod that hold the same CPUs, as init containers do, count as one.
///
/// Breadth first over the ways in which CPUs can be held, pods that ask for the same being alike:
/// whatever is found is found with the fewest restarts, also where the bound ends the search.
/// Cost: one admission a try, `most_tries` at most.
Defragmentation defragment(const Kubelet& kubelet, std::size_t most_tries = kMostTries);

}  // namespace gedge
