// control/scheduler_overcommit.cpp - nodes that got more than they have, by other hands than ours.
#include "gedge/control/scheduler.hpp"

namespace gedge {

// A bind looks at the pod alone, whoever sends it: of two schedulers that see the same free place
// both may fill it. Looked at are nodes to which a pod came that was not assumed there, and those
// that had too much before.
Status Scheduler::look_for_overcommits() {
  std::set<SharedText> nodes = std::exchange(came_to_, {});
  if (helped_ != 0) nodes.insert(overcommitted_.begin(), overcommitted_.end());
  if (nodes.empty()) return {};
  auto found = cluster_.overcommits({nodes.begin(), nodes.end()});
  if (!found) return std::move(found).error();
  std::set<SharedText> before = std::exchange(overcommitted_, {});
  for (Overcommit& overcommit : *found) {
    overcommitted_.insert(overcommit.node);
    if (before.contains(overcommit.node)) continue;
    ++counts_.overcommits;
    overcommits_.push_back(std::move(overcommit));
  }
  return {};
}

}  // namespace gedge
