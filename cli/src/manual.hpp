// manual.hpp - the manual pages, as mdoc(7) text made from the same table as help.
#pragma once

#include <string>
#include <vector>

namespace gedge::cli {

/// "gedge.1", "gedge-plan.1", ..., "gedge-policies.7".
std::vector<std::string> manual_names();
/// Empty for a name that manual_names() does not give.
std::string manual_page(const std::string& name);

}  // namespace gedge::cli
