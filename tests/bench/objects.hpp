// bench/objects.hpp - workloads as texts: the objects that a server serves or a user writes.
#pragma once

#include <cstdint>
#include <string>

#include "bench/workloads.hpp"

namespace gedge::bench {

enum class Form : std::uint8_t {
  kMinimal,  ///< what somebody would type
  kServed,   ///< as kube-apiserver 1.20.2 serves them: defaults, managedFields, status
  kReal,     ///< served, and nodes of 10 KB: conditions, addresses, forty images
};

enum class Syntax : std::uint8_t {
  kJson,  ///< one List, on one line
  kYaml,  ///< a document for each object, in block style
};

/// Nodes and pods of `facts` as a server, or a user, would write them. Names, labels, amounts and
/// the node of a bound pod are written; constraints are not: workloads with constraints stay facts.
std::string write_objects(const Facts& facts, Form form, Syntax syntax);
/// The pods alone, as a PodList whose items have no kind, in JSON.
std::string write_pod_list(const Facts& facts, Form form);

/// `names` x `names` whitespace-separated milliseconds with three decimals: sites on a plane.
std::string write_matrix(std::uint32_t names, std::uint32_t seed);

/// The four files of kubernetes-edge-scheduler's simulation: nodes in sites on a plane with whole
/// milliseconds between them, pods of 512Mi with one label delay_NODE of 5, 10 or 20.
struct EdgeFiles {
  std::string nodes, matrix, metadata, pods;
};
EdgeFiles write_edge_files(Size size, std::uint32_t seed);

}  // namespace gedge::bench
