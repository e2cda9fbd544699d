#include "gedge/verify/unplaced.hpp"

#include <set>
#include <string_view>
#include <utility>

namespace gedge {

std::vector<UnplacedPod> unplaced_pods(const VerifyInput& input) {
  std::set<std::pair<std::string_view, std::string_view>> placed;
  for (const Placement& placement : input.placements)
    placed.emplace(placement.namespace_name, placement.pod);
  std::vector<UnplacedPod> all;
  for (const Pod& pod : input.facts.pods) {
    if (awaits_node(pod, input.facts.spec_of(pod)) &&
        !placed.contains({pod.namespace_name.str(), pod.name.str()}))
      all.push_back({pod.namespace_name, pod.name, pod.place});
  }
  return all;
}

}  // namespace gedge
