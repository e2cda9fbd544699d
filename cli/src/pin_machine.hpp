// pin_machine.hpp - the flags that say which machine is meant, and reading it.
#pragma once

#include <string>

#include "flags.hpp"

namespace gedge::cli {

void add_machine_flag(FlagSet& flags, std::string& source);

}  // namespace gedge::cli
