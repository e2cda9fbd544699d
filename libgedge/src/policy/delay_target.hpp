// policy/delay_target.hpp - what a delay budget is measured from, found by name.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "gedge/policy/delay.hpp"
#include "gedge/snapshot/cluster_state.hpp"

namespace gedge {

/// True if `budget` of a pod in `owner_namespace` means `pod`, alone or as part of its workload.
bool means_pod(const ClusterState& cluster, const DelayBudget& budget,
               std::string_view owner_namespace, const PodFacts& pod);

/// RTT from a name of the matrix to a node.
Rtt rtt_from_name(const ClusterState& cluster, NameIndex name, NodeIndex node);

/// The RTT that counts over several places: the largest, or the smallest if the nearest is meant.
/// "Unmeasured" is the largest of all.
class CountedRtt {
 public:
  explicit CountedRtt(bool nearest) : CountedRtt(nearest, nearest ? kUnmeasured : Rtt{0}) {}
  CountedRtt(bool nearest, Rtt so_far) : nearest_(nearest), us_(so_far.us) {}
  void add(Rtt rtt) { us_ = nearest_ == (rtt.us < us_) ? rtt.us : us_; }
  Rtt get() const { return Rtt{us_}; }

 private:
  bool nearest_;
  std::uint32_t us_;
};

}  // namespace gedge
