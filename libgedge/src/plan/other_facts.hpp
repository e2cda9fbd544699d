// plan/other_facts.hpp - facts that are neither nodes nor pods, as they come and go.
#pragma once

#include "gedge/model/fact_name.hpp"
#include "gedge/model/facts.hpp"

namespace gedge {

/// Those of `some` replace those of their kind and name. True if there were any.
bool merge_others(Facts& all, Facts&& some);
/// False where there is none of that kind and name. `name`: without a namespace where the kind has
/// none.
bool erase_other(Facts& all, FactKind kind, const PodName& name);

}  // namespace gedge
