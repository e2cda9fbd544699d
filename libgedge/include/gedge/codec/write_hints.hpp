// gedge/codec/write_hints.hpp - hints as a document, and as what is asked of an API server.
#pragma once

#include <string>

#include "gedge/codec/write.hpp"
#include "gedge/plan/hints.hpp"
#include "gedge/port/api_transport.hpp"

namespace gedge {

/// kind Hints: the labels of each node, null where one goes, and the merge patch of each workload.
std::string write(const Hints& hints, TextFormat format);

/// PATCH of the node's labels.
ApiRequest hint_request(const NodeHint& hint);
/// PATCH of the workload's template: its controller replaces the pods.
ApiRequest hint_request(const WorkloadHint& hint);

}  // namespace gedge
