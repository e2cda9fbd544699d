// cmd.hpp - one function a subcommand; each lives in cmd_NAME.cpp.
#pragma once

#include "command.hpp"

namespace gedge::cli {

Command plan_command();
Command explain_command();
Command why_not_command();
Command verify_command();
Command apply_command();
Command simulate_command();
Command policies_command();
Command config_view_command();
Command validate_command();
Command matrix_show_command();
Command matrix_complete_command();
Command matrix_convert_command();
Command matrix_diff_command();
Command matrix_check_command();
Command measure_command();
Command matrix_cluster_command();
Command matrix_centers_command();
Command pin_show_command();
Command pin_plan_command();
Command pin_run_command();
Command pin_apply_command();
Command pin_check_command();
Command pin_compare_command();
Command pin_defrag_command();
Command agent_command();
Command schedule_command();
Command extender_command();
Command manifests_command();
Command hint_command();
Command scale_explain_command();
Command scale_recommend_command();
Command scale_simulate_command();
Command scale_run_command();
Command completion_command();
Command version_command();
Command help_command();
Command complete_command();  ///< hidden: live words for shells
Command man_command();       ///< hidden: the manual pages

}  // namespace gedge::cli
