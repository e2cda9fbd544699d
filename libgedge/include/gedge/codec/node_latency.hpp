// gedge/codec/node_latency.hpp - NodeLatency objects of group gedge.io: what one node has measured
// of others, as a cluster keeps it.
#pragma once

#include <string>
#include <string_view>

#include "gedge/latency/matrix.hpp"
#include "gedge/latency/pair_stats.hpp"
#include "gedge/port/api_transport.hpp"

namespace gedge::codec {

inline constexpr std::string_view kNodeLatencies = "/apis/gedge.io/v1alpha1/nodelatencies";

/// The object of `from` as JSON: each pair that begins there and of which anything is known, in the
/// fields of a LatencyMatrix, those that are not known left out.
std::string write_node_latency(const RttMatrix& matrix, const PairDetails& details, NameIndex from);

/// Server-side apply of such an object: it becomes what `body` says, whoever wrote it before.
ApiRequest apply_node_latency_request(std::string_view name, std::string body);

/// The kind itself, to be created once: a CustomResourceDefinition in YAML.
std::string_view node_latency_definition();

}  // namespace gedge::codec
