// help.hpp - what `gedge help` and `--help` print: one screen, 80 columns.
#pragma once

#include <string>

#include "command.hpp"

namespace gedge::cli {

/// The commands under their headings.
std::string help_overview(std::string_view program);
/// What `gedge config` lists: the commands that begin with that word. Empty if there is none.
std::string help_family(std::string_view word, std::string_view program);
/// One command: summary, usage, flags, examples, exit status.
std::string help_page(const Command& command, const FlagSet& flags, std::string_view program);

/// "-f, --filename FILE", "    --seed N", "POD".
std::string flag_synopsis(const Flag& flag);

}  // namespace gedge::cli
