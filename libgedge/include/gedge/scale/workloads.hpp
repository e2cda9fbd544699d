// gedge/scale/workloads.hpp - finds the pods and the values that an autoscaler looks at.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "gedge/model/autoscaler.hpp"
#include "gedge/scale/hashed_lists.hpp"
#include "gedge/scale/metric.hpp"

namespace gedge {

/// Built once for many autoscalers, so that ten thousand of them cost one pass over the facts.
/// Refers to the facts: they outlive it, unchanged.
class WorkloadIndex {
 public:
  explicit WorkloadIndex(const ScaleFacts& facts);

  const ScaleFacts& facts() const { return *facts_; }
  /// Null: no such workload.
  const ScaleTarget* target_of(const Autoscaler& autoscaler) const;
  /// The pods that the selector finds, as indices of the facts.
  std::vector<std::uint32_t> select(std::string_view namespace_name,
                                    const LabelSelector& selector) const;
  /// The same of a workload that target_of() gave. `room` is where they are if they were not kept.
  std::span<const std::uint32_t> pods_of(const ScaleTarget& target,
                                         std::vector<std::uint32_t>& room) const;
  /// How many autoscalers look at a pod.
  std::size_t autoscalers_of(std::uint32_t pod) const { return autoscalers_of_[pod]; }

  /// Every pod that was selected, as the metric sees it, and the values of unknown ones.
  struct PodValues {
    std::vector<SampledPod> pods;
    StrayValues strays;
    bool any = false;     ///< there is a value
    bool broken = false;  ///< some of them lacks the container that is asked for
  };
  PodValues values_of(const MetricSpec& metric, const ScaleTarget& target,
                      std::span<const std::uint32_t> pods, Compat compat) const;
  /// Null: no such value.
  const ObjectMetric* object_value(const MetricSpec& metric, std::string_view namespace_name) const;
  struct ExternalSum {
    std::int64_t milli = 0;
    UnixSeconds oldest = 0, newest = 0;  ///< of what was added up
  };
  /// Empty: no such value.
  std::optional<ExternalSum> external_value(const MetricSpec& metric) const;

 private:
  // Pods beside each other in the facts, with equal namespaces and labels.
  struct Run {
    std::uint32_t begin = 0, end = 0;
  };
  // Of selected_; empty where nobody asked, or nothing was kept.
  using Kept = Run;
  void index_pods();
  void join_usage();
  bool join_in_order();
  void join_sorted();
  void index_values();
  void count_autoscalers();
  std::uint32_t find_target(const Autoscaler& autoscaler) const;  // of the facts; kNone
  void add_selected(std::string_view namespace_name, const LabelSelector& selector,
                    std::vector<std::uint32_t>& found) const;
  std::uint32_t find_object(std::string_view namespace_name, std::string_view kind,
                            std::string_view name, std::string_view metric) const;
  bool read_usage(const PodUsage& usage, const MetricSpec& metric, SampledPod& view,
                  PodValues& values) const;

  const ScaleFacts* facts_;
  std::vector<Run> runs_;
  HashedLists by_label_, by_namespace_;  // of runs_
  HashedLists targets_, pods_, objects_, stray_usage_, stray_objects_, external_;
  std::vector<std::uint32_t> usage_of_;  // by pod; kNone: there is none
  std::vector<std::uint16_t> autoscalers_of_;
  std::vector<std::uint32_t> selected_;
  std::vector<Kept> kept_;  // by target
};

}  // namespace gedge
