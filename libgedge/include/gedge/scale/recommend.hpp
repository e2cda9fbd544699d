// gedge/scale/recommend.hpp - how much the containers of a workload should request.
//
// Idea     what each container used goes into a histogram that forgets: cpu sample by sample, of
//          memory the peak of each day, raised where it was killed for want of it. A request should
//          hold 90 % of that with a margin; it is wrong only outside of bounds that are wide while
//          little is known.
// Cost     O(samples + containers * buckets).
// Source   kubernetes/autoscaler, vertical-pod-autoscaler/pkg/recommender, its defaults, the same
//          arithmetic in the same order; samples of cpu weigh the same whatever is requested, as
//          in its newest form. Bounded by LimitRanges and nodes beyond that.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gedge/base/result.hpp"
#include "gedge/model/autoscaler.hpp"

namespace gedge {

struct RecommendSettings {
  double target = 0.9, lower = 0.5, upper = 0.95;  ///< shares of the histogram
  double margin = 0.15;                            ///< on top of each, a share
  std::int64_t least_cpu_milli = 25;               ///< of a pod
  std::int64_t least_memory = std::int64_t{250} << 20;
  std::int64_t history_s = 8 * 24 * 3'600;  ///< older samples do not count
};

enum class RequestAdvice : std::uint8_t {
  kKeep,     ///< the request lies within the bounds
  kRaise,    ///< it is below them
  kLower,    ///< it is above them
  kDeclare,  ///< there is none
};
enum class RequestCap : std::uint8_t { kNone, kLimitRange, kNode };

/// No upper bound: too little is known for one.
inline constexpr std::int64_t kAnyRequest = 100'000'000'000'000;

/// cpu in thousandths of a core, memory in bytes.
struct RequestRange {
  std::int64_t lower = 0, target = 0, upper = 0;
  std::int64_t uncapped = 0;            ///< the target, had nothing bounded it
  std::optional<std::int64_t> request;  ///< the largest of the pods there are
  RequestCap cap = RequestCap::kNone;   ///< of the target
  RequestAdvice advice = RequestAdvice::kDeclare;
};

struct ContainerRecommendation {
  std::string name;
  std::size_t samples = 0;          ///< of cpu; those of memory where there are none
  double days = 0;                  ///< of one sample a minute: how much is known
  std::size_t out_of_memory = 0;    ///< kills that count
  std::optional<RequestRange> cpu;  ///< empty: no sample
  std::optional<RequestRange> memory;
};

struct Recommendation {
  SharedText namespace_name;
  std::string kind, name;
  UnixSeconds now = 0;
  std::size_t pods = 0;                                                  ///< whose usage is known
  std::size_t old_samples = 0, future_samples = 0, undated_samples = 0;  ///< not counted
  std::vector<ContainerRecommendation> containers;                       ///< by name
};

/// Of another request than that of the range.
RequestAdvice advice_for(std::optional<std::int64_t> request, const RequestRange& range);

std::string_view to_string(RequestAdvice advice);
std::string_view to_string(RequestCap cap);

/// `facts.pods` are sorted by namespace and name, `facts.metrics.usage`, a history, by time too;
/// pods that are gone count by the labels of their usage. Errors: kInvalidInput for a workload
/// without a selector.
Result<Recommendation> recommend(const ScaleFacts& facts, const ScaleTarget& workload,
                                 UnixSeconds now, const RecommendSettings& settings = {});

}  // namespace gedge
