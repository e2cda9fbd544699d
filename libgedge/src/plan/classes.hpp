// plan/classes.hpp - policies prepared once per class of equal pods, and kept true while the
// cluster changes.
//
// A class is everything with the same signature. Classes follow the journal: one bind or unbind is
// told to every live class; anything else (node facts, RTTs, several changes at once) voids them,
// which costs time and never an answer.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "gedge/policy/policy.hpp"

namespace gedge {

struct FilterSlot {
  std::string name;
  std::unique_ptr<FilterPolicy> policy;
};

struct ScoreSlot {
  std::string name;
  std::unique_ptr<ScorePolicy> policy;
  std::int64_t weight = 1;
};

/// States of one class, parallel to the slots; null where a policy needs none.
struct PreparedClass {
  const PodFacts* sample = nullptr;  ///< any pod of the class
  std::vector<std::unique_ptr<ClassState>> filters, scores;
  std::uint64_t last_used = 0;
};

class ClassCache {
 public:
  ClassCache(const ClusterState& cluster, const std::vector<FilterSlot>& filters,
             const std::vector<ScoreSlot>& scores)
      : cluster_(&cluster),
        filters_(&filters),
        scores_(&scores),
        epoch_(cluster.epoch()),
        static_epoch_(cluster.static_epoch()) {}

  /// The class of `pod`, true to the cluster as it is now; lives until the next call.
  PreparedClass& get(PodIndex pod);

  /// The signature under which `get` last saw this pod; empty if it has none.
  std::string_view signature(PodIndex pod) const {
    const auto at = signature_of_.find(&cluster_->pod_facts(pod));
    return at == signature_of_.end() ? std::string_view{} : std::string_view(at->second);
  }

 private:
  void catch_up();
  PreparedClass prepare(const ClassContext& context) const;
  void tell(PreparedClass& prepared, const Change& change) const;
  void make_room();

  const ClusterState* cluster_;
  const std::vector<FilterSlot>* filters_;
  const std::vector<ScoreSlot>* scores_;
  std::unordered_map<std::string, PreparedClass> live_;  // by signature
  std::unordered_map<const PodFacts*, std::string>
      signature_of_;      // "" for pods without a signature
  PreparedClass single_;  // a class of one pod, for one evaluation
  ClusterState::Epoch epoch_;
  std::uint64_t static_epoch_;
  std::uint64_t clock_ = 0;
};

}  // namespace gedge
