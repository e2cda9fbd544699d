// Words of documents: later versions may add some, none is renamed.
#include <array>

#include "gedge/scale/explain.hpp"

namespace gedge {
namespace {

template <typename Enum, std::size_t N>
std::string_view word(const std::array<std::string_view, N>& words, Enum value) {
  return words[static_cast<std::size_t>(value)];
}

constexpr std::array<std::string_view, 5> kMetrics{"Resource", "ContainerResource", "Pods",
                                                   "Object", "External"};
constexpr std::array<std::string_view, 3> kTargets{"Utilization", "Value", "AverageValue"};
constexpr std::array<std::string_view, 4> kGroups{"ready", "unready", "missing", "ignored"};
constexpr std::array<std::string_view, 8> kRules{
    "none",         "within-tolerance",    "ratio",      "filled-within-tolerance", "filled-turns",
    "filled-ratio", "filled-goes-against", "per-replica"};
constexpr std::array<std::string_view, 6> kFailures{
    "none", "no-source", "no-pods", "no-ready-pods", "missing-request", "no-known-pods"};
constexpr std::array<std::string_view, 9> kSteps{"no-target",      "disabled",    "above-max",
                                                 "below-min",      "no-selector", "ambiguous",
                                                 "metrics-failed", "frozen",      "computed"};
constexpr std::array<std::string_view, 7> kHints{"metric-rises", "metric-falls", "source-comes",
                                                 "max-rises",    "min-falls",    "window-passes",
                                                 "period-passes"};

}  // namespace

std::string_view to_string(MetricKind kind) { return word(kMetrics, kind); }
std::string_view to_string(TargetKind kind) { return word(kTargets, kind); }
std::string_view to_string(PodGroupKind group) { return word(kGroups, group); }
std::string_view to_string(MetricRule rule) { return word(kRules, rule); }
std::string_view to_string(MetricFailure failure) { return word(kFailures, failure); }
std::string_view to_string(ScaleStep step) { return word(kSteps, step); }
std::string_view to_string(ScaleHintKind kind) { return word(kHints, kind); }

}  // namespace gedge
