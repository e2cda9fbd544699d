// gedge/plan/planner.hpp - the whole job: facts in, Plan or Explanation out. Pure: same input, same
// bytes.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "gedge/base/result.hpp"
#include "gedge/effect/plan.hpp"
#include "gedge/latency/matrix.hpp"
#include "gedge/model/facts.hpp"
#include "gedge/plan/engine.hpp"
#include "gedge/policy/profile.hpp"

namespace gedge {

/// Called between pods with (done, total), for progress and interruption; false stops the run with
/// an error.
using Progress = std::function<bool(std::size_t done, std::size_t total)>;

struct PlanRequest {
  const Facts* facts = nullptr;  ///< pods without bound_node and in phase Pending are placed
  const RttMatrix* rtt = nullptr;
  std::vector<Profile> profiles;  ///< at least one; several: pods choose by schedulerName
  std::string rtt_by;  ///< node label that names nodes in the matrix; empty: the node name
  std::uint64_t seed = 0;
  const PolicySource* modules = nullptr;
  Progress progress;  ///< may be empty
};

/// Places every pending pod in queue order (priority, creation time, namespace, workload, ordinal,
/// name), pods that depend on other pods' places after those; cycles jointly. Errors: kNotFound for
/// an unknown policy; kConflict if `progress` stopped the run; whatever a module breaks.
Result<Plan> make_plan(const PlanRequest& request);

/// The decision about one pod with all its evidence: a pending pod at its turn in the plan; a bound
/// pod as if it were placed anew with everything else as it is. Errors: as make_plan, and kNotFound
/// for a pod that is not there, has run to its end or is served by no profile. `with_changes` adds
/// the nearest changes (Explanation::changes).
Result<Explanation> explain(const PlanRequest& request, std::string_view namespace_name,
                            std::string_view pod, bool with_changes);

/// The smallest sets of edits that would bring `pod` to `node`. Errors: as explain, and kNotFound
/// for the node.
Result<Explanation> why_not(const PlanRequest& request, std::string_view namespace_name,
                            std::string_view pod, std::string_view node);

}  // namespace gedge
