// codec/profile_args.hpp - pluginConfig: the arguments of each plugin.
#pragma once

#include <string_view>

#include "codec/cursor.hpp"
#include "gedge/policy/profile.hpp"

namespace gedge::codec {

/// Reads the `args` of one plugin, the fields of all versions from v1beta1 to v1. Plugins that
/// gedge lacks, or that a module brings, may have any.
void read_policy_args(std::string_view plugin, Cursor args, PolicyArgs& out);

}  // namespace gedge::codec
