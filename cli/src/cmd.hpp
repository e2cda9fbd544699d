// cmd.hpp - one function a subcommand; each lives in cmd_NAME.cpp.
#pragma once

#include "command.hpp"

namespace gedge::cli {

Command plan_command();
Command explain_command();
Command why_not_command();
Command verify_command();
Command policies_command();
Command config_view_command();
Command validate_command();
Command completion_command();
Command version_command();
Command help_command();
Command complete_command();  ///< hidden: live words for shells
Command man_command();       ///< hidden: the manual pages

}  // namespace gedge::cli
