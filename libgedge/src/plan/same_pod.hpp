// plan/same_pod.hpp - whether a pod that was read again is one that a state can follow.
#pragma once

#include "gedge/model/pod.hpp"

namespace gedge {

/// Everything but where it was read.
bool same_spec(const PodSpec& x, const PodSpec& y);
/// What a state cannot follow: it made tables of these.
bool same_identity(const Pod& x, const Pod& y);

}  // namespace gedge
