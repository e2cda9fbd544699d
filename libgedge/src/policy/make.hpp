// policy/make.hpp - one factory per policy; the registry in registry.cpp is their only caller
// besides tests.
//
// Arguments were checked by the registry (see check_args there): shapes ascend, weights are
// positive, strategies exist.
#pragma once

#include <memory>

#include "gedge/policy/policy.hpp"
#include "gedge/policy/profile.hpp"

namespace gedge {

// --- filters that look at one node
std::unique_ptr<FilterPolicy> make_node_unschedulable_filter(const PolicyArgs& args, Compat compat);
std::unique_ptr<FilterPolicy> make_node_name_filter(const PolicyArgs& args, Compat compat);
std::unique_ptr<FilterPolicy> make_taint_toleration_filter(const PolicyArgs& args, Compat compat);
std::unique_ptr<FilterPolicy> make_node_affinity_filter(const PolicyArgs& args, Compat compat);
std::unique_ptr<FilterPolicy> make_node_ports_filter(const PolicyArgs& args, Compat compat);
std::unique_ptr<FilterPolicy> make_node_resources_fit_filter(const PolicyArgs& args, Compat compat);
std::unique_ptr<FilterPolicy> make_cloud_for_unconstrained_filter(const PolicyArgs& args,
                                                                  Compat compat);

// --- filters that look at other pods, volumes, round-trip times
std::unique_ptr<FilterPolicy> make_volume_binding_filter(const PolicyArgs& args, Compat compat);
std::unique_ptr<FilterPolicy> make_volume_zone_filter(const PolicyArgs& args, Compat compat);
std::unique_ptr<FilterPolicy> make_pod_topology_spread_filter(const PolicyArgs& args,
                                                              Compat compat);
std::unique_ptr<FilterPolicy> make_inter_pod_affinity_filter(const PolicyArgs& args, Compat compat);
std::unique_ptr<FilterPolicy> make_gpu_share_filter(const PolicyArgs& args, Compat compat);
std::unique_ptr<FilterPolicy> make_delay_budget_filter(const PolicyArgs& args, Compat compat);

// --- scores that look at one node
/// 1.36: NodeResourcesFit, `strategy` of the arguments chooses among the three below; skips
/// resources that 1.36 skips.
std::unique_ptr<ScorePolicy> make_node_resources_fit_score(const PolicyArgs& args, Compat compat);
/// 1.20 only, under these names.
std::unique_ptr<ScorePolicy> make_least_allocated_score(const PolicyArgs& args, Compat compat);
std::unique_ptr<ScorePolicy> make_most_allocated_score(const PolicyArgs& args, Compat compat);
std::unique_ptr<ScorePolicy> make_requested_to_capacity_ratio_score(const PolicyArgs& args,
                                                                    Compat compat);
std::unique_ptr<ScorePolicy> make_balanced_allocation_score(const PolicyArgs& args, Compat compat);
std::unique_ptr<ScorePolicy> make_image_locality_score(const PolicyArgs& args, Compat compat);
std::unique_ptr<ScorePolicy> make_node_affinity_score(const PolicyArgs& args, Compat compat);
std::unique_ptr<ScorePolicy> make_taint_toleration_score(const PolicyArgs& args, Compat compat);
std::unique_ptr<ScorePolicy> make_node_prefer_avoid_pods_score(const PolicyArgs& args,
                                                               Compat compat);
std::unique_ptr<ScorePolicy> make_g_low_latency_score(const PolicyArgs& args, Compat compat);
std::unique_ptr<ScorePolicy> make_g_most_requested_score(const PolicyArgs& args, Compat compat);
std::unique_ptr<ScorePolicy> make_most_free_memory_score(const PolicyArgs& args, Compat compat);

// --- scores that look at other pods, round-trip times
std::unique_ptr<ScorePolicy> make_pod_topology_spread_score(const PolicyArgs& args, Compat compat);
std::unique_ptr<ScorePolicy> make_inter_pod_affinity_score(const PolicyArgs& args, Compat compat);
/// 1.20 only.
std::unique_ptr<ScorePolicy> make_selector_spread_score(const PolicyArgs& args, Compat compat);
std::unique_ptr<ScorePolicy> make_latency_slack_score(const PolicyArgs& args, Compat compat);

}  // namespace gedge
