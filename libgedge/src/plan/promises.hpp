// plan/promises.hpp - pods that were promised a node by preemption, while others are decided.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "plan/session.hpp"

namespace gedge {

/// While a group is decided, pods that were promised a node and are at least as important stand on
/// it in the state, as if their victims had gone already.
class Promises {
 public:
  /// `promised` wait, and their nominated nodes are there.
  Promises(Session& session, std::vector<PodIndex> promised)
      : session_(session), promised_(std::move(promised)) {}

  /// Session::decide, with and then without the promised pods: what only they make possible is no
  /// place.
  void decide(Group group, std::vector<Decision>& decisions);

 private:
  std::vector<PodIndex> hold_against(Group group);
  void release(const std::vector<PodIndex>& held);
  std::optional<ScoredNode> place_either_way(PodIndex pod);
  std::string confirm(PodIndex pod, bool is_alone, Decision& decision);
  void confirm_all(Group group, std::span<Decision> decisions);

  Session& session_;
  std::vector<PodIndex> promised_;
};

}  // namespace gedge
