// sim/workloads.hpp - the controllers that make pods: as many as are wanted of each workload.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>

#include "gedge/base/result.hpp"
#include "gedge/sim/world.hpp"
#include "sim/stage.hpp"

namespace gedge::sim {

/// A pod that went, and since when nobody does its work.
struct Loss {
  SharedText pod, node;
  Nanos at{0};
};

class Workloads {
 public:
  explicit Workloads(Stage& stage) : stage_(stage) {}

  /// Pods that are there, or that somebody makes by hand: what they belong to wants one more.
  void learn(const Pod& pod, const PodSpec& spec);
  Status scale(const WorkloadName& workload, std::int64_t replicas);

  // What happened; `lost_at`: since when the pod does nothing.
  void joined(const Pod& pod);
  void leaving(const Pod& pod, Nanos lost_at);
  void ended(const Pod& pod, Nanos lost_at);
  void left(const Pod& pod, Nanos lost_at);
  void node_came();

  /// What a pod was made for; empty where it stands for none that went.
  std::optional<Loss> loss_of(const PodName& pod) const;
  /// Makes and removes pods until everything is as wanted. `remove` deletes one.
  void reconcile(const std::function<void(const PodName&, std::string)>& remove);

 private:
  struct Mould {
    Pod pod;
    PodSpec spec;
    std::string node;  // of a DaemonSet
  };
  struct Workload {
    std::int64_t wanted = 0, next = 0;
    Mould first;                         // of those whose names do not matter
    std::map<std::string, Mould> named;  // of a StatefulSet and a DaemonSet, by name of the pod
    std::set<PodName> active;            // neither deleted nor at their end
    std::uint64_t done = 0;              // of a Job: succeeded
    std::deque<Loss> losses;
  };
  using Key = std::tuple<std::string, std::string, std::string>;  // namespace, kind, name

  Workload* find(const Pod& pod);
  void lose(const Pod& pod, Nanos at);
  void fill(const Key& key, Workload& workload);
  void fill_named(const Key& key, Workload& workload);
  void shrink(Workload& workload, const std::function<void(const PodName&, std::string)>& remove);
  bool make(Workload& workload, const Mould& mould, const std::string& name, std::int64_t ordinal);
  Mould mould_of(const Key& key, Workload& workload, std::int64_t ordinal);

  Stage& stage_;
  std::map<Key, Workload> workloads_;
  std::set<Key> open_;  // that may want something
  std::map<PodName, Loss> made_for_;
};

}  // namespace gedge::sim
