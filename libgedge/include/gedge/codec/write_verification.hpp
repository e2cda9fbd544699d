// gedge/codec/write_verification.hpp - a verification and what it did not look at.
#pragma once

#include <string>
#include <vector>

#include "gedge/codec/write.hpp"
#include "gedge/verify/unplaced.hpp"

namespace gedge {

/// kind Verification, with the pods that have no node in `unplaced`.
std::string write(const Verification& verification, const std::vector<UnplacedPod>& unplaced,
                  TextFormat format);

}  // namespace gedge
