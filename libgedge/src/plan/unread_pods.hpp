// plan/unread_pods.hpp - pods of which not all could be read.
#pragma once

#include <optional>

#include "gedge/effect/plan.hpp"
#include "gedge/model/pod.hpp"

namespace gedge {

/// `now`, of which not all could be read, asks at least for what the same pod asked for when it was
/// `known`.
void keep_requests(const PodSpec& known, PodSpec& now);
/// Nobody knows what it wants of a node. Empty: it was read, or it waits for none.
std::optional<Decision> refuse_unread(const Pod& pod, const PodSpec& spec);

}  // namespace gedge
