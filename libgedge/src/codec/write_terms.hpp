// codec/write_terms.hpp - parts of affinities, as Kubernetes writes them.
#pragma once

#include <vector>

#include "codec/document_sink.hpp"
#include "gedge/model/selector.hpp"

namespace gedge::codec {

/// A term of a node affinity: matchExpressions and matchFields.
Json node_term(const NodeSelectorTerm& term);

}  // namespace gedge::codec
