// support/random_claims.hpp - volumes of many kinds, and pods that claim them.
//
// Classes that provision everywhere, in some zones, or not at all; volumes of one node, of several,
// of zones, of everywhere and of nowhere, of a few sizes or of many; claims with selectors, claims
// that are bound, reserved, shared, given a node or missing; pods with up to three of them.
#pragma once

#include "gedge/model/facts.hpp"
#include "support/dice.hpp"

namespace gedge::test {

/// Adds storage to the facts, and claims to some pods, which get specs of their own. `scale`: about
/// as many volumes, at least a few.
void add_random_claims(Dice& dice, Facts& facts, std::size_t scale);

}  // namespace gedge::test
