// cmd_version.cpp - "gedge version": which gedge this is, and which Kubernetes it computes like.
#include <memory>

#include "cmd.hpp"
#include "gedge/codec/write.hpp"
#include "gedge/version.hpp"
#include "options.hpp"

namespace gedge::cli {
namespace {

constexpr Example kExamples[] = {{"gedge version", "Print the versions"}};
constexpr Page kPage{
    .name = "version",
    .summary = "Print the version of gedge",
    .usage = "[-o FORMAT]",
    .description =
        "Prints the version of gedge and the Kubernetes minor versions whose formulas, defaults "
        "and "
        "policy names it knows (see the flag `--compat` of `gedge plan`). `gedge --version` prints "
        "the "
        "first line alone.",
    .output = "Two lines of text. `json` and `yaml` print one object of kind Version.",
    .examples = kExamples,
    .yes = "always",
    .reads_input = false,
};

Exit run_version(const OutputOptions& output, Io& io) {
  if (output.format != Format::kTable) {
    io.out.write(write_version(version(), text_format(output.format)));
    return Exit::kYes;
  }
  io.out.line("gedge " + std::string(version()));
  io.out.line("Kubernetes formulas: 1.20, 1.36");
  return Exit::kYes;
}

Run add_version(FlagSet& flags) {
  auto output = std::make_shared<OutputOptions>();
  add_document_flag(flags, *output, "text");
  return [output](Io& io) { return run_version(*output, io); };
}

}  // namespace

Command version_command() { return {&kPage, Group::kAbout, add_version}; }

}  // namespace gedge::cli
