// gedge/policy/profile.hpp - which policies decide, in which order and with which weights.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "gedge/base/result.hpp"
#include "gedge/base/units.hpp"
#include "gedge/model/facts.hpp"
#include "gedge/policy/policy.hpp"

namespace gedge {

struct WeightedResource {
  std::string name;
  std::int64_t weight = 1;
};

/// Arguments of the policies that take any; defaults are Kubernetes'.
struct PolicyArgs {
  std::vector<WeightedResource> resources;  ///< resource scores; empty: cpu 1 and memory 1
  std::string
      strategy;  ///< NodeResourcesFit score of 1.36: LeastAllocated (default), MostAllocated, ...
  std::vector<std::pair<std::int64_t, std::int64_t>>
      shape;  ///< RequestedToCapacityRatio: (utilization, score 0..10)
  std::vector<std::string> ignored_resources, ignored_resource_groups;  ///< NodeResourcesFit filter
  std::int64_t hard_pod_affinity_weight = 1;
  bool ignore_preferred_terms_of_existing_pods = false;
  std::vector<NodeSelectorTerm> added_required_terms;  ///< NodeAffinity addedAffinity
  std::vector<PreferredNodeTerm> added_preferred_terms;
  bool list_defaulting = false;  ///< PodTopologySpread defaultingType: List; else System
  std::vector<TopologySpread>
      default_spread;  ///< PodTopologySpread defaultConstraints, without selectors
};

struct ProfileEntry {
  std::string policy;
  std::int64_t weight = 1;  ///< scores only
  PolicyArgs args;
};

struct Profile {
  std::string name;
  std::string scheduler_name;  ///< pods choose by schedulerName where several profiles are given
  Compat compat = Compat::k1_36;
  std::vector<ProfileEntry> filters;  ///< in order
  std::vector<ProfileEntry> scores;
  bool spread_ties = false;  ///< tieBreak: spread, a seeded hash instead of the lowest name
  /// overcommit: evict, pods of this profile may leave a node that somebody else overfilled.
  bool evicts_overcommit = false;
  bool preempts = true;  ///< DefaultPreemption: less important pods go for those of this profile
  /// disruptionBudgets: keep, nobody goes for them whom a disruption budget keeps.
  bool keeps_budgets = false;
  std::vector<std::string> unchecked;  ///< in-tree plugins that were named but that gedge lacks
};

/// "edge", "kube", "low-latency", "most-requested", "edge-scheduler". Errors: kNotFound with the
/// nearest name.
Result<Profile> builtin_profile(std::string_view name, Compat compat);
std::vector<std::string_view> builtin_profile_names();

/// One line of `gedge policies`.
struct PolicyInfo {
  std::string_view name;
  bool filter = false, score = false;
  std::string_view formula, range, source;
  bool in_1_20 = true, in_1_36 = true;
};
/// Every policy this library has, sorted by name.
std::vector<PolicyInfo> policy_catalogue();

/// Errors: kNotFound if no such filter or score exists under `compat`; kInvalidInput for impossible
/// arguments.
Result<std::unique_ptr<FilterPolicy>> make_filter(std::string_view name, const PolicyArgs& args,
                                                  Compat compat);
Result<std::unique_ptr<ScorePolicy>> make_score(std::string_view name, const PolicyArgs& args,
                                                Compat compat);

}  // namespace gedge
