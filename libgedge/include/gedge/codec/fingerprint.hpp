// gedge/codec/fingerprint.hpp - one short text that changes whenever a fact does.
#pragma once

#include <string>
#include <vector>

#include "gedge/latency/matrix.hpp"
#include "gedge/model/facts.hpp"
#include "gedge/policy/profile.hpp"

namespace gedge {

/// "xxh128:" and 32 hexadecimal digits, of everything in `facts` and `rtt` that a plan can depend
/// on. Names of files, Places, warnings, skipped objects and the order of lists do not count. The
/// same on every machine. Not a signature: two texts can be made to collide. Cost: O(facts +
/// names^2).
std::string fingerprint(const Facts& facts, const RttMatrix& rtt);
/// The same of profiles and their order; their names do not count.
std::string fingerprint(const std::vector<Profile>& profiles);

}  // namespace gedge
