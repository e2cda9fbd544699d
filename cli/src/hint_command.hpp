// hint_command.hpp - what `gedge hint` was told, and the part of it that writes.
#pragma once

#include <string>
#include <vector>

#include "gedge/plan/hints.hpp"
#include "io.hpp"
#include "options.hpp"

namespace gedge::cli {

struct HintCommand {
  InputOptions input;
  RuleOptions rules;
  OutputOptions output;
  std::vector<std::string> from;
  bool writes = false;
};

/// In the library of daemons: asks the API server for every change, one after the other.
using RunHint = int (*)(const HintCommand&, const Hints&, Io&);
inline constexpr const char* kRunHint = "gedge_run_hint";

}  // namespace gedge::cli
