// gedge/sim/cluster.hpp - a cluster as its API server keeps it, in memory.
//
// It answers as Kubernetes 1.20 does: a bind is a compare-and-set on the pod alone, and looks
// neither at its UID nor at the node. Everything that happens is an event with a version; who
// watches reads them in order, late, or only the newest of each object.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "gedge/model/fact_name.hpp"
#include "gedge/model/facts.hpp"
#include "gedge/port/binding.hpp"

namespace gedge {

/// One change of one object.
struct ClusterEvent {
  FactKind kind = FactKind::kPod;  ///< kPod, kNode, or any other for objects that were added
  PodName name;                    ///< of a node: without a namespace
  bool is_removed = false;
  Facts object;  ///< the object alone, as it was then; empty where it is removed
};

class SimCluster {
 public:
  /// Versions begin after what is there at first.
  explicit SimCluster(Facts facts);

  // What actors do. Each returns false where there is no such object, or one already.
  bool create(Pod pod, PodSpec spec);
  bool create(const Node& node);
  bool remove_pod(const PodName& name);
  bool remove_node(const std::string& name);
  bool finish(const PodName& name);
  bool change(Node node);
  /// By its name; its spec stays.
  bool change(Pod pod);
  /// Objects of the kinds that are neither nodes nor pods.
  void add(Facts others);

  BindAnswer bind(const BindRequest& request);
  PodReading read(const PodName& name) const;
  /// Binds the claim to its volume, or to a new one that only its node reaches.
  ClaimAnswer claim(const ClaimRequest& request);

  /// Everything that there is, with the version up to which that is so.
  Facts list() const;
  std::size_t version() const { return forgotten_ + log_.size(); }
  /// Not one that was forgotten.
  const ClusterEvent& event(std::size_t version) const { return log_[version - forgotten_]; }
  /// Nobody asks for events before that version any more.
  void forget_before(std::size_t version);
  /// Events that are not forgotten.
  std::size_t kept() const { return log_.size(); }

  struct SimPod {
    Pod pod;
    PodSpec spec;
  };
  const std::map<PodName, SimPod>& pods() const { return pods_; }
  const std::map<std::string, Node>& nodes() const { return nodes_; }
  const Facts& others() const { return others_; }

 private:
  void log(const SimPod& pod);
  void log(const Node& node);
  void log_removed(FactKind kind, PodName name);

  std::map<PodName, SimPod> pods_;
  std::map<std::string, Node> nodes_;
  Facts others_;                  // neither nodes nor pods
  std::size_t forgotten_ = 0;     // events before those of log_
  std::deque<ClusterEvent> log_;  // what is added later moves none
  std::uint64_t last_uid_ = 0;
};

}  // namespace gedge
