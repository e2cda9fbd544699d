// gedge/codec/edge_scheduler.hpp - the files of kubernetes-edge-scheduler's simulator.
//
// nodes.json is read here. Its delay matrix is a plain matrix and its metadata file the names
// (codec/latency.hpp,
// --rtt and --rtt-names); its pods are Deployment objects, read as such.
// Source: davidhaja/kubernetes-edge-scheduler, src/simulation.
#pragma once

#include <string_view>
#include <vector>

#include "gedge/base/error.hpp"
#include "gedge/codec/load.hpp"
#include "gedge/model/node.hpp"

namespace gedge {

/// True for JSON whose (first) object has the key "allocatable_memory". Cost: O(bytes) with a tiny
/// constant for others.
bool is_edge_scheduler_nodes(std::string_view bytes);

struct EdgeSchedulerNodes {
  std::vector<Node> nodes;  ///< in the order of the file; for FactsLoader::add_nodes
  Errors errors;
};

/// One object or a list of {name, allocatable_memory: "16Gi", cloud: bool}. Memory is the only
/// resource that such a site limits: cpu and pod slots are made plenty. Cloud nodes get
/// kubernetes.io/role=cloud and gedge.io/tier=cloud.
EdgeSchedulerNodes read_edge_scheduler_nodes(const InputFile& file);

}  // namespace gedge
