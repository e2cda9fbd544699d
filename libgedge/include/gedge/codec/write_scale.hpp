// gedge/codec/write_scale.hpp - what an autoscaler does and why, what pods should request, as
// documents.
#pragma once

#include <string>

#include "gedge/codec/write.hpp"
#include "gedge/scale/explain.hpp"
#include "gedge/scale/recommend.hpp"
#include "gedge/scale/resize.hpp"

namespace gedge {

/// kind ScaleExplanation.
std::string write(const ScaleExplanation& explanation, TextFormat format);

/// kind ScaleRecommendation. `run` null: nobody asked what changes by it.
std::string write(const Recommendation& recommendation, const ResizeRun* run, TextFormat format);

}  // namespace gedge
