// gedge/plan/what_if_session.hpp - many what-ifs about one plan, each at the cost of what it
// touches.
#pragma once

#include <memory>
#include <vector>

#include "gedge/plan/edit.hpp"

namespace gedge {

class Session;

/// What edits bring about, without what stays as it is.
struct WhatIfAnswer {
  std::vector<Decision> decided;        ///< pods that were decided anew, in the order of placing
  std::vector<Difference> differences;  ///< without kSame; by namespace, pod
  std::vector<Warning> warnings;        ///< moves that break rules
  bool followed = false;                ///< false: planned from edited facts as a whole
};

/// A plan that is kept, so that what-ifs need not begin with it.
///
/// An edit is played into the planned cluster, the placements that it may have made invalid are
/// judged anew, what lost its place or had none is placed, and everything is taken back. Every
/// answer is that of what_if(). Not safe for several threads at once.
class WhatIfSession {
 public:
  /// Plans. What `request` points to must outlive the session. Errors: as make_plan. Cost: that of
  /// the plan.
  static Result<std::unique_ptr<WhatIfSession>> start(const PlanRequest& request);
  WhatIfSession(const WhatIfSession&) = delete;
  WhatIfSession& operator=(const WhatIfSession&) = delete;
  ~WhatIfSession();

  /// The plan without edits.
  const Plan& before() const;

  /// Applies `edits` in their order to the facts as they are, never to those of an earlier
  /// question, and places what they leave without a place. Errors: as what_if. Cost: O(policies)
  /// for each pod on an edited node and each live class of pods, and a decision for each pod that
  /// was evicted or had no place. As much as a plan where that cannot be told apart: budgets
  /// towards pods, volume claims, GPU shares, policy modules; an edit of pods, labels, taints or
  /// RTTs where placed pods' rules look at these; `add=FILE`.
  Result<WhatIfAnswer> answer(const std::vector<Edit>& edits);

  /// The same with the plan afterwards, O(pods) more. `replan` and `joined` as in what_if().
  Result<WhatIf> whole(const std::vector<Edit>& edits, bool replan = false,
                       const Facts* joined = nullptr);

 private:
  friend class Proof;
  class Parts;
  /// In a session that was started with `request` and has made the plan `before`; it must outlive
  /// this one, and be as it is now whenever a question is asked.
  static std::unique_ptr<WhatIfSession> over(Session& planned, const PlanRequest& request,
                                             Plan before);
  explicit WhatIfSession(std::unique_ptr<Parts> parts);
  std::unique_ptr<Parts> parts_;
};

}  // namespace gedge
