// cmd_pin_check.cpp - "gedge pin check": are the pins still true?
#include <memory>
#include <string>

#include "cmd.hpp"
#include "gedge/codec/write_machine.hpp"
#include "gedge/drive/look_at_pins.hpp"
#include "gedge/io/system_pins.hpp"
#include "gedge/io/system_targets.hpp"
#include "options.hpp"
#include "pin_ask.hpp"
#include "render/machine_view.hpp"
#include "render/numbers.hpp"
#include "report.hpp"

namespace gedge::cli {
namespace {

constexpr Example kExamples[] = {
    {"gedge pin check", "Is everything still where it was pinned?"},
    {"gedge pin check -o json | jq '.pins[] | select(.faults != [])'", "Only what is not:"},
};
constexpr Page kPage{
    .name = "pin check",
    .summary = "Check that pins are still true",
    .usage = "[--state-dir DIR] [-o FORMAT] [FLAG]...",
    .description =
        "Looks at each process and control group that holds CPUs in the ledger of `gedge pin run` "
        "and `gedge pin apply`, and says what has changed since:\n\n"
        "`offline`: CPUs that it holds were switched off. `moved`: threads of it may run on other "
        "CPUs, as somebody else pinned them, wrote the cpuset or moved it to another control "
        "group. `strangers`: threads of others are bound to its CPUs and may run nowhere else. "
        "`unseen`: a control group that lies outside of this container, or was pinned in one with "
        "a namespace of control groups of its own, of which nobody here can say more. It holds its "
        "CPUs until `gedge pin apply --undo --cgroup PATH` where it was pinned; outside of "
        "containers gedge sees all groups, and frees them by itself once it is gone.\n\n"
        "Others who may run anywhere are no strangers. Processes that a holder started and the "
        "kernel's own threads are none either. What dead holders held is free and not shown, but "
        "for this:\n\n"
        "`left behind`: a holder with `--isolate` or `--nice-others` has ended and no gedge was "
        "there to let the others back, as it was killed; they are still kept off the CPUs, or at "
        "their raised nice value. `gedge pin apply --undo` without a target lets them back.\n\n"
        "Nothing is changed.",
    .output =
        "A table: holder, program, CPUs, threads, and the verdict. `json` and `yaml` print one "
        "object of kind PinCheck.",
    .examples = kExamples,
    .yes = "all pins are true, or there is none, and nothing is left behind",
    .no = "some pin is not true any more, or something is left behind",
    .see_also = "gedge-pin-apply(1) gedge-pin-run(1) gedge-pin-show(1)",
};

struct PinCheckOptions {
  std::string state_dir;
  OutputOptions output;
};

std::string undo_text(const PinCheckOptions& options, const Io& io) {
  const std::string where = options.state_dir.empty() ? "" : " --state-dir " + options.state_dir;
  return "what was left behind is put back by `" + io.program + " pin apply --undo" + where + '`';
}

Exit run_pin_check(const PinCheckOptions& options, Io& io) {
  if (const Status there = check_directory(options.state_dir, io); !there)
    return fail(io, there.error());
  const auto ground = read_ground();
  if (!ground) return fail(io, ground.error());
  DiskPinStore store = open_store(options.state_dir, io, options.output.quiet);
  const SystemProcesses processes;
  SystemThreads threads;
  SystemGroups groups({});
  const auto check = look_at_pins({store, processes, threads, groups}, ground->machine.cpu_set());
  if (!check) return fail(io, check.error());
  const OutputOptions& output = options.output;
  if (output.format != Format::kTable) {
    io.out.write(write(*check, text_format(output.format)));
  } else if (const Status printed = print_pin_check(
                 io.out, *check, {false, !output.no_headers, output.sort_by, false});
             !printed) {
    return fail_usage(io, printed.error());
  }
  io.out.flush();
  if (!output.quiet) io.err.line(counted(check->pins.size(), "pin"));
  if (!output.quiet && !check->left.empty()) io.err.line(undo_text(options, io));
  return check->all_true() ? Exit::kYes : Exit::kNo;
}

Run add_pin_check(FlagSet& flags) {
  auto options = std::make_shared<PinCheckOptions>();
  flags.heading("Which pins");
  add_state_flag(flags, options->state_dir);
  add_output_flags(flags, options->output, {"table", "json", "yaml"});
  add_talk_flags(flags, options->output);
  return [options](Io& io) { return run_pin_check(*options, io); };
}

}  // namespace

Command pin_check_command() { return {&kPage, Group::kPin, add_pin_check}; }

}  // namespace gedge::cli
