// plan/same_pod.hpp - whether a pod that was read again is one that a state can follow.
#pragma once

#include <cstddef>

#include "gedge/model/pod.hpp"

namespace gedge {

/// Everything but where it was read.
bool same_spec(const PodSpec& x, const PodSpec& y);
/// Equal for specs that are the same; of what templates mostly differ in.
std::size_t hash_spec(const PodSpec& spec);
/// What a state cannot follow: it made tables of these.
bool same_identity(const Pod& x, const Pod& y);

}  // namespace gedge
