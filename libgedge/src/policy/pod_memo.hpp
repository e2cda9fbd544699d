// policy/pod_memo.hpp - answers about other pods, worked out once per distinct pod.
#pragma once

#include <unordered_map>

#include "gedge/snapshot/pod_facts.hpp"

namespace gedge {

/// Pods that share their PodFacts share the answer; only looked up, never iterated.
template <typename T>
class PodMemo {
 public:
  /// `work_out(pod)` runs for the first pod of its kind. The reference lives until the next call.
  template <typename F>
  const T& get(const PodFacts& pod, F&& work_out) {
    const auto at = answers_.find(&pod);
    if (at != answers_.end()) return at->second;
    return answers_.emplace(&pod, work_out(pod)).first->second;
  }

 private:
  std::unordered_map<const PodFacts*, T> answers_;
};

}  // namespace gedge
