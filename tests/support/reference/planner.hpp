// support/reference/planner.hpp - the reference: slow, obvious, object by object.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "gedge/effect/plan.hpp"
#include "gedge/policy/profile.hpp"
#include "support/reference/filters.hpp"
#include "support/reference/world.hpp"

namespace gedge::reference {

/// One node as one pod sees it.
struct NodeAnswer {
  std::string node;
  bool feasible = false;
  std::vector<std::pair<std::string, Objections>>
      rejections;                   ///< every rejecting filter, in profile order
  std::vector<PolicyScore> scores;  ///< feasible nodes only, in profile order
  std::int64_t total = 0;
};

struct Answer {
  Decision decision;
  std::vector<NodeAnswer> nodes;      ///< by name
  std::vector<std::string> deciding;  ///< scores without which another node would have won
};

struct ReferencePlan {
  bool cyclic = false;               ///< budgets wait for each other: no answers
  std::vector<std::string> unknown;  ///< policies of the profile that the reference does not know
  std::vector<Answer> answers;       ///< in the order of decisions
};

/// Places every pending pod of the world, one after the other, and leaves it on its node. With
/// several profiles each pod takes the one that its schedulerName names.
ReferencePlan make_reference_plan(World& world, const std::vector<Profile>& profiles);

/// What the profile says of one pod that has no place, as the world is.
Answer decide(const World& world, const Profile& profile, const Seat& pod,
              std::vector<std::string>& unknown);

/// "0/6 nodes are available: 4 Insufficient cpu, 2 Too many pods."
std::string fit_error(const std::vector<NodeAnswer>& nodes, Compat compat);

/// Pending pods in the order in which they are decided; fewer than there are where budgets form a
/// cycle. Pods wait for those that their budgets point at, unless their profile asks for no
/// budgets. No profiles: all wait.
std::vector<std::size_t> decision_order(const World& world,
                                        const std::vector<Profile>& profiles = {});

}  // namespace gedge::reference
