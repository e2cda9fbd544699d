// gedge/codec/write_scale.hpp - what an autoscaler does and why, what pods should request, as
// documents.
#pragma once

#include <string>

#include "gedge/codec/write.hpp"
#include "gedge/scale/explain.hpp"
#include "gedge/scale/recommend.hpp"

namespace gedge {

/// kind ScaleExplanation.
std::string write(const ScaleExplanation& explanation, TextFormat format);

/// kind ScaleRecommendation.
std::string write(const Recommendation& recommendation, TextFormat format);

}  // namespace gedge
