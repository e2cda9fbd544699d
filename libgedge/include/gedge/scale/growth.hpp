// gedge/scale/growth.hpp - replicas of home that grow and shrink, all of them alike.
//
// Idea     the workload itself says as how large it was declared, in an annotation beside the
//          template that has grown: whoever reads it knows the way back. An annotation that is not
//          about the template as it is now belongs to one that somebody has replaced since.
// Cost     O(containers), of plan_growth() as of plan_resize().
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "gedge/base/result.hpp"
#include "gedge/model/autoscaler.hpp"
#include "gedge/model/site_rules.hpp"
#include "gedge/scale/resize.hpp"

namespace gedge {

/// Of GrowRule::resource, by the container of the template that requests most of it.
struct HomeSize {
  std::string container, resource;
  std::int64_t base = 0, amount = 0;       ///< requested, as declared and now
  std::optional<std::int64_t> base_limit;  ///< as declared; empty: none
  std::int64_t least = 0;  ///< of a pod that runs: less than `amount` where they are not alike
  /// Of each pod that runs, the least first: kInPlace, and where lacks_rollout() says something.
  std::vector<std::int64_t> sizes;
  std::optional<std::int64_t> limit = {};  ///< of the template, as it is now; empty: none
  friend bool operator==(const HomeSize&, const HomeSize&) = default;
};

/// As how many replicas of `base` so many count, each by its own size: those that run first, the
/// least of them first; the others have `amount`.
std::int32_t units_of(std::int32_t replicas, const HomeSize& size);

/// A step less than `amount`, by the same amounts as on the way up: the step to the most may have
/// been a short one.
std::int64_t step_below(std::int64_t amount, std::int64_t base, std::int64_t step);
/// So many of home, each of them a step less, were still as many as `units`.
bool has_spare(std::int32_t replicas, const HomeSize& size, std::int64_t step, std::int64_t units);

/// By its controller: others may have labels that a workload selects.
bool is_made_by(const ScaledPod& pod, const ScaleTarget& workload);

/// By the workload; with ResizeWay::kInPlace by its pods that run, too, the largest of which says
/// what all of them are to have. Errors: kInvalidInput where no container requests any, and where
/// it has grown by another resource.
Result<HomeSize> home_size(const GrowRule& rule, const ScaleTarget& workload,
                           std::span<const ScaledPod* const> pods);
/// What kGrownAnnotation says of it:
/// "container=main resource=cpu base=1500m limit=3 now=2500m now-limit=5"; empty where nothing has
/// grown.
std::string grown_note(const HomeSize& size);
/// Its kGrownAnnotation says that it has grown, and it is as it was declared: somebody has put it
/// back who does not know of the annotation.
bool is_put_back(const ScaleTarget& workload);

/// Why the controller of a workload replaces none of its pods by others, or more than some at a
/// time; empty: it does as it should.
std::string lacks_rollout(const ScaleTarget& workload);

/// Another size of all replicas; limits keep their ratio to what they were declared with. Of
/// `bounds`, LimitRanges of the namespace and nodes are looked at. Held as by plan_resize().
ResizePlan plan_growth(const ScaleFacts& bounds, const ScaleTarget& workload, const HomeSize& size,
                       std::int64_t amount);
/// The same of pods, where they run: those that have another size, but no limit
/// that none of them has.
ResizePlan plan_growth_of_pods(const ScaleFacts& bounds, const ScaleTarget& workload,
                               std::span<const ScaledPod* const> pods, const HomeSize& size,
                               std::int64_t amount);
/// The least amount, `size.base` or more, that LimitRanges of the namespace let a container and a
/// pod have.
std::int64_t least_growth(const ScaleFacts& bounds, const ScaleTarget& workload,
                          const HomeSize& size);
/// The largest amount, by steps of the rule, that plan_growth() does not hold back; `size.amount`
/// where there is none. `why`: what holds back the next one.
std::int64_t most_growth(const ScaleFacts& bounds, const ScaleTarget& workload,
                         const GrowRule& rule, const HomeSize& size, std::string& why);

}  // namespace gedge
