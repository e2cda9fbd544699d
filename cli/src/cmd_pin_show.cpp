// cmd_pin_show.cpp - "gedge pin show": what a machine is made of.
#include <memory>

#include "choices.hpp"
#include "cmd.hpp"
#include "gedge/codec/write_machine.hpp"
#include "gedge/drive/look_at_pins.hpp"
#include "gedge/io/machine_facts.hpp"
#include "gedge/io/system_pins.hpp"
#include "gedge/io/system_targets.hpp"
#include "options.hpp"
#include "pin_ask.hpp"
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
        "(isolcpus) or spares its tick (nohz_full) are named, and of this machine who holds CPUs "
        "in the ledger of `gedge pin run` and `gedge pin apply`.\n\n"
        "`--machine` takes `live` (this machine, all CPUs that are online), a file of hwloc's XML "
        "(`lstopo --of xml FILE.xml`), `synthetic:` and hwloc's one-line description, or a "
        "directory with a recorded tree: `sys/devices/system`, and `proc` where it was recorded.",
    .output =
        "`table`: a tree, one line a part, NUMA nodes with what firmware says that memory of the "
        "others costs them (`21 to 1`; their own costs 10); then devices of the PCI bus, with the "
        "CPUs that are "
        "nearest, then who holds which CPUs. `svg`: a drawing. `json` and `yaml`: one object of "
        "kind Machine; `costs` of a device there says how far it is from each device, in the "
        "classes "
        "that tools for GPUs print: 2 one switch between them (PIX), 3 several bridges (PXB), 4 "
        "host bridges of one NUMA node (NODE), 5 between NUMA nodes (SYS).",
    .examples = kExamples,
    .yes = "the machine is shown",
    .see_also =
        "gedge-pin-apply(1) gedge-pin-check(1) gedge-pin-defrag(1) gedge-pin-plan(1) "
        "gedge-pin-run(1)",
};

enum class Look : std::uint8_t { kTable, kSvg, kJson, kYaml };
constexpr Words<Look, 4> kLooks{
    {{"table", Look::kTable}, {"svg", Look::kSvg}, {"json", Look::kJson}, {"yaml", Look::kYaml}}};

struct PinShowOptions {
  std::string machine = "live", state_dir;
  Look look = Look::kTable;
  OutputOptions output;
};

// Of other machines nothing is known.
Result<PinCheck> pins_of(const PinShowOptions& options, const Machine& machine, Io& io) {
  if (options.machine != "live") return PinCheck{};
  GEDGE_TRY(check_directory(options.state_dir, io));
  DiskPinStore store = open_store(options.state_dir, io, options.output.quiet);
  const SystemProcesses processes;
  SystemThreads threads;
  SystemGroups groups({});
  auto pins = list_pins({store, processes, threads, groups}, machine.cpu_set());
  // The usual place may be another user's.
  if (!pins && pins.error().code == Errc::kDenied && options.state_dir.empty()) return PinCheck{};
  return pins;
}

Exit run_pin_show(const PinShowOptions& options, Io& io) {
  const auto machine = read_machine(options.machine, io.files);
  if (!machine) return fail(io, machine.error());
  const auto pins = pins_of(options, *machine, io);
  if (!pins) return fail(io, pins.error());
  switch (options.look) {
    case Look::kTable:
      print_machine(io.out, *machine, *pins, !options.output.no_headers);
      break;
    case Look::kSvg:
      io.out.write(machine_svg(*machine));
      break;
    case Look::kJson:
      io.out.write(write(*machine, *pins, TextFormat::kJson));
      break;
    case Look::kYaml:
      io.out.write(write(*machine, *pins, TextFormat::kYaml));
      break;
  }
  io.out.flush();
  if (!options.output.quiet) io.err.line(summary_of(*machine));
  return Exit::kYes;
}

Run add_pin_show(FlagSet& flags) {
  auto options = std::make_shared<PinShowOptions>();
  add_machine_flag(flags, options->machine);
  add_state_flag(flags, options->state_dir);
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
