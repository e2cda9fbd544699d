// policy/profiles.cpp - the profiles that gedge knows by name.
//
// edge            every filter but CloudForUnconstrained. Scores: LatencySlack 5, the largest, so
//                 that pods stay well inside their budgets; TaintToleration 3, NodeAffinity 2,
//                 PodTopologySpread 2 and InterPodAffinity 2 as in kube-scheduler 1.36, because
//                 somebody wrote those wishes down; least allocated 1, balanced 1, ImageLocality 1.
// kube            default plugins and weights of kube-scheduler; those that gedge lacks are listed
//                 in `unchecked`.
// low-latency     the filters of edge; GLowLatencyPriority alone decides.
// most-requested  the filters of edge; GMostRequestedPriority alone decides.
// edge-scheduler  what one node can be asked, memory above all, the delay radius and the cloud for
//                 pods without one; most free memory first.
#include <string>

#include "gedge/base/nearest.hpp"
#include "gedge/policy/profile.hpp"

namespace gedge {
namespace {

constexpr std::string_view kDefaultScheduler = "default-scheduler";
constexpr std::string_view kGedge = "gedge";

std::vector<ProfileEntry> entries(std::initializer_list<std::string_view> names) {
  std::vector<ProfileEntry> all;
  for (const std::string_view name : names) all.push_back({std::string(name), 1, {}});
  return all;
}

// 1.36 has the score as a strategy of NodeResourcesFit.
std::string_view least_allocated(Compat compat) {
  return compat == Compat::k1_20 ? "NodeResourcesLeastAllocated" : "NodeResourcesFit";
}

std::vector<ProfileEntry> kube_filters() {
  return entries({"NodeUnschedulable", "NodeName", "TaintToleration", "NodeAffinity", "NodePorts",
                  "NodeResourcesFit", "VolumeBinding", "VolumeZone", "PodTopologySpread",
                  "InterPodAffinity"});
}

std::vector<ProfileEntry> edge_filters() {
  std::vector<ProfileEntry> all = kube_filters();
  for (ProfileEntry& entry : entries({"GpuShare", "DelayBudget"})) all.push_back(std::move(entry));
  return all;
}

Profile edge(Compat compat) {
  Profile profile;
  profile.scheduler_name = kGedge;
  profile.filters = edge_filters();
  profile.scores = {{"LatencySlack", 5, {}},
                    {std::string(least_allocated(compat)), 1, {}},
                    {"NodeResourcesBalancedAllocation", 1, {}},
                    {"PodTopologySpread", 2, {}},
                    {"InterPodAffinity", 2, {}},
                    {"NodeAffinity", 2, {}},
                    {"TaintToleration", 3, {}},
                    {"ImageLocality", 1, {}}};
  return profile;
}

Profile kube(Compat compat) {
  Profile profile;
  profile.scheduler_name = kDefaultScheduler;
  profile.filters = kube_filters();
  if (compat == Compat::k1_20) {
    profile.scores = {{"NodeResourcesBalancedAllocation", 1, {}},
                      {"ImageLocality", 1, {}},
                      {"InterPodAffinity", 1, {}},
                      {"NodeResourcesLeastAllocated", 1, {}},
                      {"NodeAffinity", 1, {}},
                      {"NodePreferAvoidPods", 10000, {}},
                      {"PodTopologySpread", 2, {}},
                      {"TaintToleration", 1, {}}};
    profile.unchecked = {"VolumeRestrictions", "EBSLimits", "GCEPDLimits", "NodeVolumeLimits",
                         "AzureDiskLimits"};
  } else {
    profile.scores = {{"TaintToleration", 3, {}},  {"NodeAffinity", 2, {}},
                      {"NodeResourcesFit", 1, {}}, {"PodTopologySpread", 2, {}},
                      {"InterPodAffinity", 2, {}}, {"NodeResourcesBalancedAllocation", 1, {}},
                      {"ImageLocality", 1, {}}};
    profile.unchecked = {"VolumeRestrictions", "NodeVolumeLimits", "DynamicResources"};
  }
  return profile;
}

Profile single_score(std::string_view score) {
  Profile profile;
  profile.scheduler_name = kGedge;
  profile.filters = edge_filters();
  profile.scores = entries({score});
  return profile;
}

Profile low_latency(Compat) { return single_score("GLowLatencyPriority"); }
Profile most_requested(Compat) { return single_score("GMostRequestedPriority"); }

Profile edge_scheduler(Compat) {
  Profile profile;
  profile.scheduler_name = kGedge;
  profile.filters = entries({"NodeUnschedulable", "NodeName", "TaintToleration", "NodeAffinity",
                             "NodePorts", "NodeResourcesFit", "VolumeBinding", "VolumeZone",
                             "CloudForUnconstrained", "DelayBudget"});
  profile.scores = entries({"MostFreeMemory"});
  return profile;
}

struct Builtin {
  std::string_view name;
  Profile (*make)(Compat);
};

constexpr Builtin kBuiltins[] = {{"edge", edge},
                                 {"kube", kube},
                                 {"low-latency", low_latency},
                                 {"most-requested", most_requested},
                                 {"edge-scheduler", edge_scheduler}};

}  // namespace

Result<Profile> builtin_profile(std::string_view name, Compat compat) {
  std::vector<std::string> known;
  for (const Builtin& builtin : kBuiltins) {
    known.emplace_back(builtin.name);
    if (builtin.name != name) continue;
    Profile profile = builtin.make(compat);
    profile.name = name;
    profile.compat = compat;
    return profile;
  }
  const auto meant = nearest(name, known);
  std::string hint = "profiles are";
  for (const std::string& one : known) hint += (one == known.front() ? " " : ", ") + one;
  if (meant) hint = "did you mean " + *meant + "?";
  return Error{Errc::kNotFound, "unknown profile '" + std::string(name) + "'", {}, std::move(hint)};
}

std::vector<std::string_view> builtin_profile_names() {
  std::vector<std::string_view> names;
  for (const Builtin& builtin : kBuiltins) names.push_back(builtin.name);
  return names;
}

}  // namespace gedge
