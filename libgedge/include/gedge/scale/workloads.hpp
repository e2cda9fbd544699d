// gedge/scale/workloads.hpp - finds the pods and the values that an autoscaler looks at.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "gedge/model/autoscaler.hpp"
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
                      const std::vector<std::uint32_t>& pods, Compat compat) const;
  /// Null: no such value.
  const ObjectMetric* object_value(const MetricSpec& metric, std::string_view namespace_name) const;
  struct ExternalSum {
    std::int64_t milli = 0;
    UnixSeconds oldest = 0, newest = 0;  ///< of what was added up
  };
  /// Empty: no such value.
  std::optional<ExternalSum> external_value(const MetricSpec& metric) const;

 private:
  using Key = std::array<std::string_view, 4>;  // names in the facts; what is not needed is empty
  struct KeyHash {
    std::size_t operator()(const Key& key) const;
  };
  using Index = std::unordered_map<Key, std::uint32_t, KeyHash>;
  using Lists = std::unordered_map<Key, std::vector<std::uint32_t>, KeyHash>;
  static Key key_of(std::string_view a, std::string_view b = {}, std::string_view c = {},
                    std::string_view d = {}) {
    return {a, b, c, d};
  }
  static const std::vector<std::uint32_t>& list_in(const Lists& lists, const Key& key);
  void index_pods();
  void join_usage();
  void index_values();
  void count_autoscalers();
  bool read_usage(const PodUsage& usage, const MetricSpec& metric, SampledPod& view,
                  PodValues& values) const;

  const ScaleFacts* facts_;
  Index targets_, pods_, objects_;
  Lists by_label_, by_namespace_, stray_usage_, stray_objects_, external_;
  std::vector<std::uint32_t> usage_of_;  // by pod; kNone: there is none
  std::vector<std::uint16_t> autoscalers_of_;
};

}  // namespace gedge
