// support/reference/affinity.hpp - what a pod affinity term means, for the filter and the score.
#pragma once

#include "support/reference/world.hpp"

namespace gedge::reference {

/// True if `term`, written by `owner`, speaks of `other`: namespace and labels; topology is not
/// looked at.
bool speaks_of(const World& world, const Seat& owner, const PodAffinityTerm& term,
               const Seat& other);

/// True if both nodes carry the key with one value.
bool same_domain(const std::string& key, const Node& a, const Node& b);

}  // namespace gedge::reference
