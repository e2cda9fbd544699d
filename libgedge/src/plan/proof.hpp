// plan/proof.hpp - whether edits bring a pod to a place once everybody reacts to them.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "gedge/plan/what_if_session.hpp"
#include "plan/candidates.hpp"
#include "plan/session.hpp"

namespace gedge {

/// Plans edited facts, as often as an explanation may.
class Proof {
 public:
  /// `decided`: what the session, which is at the pod's turn, has decided so far, if that is what a
  /// plan decides; the plan is then finished in this session when a proof first needs it. Null: the
  /// session is something else, and stays as it is.
  Proof(Session& session, const PlanRequest& request, PodIndex pod, std::vector<Decision>* decided);

  /// False where not even the plan without edits can be made.
  bool can_plan() { return what_ifs() != nullptr; }

  /// Where the pod is after planning the edited facts; empty: nowhere, or nothing may be tried any
  /// more.
  std::optional<std::string> place_after(const EditSet& set, bool replan);
  /// `set` with more room on `target` for whoever else comes there, so much that the pod finds a
  /// place, too; empty where that does not help.
  std::optional<EditSet> with_room(EditSet set, NodeIndex target);
  /// Leaves out every edit that the pod's place does not need: other pods may react to the rest in
  /// the pod's favour.
  EditSet shrink(EditSet set);
  PodIndex pod() const { return pod_; }
  /// True when as many plans were made as an explanation may cost, but for one.
  bool spent() const { return left_ <= 1; }

 private:
  WhatIfSession* what_ifs();
  Result<std::unique_ptr<WhatIfSession>> finish_plan();
  std::optional<WhatIfAnswer> answer_after(const EditSet& set);
  std::optional<std::string> place_in(const std::vector<Decision>& decisions) const;
  std::optional<std::string> place_in(const WhatIfAnswer& answer, const EditSet& set) const;
  std::optional<std::string> place_replanned(const EditSet& set);
  bool add_room(EditSet& set, NodeIndex target, const WhatIfAnswer& answer) const;

  Session& session_;
  const PlanRequest& request_;
  PodIndex pod_;
  std::vector<Decision>* decided_;  // until the plan is finished
  std::size_t left_;
  std::unique_ptr<WhatIfSession> what_ifs_;  // made when it is first needed
};

}  // namespace gedge
