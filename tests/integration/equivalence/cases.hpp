// One random case: a site, a profile and both planners' answers to it.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "gedge/plan/planner.hpp"
#include "support/random_site.hpp"
#include "support/reference/planner.hpp"

namespace gedge::test {

struct Case {
  std::uint64_t seed = 0;
  RandomSite site;
  std::vector<Profile> profiles;  ///< one or two, of one compat
  Compat compat() const { return profiles.front().compat; }
};
/// The case that a seed stands for, on every machine.
Case make_case(std::uint64_t seed, SiteOptions options = {});

PlanRequest request_of(const Case& from);

/// The whole case in words: profile, objects as YAML, matrix as CSV.
std::string describe(const Case& from);

/// How often things happened, by name.
struct Coverage {
  std::map<std::string, int>
      rejected;  ///< cases in which a filter was the first to reject some node
  std::map<std::string, int>
      decided;  ///< cases in which another node would have won without a score
  std::map<std::string, int> strategies;  ///< the same for the strategies of NodeResourcesFit
  std::map<std::string, int> reasons;     ///< evidence, by its text
  int cases = 0, cyclic = 0, pods = 0, placed = 0, explained = 0;

  void add(const Coverage& other);
  void add(const std::vector<Profile>& profiles, const reference::ReferencePlan& plan);
};

/// Differences between the engine's plan and the reference's, one a line; empty where they agree.
/// With `explain`, the evidence and scores of every pod too.
std::string compare(const Case& from, bool explain, Coverage& coverage);

}  // namespace gedge::test
