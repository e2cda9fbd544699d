// cmd_completion.cpp - "gedge completion SHELL": the script that teaches a shell gedge's words.
#include <memory>

#include "cmd.hpp"
#include "completion.hpp"

namespace gedge::cli {
namespace {

constexpr Example kExamples[] = {
    {"source <(gedge completion bash)", "Complete in this bash"},
    {"gedge completion zsh > \"${fpath[1]}/_gedge\"", "Complete in every new zsh"},
    {"gedge completion fish > ~/.config/fish/completions/gedge.fish", "Complete in every new fish"},
};
constexpr Page kPage{
    .name = "completion",
    .summary = "Print the completion script of a shell",
    .usage = "{bash|zsh|fish}",
    .description =
        "Prints a script that completes commands, flags and their values. Names of pods and nodes "
        "are "
        "taken from the files that the command line names; names of policies and profiles from "
        "gedge.",
    .output = "A script in the language of the shell.",
    .examples = kExamples,
    .yes = "always",
    .reads_input = false,
};

Exit run_completion(const std::string& shell, Io& io) {
  io.out.write(shell == "bash"  ? bash_completion()
               : shell == "zsh" ? zsh_completion()
                                : fish_completion());
  return Exit::kYes;
}

Run add_completion(FlagSet& flags) {
  auto shell = std::make_shared<std::string>();
  flags.add({.name = "SHELL",
             .value = "SHELL",
             .help = "bash, zsh or fish",
             .words = {"bash", "zsh", "fish"},
             .operand = true,
             .required = true},
            *shell);
  return [shell](Io& io) { return run_completion(*shell, io); };
}

}  // namespace

Command completion_command() { return {&kPage, Group::kAbout, add_completion}; }

}  // namespace gedge::cli
