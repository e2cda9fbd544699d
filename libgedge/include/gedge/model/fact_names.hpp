// gedge/model/fact_names.hpp - the names of all facts of a kind.
#pragma once

#include <vector>

#include "gedge/model/fact_name.hpp"
#include "gedge/model/facts.hpp"

namespace gedge {

/// In the order of the facts; without namespaces where the kind has none. Cost: O(objects).
std::vector<PodName> fact_names(const Facts& facts, FactKind kind);

}  // namespace gedge
