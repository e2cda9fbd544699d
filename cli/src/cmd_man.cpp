// cmd_man.cpp - "gedge __man [PAGE]": the names of the manual pages, or one of them; for those who
// build gedge.
#include <memory>

#include "cmd.hpp"
#include "manual.hpp"
#include "term/diagnostics.hpp"

namespace gedge::cli {
namespace {

constexpr Example kExamples[] = {{"gedge __man gedge-plan.1", "Print one page"}};
constexpr Page kPage{
    .name = "__man",
    .summary = "Print a manual page as mdoc",
    .usage = "[PAGE]",
    .description = "Without an operand, lists the pages.",
    .output = "mdoc(7) text.",
    .examples = kExamples,
    .yes = "always",
    .reads_input = false,
};

Exit run_man(const std::string& name, Io& io) {
  if (name.empty()) {
    for (const std::string& known : manual_names()) io.out.line(known);
    return Exit::kYes;
  }
  const std::string page = manual_page(name);
  io.out.write(page);
  if (!page.empty()) return Exit::kYes;
  print_error(io.err, invalid_input("unknown page '" + name + "'"));
  return Exit::kUsage;
}

Run add_man(FlagSet& flags) {
  auto name = std::make_shared<std::string>();
  flags.add({.name = "PAGE", .value = "PAGE", .help = "For example gedge-plan.1", .operand = true},
            *name);
  return [name](Io& io) { return run_man(*name, io); };
}

}  // namespace

Command man_command() { return {&kPage, Group::kHidden, add_man}; }

}  // namespace gedge::cli
