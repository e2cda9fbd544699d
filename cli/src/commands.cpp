#include <array>

#include "cmd.hpp"

namespace gedge::cli {

std::span<const Command> commands() {
  static const std::array all{
      plan_command(),     explain_command(),     why_not_command(),  verify_command(),
      policies_command(), config_view_command(), validate_command(), completion_command(),
      version_command(),  help_command(),        complete_command(), man_command(),
  };
  return all;
}

const Command* find_command(std::string_view name) {
  for (const Command& command : commands())
    if (command.name() == name) return &command;
  return nullptr;
}

}  // namespace gedge::cli
