// control/help.hpp - what may help a pod that found no place.
#pragma once

#include <cstdint>

#include "gedge/effect/plan.hpp"
#include "gedge/model/pod.hpp"

namespace gedge {

enum Help : std::uint8_t {
  kNodeHelps = 1,   // a node came or changed
  kSpaceHelps = 2,  // a pod left its node
  kPlaceHelps = 4,  // a pod came to a node, or what rules about other pods read has changed
  kRttHelps = 8,
  kVolumeHelps = 16,
  kBudgetHelps = 32,  // a disruption budget allows more
};
inline constexpr std::uint8_t kAllHelps = 63;

/// Any of Help, for a pod that these filters rejected nodes for.
std::uint8_t helps_of(const RejectedBy& rejected);
/// What it is to others that a pod leaves its place. Null: nobody knows what it asked for.
std::uint8_t help_of_leaving(const PodSpec* spec);

}  // namespace gedge
