// apply_command.hpp - what `gedge apply` was told, and the part of it that runs.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "gedge/base/nanos.hpp"
#include "io.hpp"
#include "options.hpp"

namespace gedge::cli {

struct ApplyCommand {
  std::string plan;
  InputOptions input;
  OutputOptions output;
  std::vector<std::string> names;  ///< of schedulers whose pods are bound
  bool is_dry_run = false;
  bool asks_server = false;  ///< in a dry run, what it would do
  std::uint64_t max_binds = 100;
  Nanos within{60'000'000'000};  ///< of the reading of the cluster: what a bind may be decided by
};

/// In the library of daemons.
using RunApply = int (*)(ApplyCommand&, Io&);
inline constexpr const char* kRunApply = "gedge_run_apply";

}  // namespace gedge::cli
