// gedge/scale/resize.hpp - a recommendation as changes: of a workload's template, or of its pods
// where they run.
//
// Idea     a request within its bounds stays, any other becomes the target, and a limit keeps its
//          ratio to the request. Nothing is to be done at all where one change is not safe.
// Cost     O(pods * containers * nodes).
// Source   limits: kubernetes/autoscaler, vertical-pod-autoscaler/pkg/utils/vpa/limit_and_request.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gedge/base/error.hpp"
#include "gedge/effect/resize.hpp"
#include "gedge/model/autoscaler.hpp"
#include "gedge/scale/recommend.hpp"

namespace gedge {

/// "pods", "template".
std::string_view to_string(ResizeWay way);
/// "1500m" of cpu, "700Mi" of memory.
std::string resource_text(std::string_view resource, std::int64_t amount);

struct ResizeOptions {
  ResizeWay way = ResizeWay::kTemplate;
  /// With less known of a container that would change, as of one sample a minute, nothing is done.
  std::int64_t least_known_s = 24 * 3'600;
};

struct ResizePlan {
  ResizeWay way = ResizeWay::kTemplate;
  std::vector<ObjectResize> objects;  ///< those that change; pods by name
  std::optional<Error> held;          ///< why none of it may be done
};

enum class ResizeOutcome : std::uint8_t {
  kPlanned,  ///< nobody was asked
  kDone,
  kConflict,  ///< it was changed meanwhile: nothing was written
  kGone,
  kRefused,  ///< forbidden, invalid: nothing was written
  kNotSent,  ///< the server cannot be asked: nothing was written
  kUnclear,  ///< nobody knows
};
/// "planned", "applied", "conflict", "gone", "refused", "not-sent", "unclear".
std::string_view to_string(ResizeOutcome outcome);

/// One object of a plan, and what became of it.
struct ResizedObject {
  ObjectResize resize;
  ResizeOutcome outcome = ResizeOutcome::kPlanned;
  std::string why;  ///< neither planned nor done: what the server said
};

struct ResizeRun {
  ResizeWay way = ResizeWay::kTemplate;
  std::vector<ResizedObject> objects;  ///< those that change; pods by name
  std::optional<Error> held;           ///< why nothing more may be done
};
/// Of a plan that nobody carries out.
ResizeRun planned(ResizePlan plan);

/// `facts` and `workload` were read with ScaleLoadOptions::keep_objects. Held are changes by too
/// few samples, what a LimitRange forbids, pods that no node could hold, and pods that declare
/// what they request as a whole. Pods that end or have ended stay as they are.
ResizePlan plan_resize(const ScaleFacts& facts, const ScaleTarget& workload,
                       const Recommendation& recommendation, const ResizeOptions& options);

}  // namespace gedge
