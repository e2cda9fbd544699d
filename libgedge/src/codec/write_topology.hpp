// codec/write_topology.hpp - a matrix as the costs of Diktyo's NetworkTopology.
#pragma once

#include "gedge/codec/write_latency.hpp"

namespace gedge::codec {

WrittenRtt write_network_topology(const RttMatrix& matrix, const Whereabouts& where);

}  // namespace gedge::codec
