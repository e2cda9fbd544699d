// policy/registry.cpp - every policy by name: what makes it, and what `gedge policies` says of it.
#include <algorithm>
#include <array>
#include <string>

#include "gedge/base/nearest.hpp"
#include "policy/check_args.hpp"
#include "policy/make.hpp"

namespace gedge {
namespace {

using MakeFilter = std::unique_ptr<FilterPolicy> (*)(const PolicyArgs&, Compat);
using MakeScore = std::unique_ptr<ScorePolicy> (*)(const PolicyArgs&, Compat);

enum class Versions : std::uint8_t { kBoth, kOnly120, kOnly136 };

bool exists_in(Versions versions, Compat compat) {
  if (versions == Versions::kBoth) return true;
  return (versions == Versions::kOnly120) == (compat == Compat::k1_20);
}

struct Entry {
  std::string_view name;
  MakeFilter filter = nullptr;
  MakeScore score = nullptr;
  Versions score_versions = Versions::kBoth;
  std::string_view formula, range, source;
};

constexpr std::string_view kYesNo = "yes or no", kHundred = "0..100";

// Sorted by name.
constexpr std::array kPolicies{
    Entry{.name = "CloudForUnconstrained",
          .filter = make_cloud_for_unconstrained_filter,
          .formula = "without delay budgets: only nodes with kubernetes.io/role=cloud or "
                     "gedge.io/tier=cloud",
          .range = kYesNo,
          .source = "kubernetes-edge-scheduler, placement step 8"},
    Entry{.name = "DelayBudget",
          .filter = make_delay_budget_filter,
          .formula = "RTT to every peer <= its limit; unmeasured is over every limit",
          .range = kYesNo,
          .source = "gedge; labels of kubernetes-edge-scheduler"},
    Entry{.name = "GLowLatencyPriority",
          .score = make_g_low_latency_score,
          .formula = "1000000 - RTT in us from the source of gschConfig, else of the first budget",
          .range = "up to 1000000, not normalised",
          .source = "GS-Scheduler v4.0"},
    Entry{.name = "GMostRequestedPriority",
          .score = make_g_most_requested_score,
          .formula = "(100 - cpu%) + (100 - memory%) + 200 * free GPUs if one is asked for",
          .range = "0 and up, in ten-thousandths, not normalised",
          .source = "GS-Scheduler v4.0"},
    Entry{.name = "GpuShare",
          .filter = make_gpu_share_filter,
          .formula = "some single card has the share of a GPU that is asked for",
          .range = kYesNo,
          .source = "Alibaba gpushare-scheduler-extender; openb trace"},
    Entry{.name = "ImageLocality",
          .score = make_image_locality_score,
          .formula = "S = sum of size * nodes having the image / all nodes, within 23 MiB and 1000 "
                     "MiB a container; 100*(S-min)/(max-min)",
          .range = kHundred,
          .source = "kube-scheduler imagelocality"},
    Entry{.name = "InterPodAffinity",
          .filter = make_inter_pod_affinity_filter,
          .score = make_inter_pod_affinity_score,
          .formula =
              "filter: required (anti-)affinity of the pod and of placed pods; score: sum of "
              "the weights of matching terms in the node's domains, normalised "
              "100*(s-min)/(max-min)",
          .range = kHundred,
          .source = "kube-scheduler interpodaffinity"},
    Entry{.name = "LatencySlack",
          .score = make_latency_slack_score,
          .formula = "least idiv(100*slack, limit) over the pod's delay budgets; 100 without any",
          .range = kHundred,
          .source = "gedge"},
    Entry{.name = "MostFreeMemory",
          .score = make_most_free_memory_score,
          .formula = "allocatable - requested memory in bytes",
          .range = "0..2^53, not normalised",
          .source = "kubernetes-edge-scheduler, placement step 4"},
    Entry{.name = "NodeAffinity",
          .filter = make_node_affinity_filter,
          .score = make_node_affinity_score,
          .formula = "filter: nodeSelector and a required term match; score: sum of the weights of "
                     "preferred terms, normalised 100*s/max",
          .range = kHundred,
          .source = "kube-scheduler nodeaffinity"},
    Entry{.name = "NodeName",
          .filter = make_node_name_filter,
          .formula = "the node that spec.nodeName names",
          .range = kYesNo,
          .source = "kube-scheduler nodename"},
    Entry{.name = "NodePorts",
          .filter = make_node_ports_filter,
          .formula = "no host port of the pod is taken: protocol, port, and address or 0.0.0.0",
          .range = kYesNo,
          .source = "kube-scheduler nodeports"},
    Entry{.name = "NodePreferAvoidPods",
          .score = make_node_prefer_avoid_pods_score,
          .score_versions = Versions::kOnly120,
          .formula = "0 if the node's preferAvoidPods annotation names the pod's controller, else "
                     "100",
          .range = "0 or 100",
          .source = "kube-scheduler 1.20 nodepreferavoidpods"},
    Entry{.name = "NodeResourcesBalancedAllocation",
          .score = make_balanced_allocation_score,
          .formula = "1.20: (1-|cpu-memory|)*100 of the fractions requested/allocatable; 1.36: "
                     "50 + (50 + B with the pod - B without)/2, B = (1-deviation)*100",
          .range = "0..100; 1.36: 50..100",
          .source = "kube-scheduler noderesources"},
    Entry{.name = "NodeResourcesFit",
          .filter = make_node_resources_fit_filter,
          .score = make_node_resources_fit_score,
          .score_versions = Versions::kOnly136,
          .formula = "filter: requested + request <= allocatable, every resource, and a free pod "
                     "slot; score (1.36): LeastAllocated, MostAllocated or "
                     "RequestedToCapacityRatio, as scoringStrategy says",
          .range = kHundred,
          .source = "kube-scheduler noderesources"},
    Entry{.name = "NodeResourcesLeastAllocated",
          .score = make_least_allocated_score,
          .score_versions = Versions::kOnly120,
          .formula = "weighted mean of (allocatable-requested)*100/allocatable, with the pod",
          .range = kHundred,
          .source = "kube-scheduler 1.20 noderesources"},
    Entry{.name = "NodeResourcesMostAllocated",
          .score = make_most_allocated_score,
          .score_versions = Versions::kOnly120,
          .formula = "weighted mean of requested*100/allocatable, with the pod",
          .range = kHundred,
          .source = "kube-scheduler 1.20 noderesources"},
    Entry{.name = "NodeUnschedulable",
          .filter = make_node_unschedulable_filter,
          .formula = "not cordoned, or node.kubernetes.io/unschedulable is tolerated",
          .range = kYesNo,
          .source = "kube-scheduler nodeunschedulable"},
    Entry{.name = "PodTopologySpread",
          .filter = make_pod_topology_spread_filter,
          .score = make_pod_topology_spread_score,
          .formula = "filter: matching pods in the domain + self - least domain <= maxSkew; score: "
                     "sum of count*ln(domains+2) + maxSkew-1, normalised 100*(max+min-s)/max",
          .range = kHundred,
          .source = "kube-scheduler podtopologyspread"},
    Entry{.name = "RequestedToCapacityRatio",
          .score = make_requested_to_capacity_ratio_score,
          .score_versions = Versions::kOnly120,
          .formula = "weighted mean of shape(utilization with the pod), resources at 0 left out",
          .range = kHundred,
          .source = "kube-scheduler 1.20 noderesources"},
    Entry{.name = "SelectorSpread",
          .score = make_selector_spread_score,
          .score_versions = Versions::kOnly120,
          .formula =
              "100*(max-count)/max of pods with the same service or controller, a third of it "
              "by node and two thirds by zone",
          .range = kHundred,
          .source = "kube-scheduler 1.20 selectorspread"},
    Entry{.name = "TaintToleration",
          .filter = make_taint_toleration_filter,
          .score = make_taint_toleration_score,
          .formula = "filter: every NoSchedule and NoExecute taint is tolerated; score: number of "
                     "untolerated PreferNoSchedule taints, normalised 100 - 100*s/max",
          .range = kHundred,
          .source = "kube-scheduler tainttoleration"},
    Entry{.name = "VolumeBinding",
          .filter = make_volume_binding_filter,
          .formula = "claims exist, bound volumes allow the node, unbound ones can be bound there",
          .range = kYesNo,
          .source = "kube-scheduler volumebinding"},
    Entry{.name = "VolumeZone",
          .filter = make_volume_zone_filter,
          .formula = "zone and region labels of bound volumes hold for the node",
          .range = kYesNo,
          .source = "kube-scheduler volumezone"},
};

const Entry* find_entry(std::string_view name) {
  const auto at = std::find_if(kPolicies.begin(), kPolicies.end(),
                               [&](const Entry& entry) { return entry.name == name; });
  return at == kPolicies.end() ? nullptr : &*at;
}

std::string version_of(Compat compat) { return compat == Compat::k1_20 ? "1.20" : "1.36"; }

std::string_view kind_of(bool score) { return score ? "score" : "filter"; }

// `score`: a score was asked for, else a filter.
Error no_such(bool score, std::string_view name, Compat compat) {
  const std::string quoted = "'" + std::string(name) + "'", kind(kind_of(score));
  const Entry* entry = find_entry(name);
  if (entry != nullptr && score && entry->score != nullptr) {
    const Compat other = compat == Compat::k1_20 ? Compat::k1_36 : Compat::k1_20;
    return {Errc::kNotFound,
            "Kubernetes " + version_of(compat) + " has no score " + quoted,
            {},
            "use `--compat " + version_of(other) + "`"};
  }
  if (entry != nullptr)
    return {Errc::kNotFound,
            quoted + " is a " + std::string(kind_of(!score)) + ", not a " + kind,
            {},
            {}};
  std::vector<std::string> known;
  for (const Entry& one : kPolicies)
    if (score ? one.score != nullptr && exists_in(one.score_versions, compat)
              : one.filter != nullptr)
      known.emplace_back(one.name);
  const auto meant = nearest(name, known);
  return {Errc::kNotFound,
          "unknown " + kind + " " + quoted,
          {},
          meant ? "did you mean " + *meant + "?" : "`gedge policies` lists all of them"};
}

}  // namespace

std::vector<PolicyInfo> policy_catalogue() {
  std::vector<PolicyInfo> all;
  for (const Entry& entry : kPolicies) {
    const auto in = [&](Compat compat) {
      return entry.filter != nullptr || exists_in(entry.score_versions, compat);
    };
    all.push_back({.name = entry.name,
                   .filter = entry.filter != nullptr,
                   .score = entry.score != nullptr,
                   .formula = entry.formula,
                   .range = entry.range,
                   .source = entry.source,
                   .in_1_20 = in(Compat::k1_20),
                   .in_1_36 = in(Compat::k1_36)});
  }
  return all;
}

Result<std::unique_ptr<FilterPolicy>> make_filter(std::string_view name, const PolicyArgs& args,
                                                  Compat compat) {
  const Entry* entry = find_entry(name);
  if (entry == nullptr || entry->filter == nullptr) return no_such(false, name, compat);
  GEDGE_TRY(check_args(name, args));
  return entry->filter(args, compat);
}

Result<std::unique_ptr<ScorePolicy>> make_score(std::string_view name, const PolicyArgs& args,
                                                Compat compat) {
  const Entry* entry = find_entry(name);
  if (entry == nullptr || entry->score == nullptr || !exists_in(entry->score_versions, compat))
    return no_such(true, name, compat);
  GEDGE_TRY(check_args(name, args));
  return entry->score(args, compat);
}

}  // namespace gedge
