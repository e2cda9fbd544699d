// Arguments of scheduler plugins, as the vectors write them.
#pragma once

#include <nlohmann/json.hpp>

#include "gedge/policy/profile.hpp"

namespace gedge::test {

PolicyArgs read_plugin_args(const nlohmann::json& args);

}  // namespace gedge::test
