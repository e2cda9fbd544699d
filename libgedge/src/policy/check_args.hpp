// policy/check_args.hpp - arguments that no policy could obey are refused before one is made.
#pragma once

#include <string_view>

#include "gedge/policy/profile.hpp"

namespace gedge {

/// Checks what kube-scheduler's validation of plugin arguments checks, for the policy of that name.
/// Errors: kInvalidInput with the field and its range.
Status check_args(std::string_view policy, const PolicyArgs& args);

}  // namespace gedge
