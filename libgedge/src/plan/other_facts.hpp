// plan/other_facts.hpp - facts that are neither nodes, pods, volumes nor claims, as they come
// and go.
#pragma once

#include <cstdint>

#include "gedge/model/fact_name.hpp"
#include "gedge/model/facts.hpp"

namespace gedge {

/// What has changed, if anything.
enum class OtherNews : std::uint8_t {
  kNone,
  kUnkept,     ///< what a state looks up whenever it asks: disruption budgets, priority classes
  kOfClasses,  ///< of storage
  kOfOthers,
};

/// Those of `some` replace those of their kind and name. Equal ones are no news.
OtherNews merge_others(Facts& all, Facts&& some);
/// No news where there is none of that kind and name. `name`: without a namespace where the kind
/// has none.
OtherNews erase_other(Facts& all, FactKind kind, const PodName& name);

}  // namespace gedge
