// cmd_version.cpp - "gedge version": which gedge this is, and which Kubernetes it computes like.
#include "cmd.hpp"
#include "gedge/version.hpp"

namespace gedge::cli {
namespace {

constexpr Example kExamples[] = {{"gedge version", "Print the versions"}};
constexpr Page kPage{
    .name = "version",
    .summary = "Print the version of gedge",
    .usage = "",
    .description =
        "Prints the version of gedge and the Kubernetes minor versions whose formulas, defaults "
        "and "
        "policy names it knows (see the flag `--compat` of `gedge plan`). `gedge --version` prints "
        "the "
        "first line alone.",
    .output = "Two lines of text.",
    .examples = kExamples,
    .yes = "always",
    .reads_input = false,
};

Exit run_version(Io& io) {
  io.out.line("gedge " + std::string(version()));
  io.out.line("Kubernetes formulas: 1.20, 1.36");
  return Exit::kYes;
}

Run add_version(FlagSet&) { return run_version; }

}  // namespace

Command version_command() { return {&kPage, Group::kAbout, add_version}; }

}  // namespace gedge::cli
