// codec/topology_keys.hpp - labels that say where a node is.
#pragma once

#include <string_view>

namespace gedge::codec {

inline constexpr std::string_view kZoneLabel = "topology.kubernetes.io/zone";
inline constexpr std::string_view kRegionLabel = "topology.kubernetes.io/region";

}  // namespace gedge::codec
