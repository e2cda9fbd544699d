#include <array>

#include "cmd.hpp"

namespace gedge::cli {

std::span<const Command> commands() {
  static const std::array all{
      plan_command(),
      explain_command(),
      why_not_command(),
      verify_command(),
      simulate_command(),
      policies_command(),
      config_view_command(),
      validate_command(),
      matrix_complete_command(),
      matrix_show_command(),
      matrix_convert_command(),
      matrix_diff_command(),
      matrix_check_command(),
      measure_command(),
      matrix_cluster_command(),
      matrix_centers_command(),
      agent_command(),
      schedule_command(),
      apply_command(),
      extender_command(),
      manifests_command(),
      hint_command(),
      scale_explain_command(),
      scale_recommend_command(),
      scale_simulate_command(),
      scale_run_command(),
      pin_show_command(),
      pin_plan_command(),
      pin_run_command(),
      pin_apply_command(),
      pin_check_command(),
      pin_compare_command(),
      pin_defrag_command(),
      completion_command(),
      version_command(),
      help_command(),
      complete_command(),
      man_command(),
  };
  return all;
}

const Command* find_command(std::string_view name) {
  for (const Command& command : commands())
    if (command.name() == name) return &command;
  return nullptr;
}

std::string_view family_summary(std::string_view first) {
  if (first == "config") return "Look at the configuration";
  if (first == "matrix") return "Look at matrices of round-trip times";
  if (first == "scale") return "Scale workloads, and say why";
  if (first == "pin") return "Pin pods and processes to CPUs";
  return "";
}

}  // namespace gedge::cli
