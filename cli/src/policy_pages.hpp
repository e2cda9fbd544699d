// policy_pages.hpp - gedge-policies(7): formula, range and source of every policy, weights of every
// profile.
#pragma once

#include <string>

namespace gedge::cli {

std::string policies_page();

}  // namespace gedge::cli
