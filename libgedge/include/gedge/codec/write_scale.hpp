// gedge/codec/write_scale.hpp - what an autoscaler does and why, as a document.
#pragma once

#include <string>

#include "gedge/codec/write.hpp"
#include "gedge/scale/explain.hpp"

namespace gedge {

/// kind ScaleExplanation.
std::string write(const ScaleExplanation& explanation, TextFormat format);

}  // namespace gedge
