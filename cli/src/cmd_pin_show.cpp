// cmd_pin_show.cpp - "gedge pin show": what a machine is made of.
#include <memory>

#include "choices.hpp"
#include "cmd.hpp"
#include "gedge/codec/write_machine.hpp"
#include "gedge/io/machine_facts.hpp"
#include "options.hpp"
#include "pin_machine.hpp"
#include "render/machine_view.hpp"
#include "report.hpp"
#include "term/text.hpp"

namespace gedge::cli {
namespace {

constexpr Example kExamples[] = {
    {"gedge pin show", "This machine:"},
    {"gedge pin show --machine 'synthetic:pack:2 numa:2 l3:1 core:4 pu:2' -o svg",
     "A drawing of one that does not exist:"},
};
constexpr Page kPage{
    .name = "pin show",
    .summary = "Show sockets, NUMA nodes, caches, cores and CPUs",
    .usage = "[--machine SOURCE] [-o FORMAT] [FLAG]...",
    .description =
        "Reads a machine through hwloc and shows what is inside what. A core has the number of its "
        "lowest CPU, as for the kubelet. CPUs that are offline, that the kernel keeps for itself "
        "(isolcpus) or spares its tick (nohz_full) are named.\n\n"
        "`--machine` takes `live` (this machine, all CPUs that are online), a file of hwloc's XML "
        "(`lstopo --of xml FILE.xml`), `synthetic:` and hwloc's one-line description, or a "
        "directory with a recorded tree: `sys/devices/system`, and `proc` where it was recorded.",
    .output =
        "`table`: a tree, one line a part; devices of the PCI bus come last, with the CPUs that "
        "are nearest. `svg`: a drawing. `json` and `yaml`: one object of kind Machine.",
    .examples = kExamples,
    .yes = "the machine is shown",
    .see_also = "gedge-pin-plan(1) gedge-pin-run(1)",
};

enum class Look : std::uint8_t { kTable, kSvg, kJson, kYaml };
constexpr Words<Look, 4> kLooks{
    {{"table", Look::kTable}, {"svg", Look::kSvg}, {"json", Look::kJson}, {"yaml", Look::kYaml}}};

struct PinShowOptions {
  std::string machine = "live";
  Look look = Look::kTable;
  OutputOptions output;
};

Exit run_pin_show(const PinShowOptions& options, Io& io) {
  const auto machine = read_machine(options.machine, io.files);
  if (!machine) return fail(io, machine.error());
  switch (options.look) {
    case Look::kTable:
      print_machine(io.out, *machine, !options.output.no_headers);
      break;
    case Look::kSvg:
      io.out.write(machine_svg(*machine));
      break;
    case Look::kJson:
      io.out.write(write(*machine, TextFormat::kJson));
      break;
    case Look::kYaml:
      io.out.write(write(*machine, TextFormat::kYaml));
      break;
  }
  io.out.flush();
  if (!options.output.quiet) io.err.line(summary_of(*machine));
  return Exit::kYes;
}

Run add_pin_show(FlagSet& flags) {
  auto options = std::make_shared<PinShowOptions>();
  add_machine_flag(flags, options->machine);
  flags.heading("How to show it");
  flags.add({.name = "output",
             .letter = 'o',
             .value = "FORMAT",
             .help = "Print as " + join_words(list_of(kLooks), ", ", " or "),
             .fallback = "table",
             .words = list_of(kLooks)},
            word_into(kLooks, options->look));
  flags.add({.name = "no-headers", .help = "Leave out the header line"},
            options->output.no_headers);
  flags.heading("Everywhere");
  add_talk_flags(flags, options->output);
  return [options](Io& io) { return run_pin_show(*options, io); };
}

}  // namespace

Command pin_show_command() { return {&kPage, Group::kPin, add_pin_show}; }

}  // namespace gedge::cli
