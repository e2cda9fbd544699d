// Random profiles: the builtin ones, and mixtures of every filter and score that there is.
#pragma once

#include "gedge/policy/profile.hpp"
#include "support/dice.hpp"

namespace gedge::test {

/// Never asks for arguments that Kubernetes would refuse.
Profile make_random_profile(Dice& dice, Compat compat);

}  // namespace gedge::test
