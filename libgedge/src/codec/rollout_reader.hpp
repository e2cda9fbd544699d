// codec/rollout_reader.hpp - how a workload's controller goes about another template.
#pragma once

#include <cstdint>
#include <string>

#include "codec/cursor.hpp"
#include "gedge/model/autoscaler.hpp"

namespace gedge::codec {

/// Of a Deployment or a StatefulSet with so many replicas; those of others replace nothing. A
/// status that lacks is one of a controller that has not looked yet.
RolloutRules read_rollout(const std::string& kind, Cursor object, std::int32_t replicas);
/// kGrownAnnotation; empty: none.
std::string read_grown(Cursor object);

}  // namespace gedge::codec
