// cmd_pin_run.cpp - "gedge pin run": a command on CPUs that nobody else gets.
#include <functional>
#include <memory>
#include <utility>

#include "cmd.hpp"
#include "gedge/drive/compare_pinned.hpp"
#include "gedge/drive/others.hpp"
#include "gedge/io/system_pins.hpp"
#include "gedge/io/system_targets.hpp"
#include "pin_ask.hpp"
#include "pin_near.hpp"
#include "pin_run.hpp"
#include "report.hpp"
#include "term/diagnostics.hpp"

namespace gedge::cli {
namespace {

constexpr Example kExamples[] = {
    {"gedge pin run --cpus 2 -- ffmpeg -i in.mkv out.mp4", "An encoder with two CPUs of its own:"},
    {"gedge pin run --cpus 4 --policy single-numa-node --memory bind -- ./solver",
     "All in one NUMA node, memory too, or not at all:"},
    {"gedge pin run --cpus 4 --near gpu --near network -- ./infer",
     "Near to a GPU and a network card that are near to each other:"},
    {"gedge pin run --isolate -- cyclictest -t1 -p80 -i1000",
     "A periodic task on a CPU that nothing else runs on:"},
    {"gedge pin run --cpus 2 --nice-others 10 -- ./job",
     "Two CPUs on which everything else comes second:"},
    {"gedge pin run --cpus 2 --mode preferred -- ./job",
     "Two CPUs of its own if they are free, else beside others:"},
    {"gedge pin run --mode shared:0-1 -- ./backup", "Beside others, and out of the way:"},
    {"gedge pin run --cpus 2 --dry-run -- true", "Which CPUs would that be?"},
};
constexpr Page kPage{
    .name = "pin run",
    .summary = "Run a command on CPUs of its own",
    .usage =
        "[--cpus N] [--policy POLICY]... [--near DEVICE]... [--mode MODE] [--memory MODE] "
        "[--isolate] [--nice-others N] [FLAG]... -- COMMAND [ARG]...",
    .description =
        "Chooses CPUs that no other `gedge pin run` holds, as the kubelet's static policy does on "
        "the machine as it is, and runs COMMAND on them: all its threads and processes inherit "
        "that before the first of them runs. Only CPUs that gedge itself may use are chosen, so "
        "`taskset -c 4-7 gedge pin run` chooses among four.\n\n"
        "`--policy` takes options of the kubelet's CPU manager and policies of its topology "
        "manager, by their names there. `--memory` says where memory is taken from: `bind`, only "
        "from the NUMA nodes of the CPUs; `preferred`, from there first; `interleave`, from these "
        "in turn.\n\n"
        "`--near` takes a kind of device, `gpu`, `network` or `storage`, or the name or address of "
        "one, as `gedge pin show` has them. CPUs are then taken near to it, as the kubelet does "
        "for a container that asks for both: as far as it can be had, or with a policy of the "
        "topology manager as that says. Of several devices those are chosen that are nearest to "
        "each other, and named; nobody holds them.\n\n"
        "`--mode` says whether anybody else may run there. `exclusive`: CPUs of its own, or "
        "COMMAND "
        "does not begin. `preferred`: the same where there are enough and the policies allow it; "
        "else COMMAND runs beside others on all CPUs that nobody holds, and that is said. "
        "`shared:CPUS`: beside others on just these, without those that somebody holds. Who shares "
        "holds nothing: the next one may take such a CPU for itself, and with `--isolate` moves "
        "COMMAND aside.\n\n"
        "`--isolate` moves every other thread off these CPUs before COMMAND begins, by its "
        "affinity, and back when COMMAND has ended; what others begin meanwhile runs beside them, "
        "and is moved back too. What COMMAND has begun stays, as long as its parent runs: else "
        "the next pin with `--isolate` moves it aside. "
        "Threads of the kernel that serve just these CPUs stay and are "
        "named, and so do interrupts. Only root may move the threads of all users. Where each "
        "thread might run before is written down first: what a gedge that was killed has left "
        "behind, the next `gedge pin run` or `gedge pin apply` puts back once COMMAND has ended, "
        "and so does `gedge pin apply --undo`; while COMMAND still runs, `gedge pin apply --undo "
        "--pid PID` does, with the PID of COMMAND, which `gedge pin check` shows. Timers of "
        "COMMAND fire when they are due, and not "
        "up to 50 us later, as those of others do; and while it runs no idle CPU of the machine "
        "sleeps, where gedge may write to /dev/cpu_dma_latency.\n\n"
        "`--nice-others` lets everything else run there, and come second: every thread of others "
        "that may run on these CPUs has a nice value of N or more (1 to 19) until COMMAND has "
        "ended, wherever it runs meanwhile; one that is nicer already stays as it is, and so do "
        "threads of the kernel. What each had is written down first, and is put back as with "
        "`--isolate`; "
        "what somebody has set to another value since, stays. What others begin meanwhile inherits "
        "theirs and is lowered with them, so whoever sets just N himself meanwhile counts as one "
        "of these. Only root of the machine may lower a nice value again, so for anybody else "
        "COMMAND does not begin. The kernel compares nice values within one control group, and "
        "within one "
        "session where /proc/sys/kernel/sched_autogroup_enabled is 1.\n\n"
        "`--do-no-harm` runs COMMAND unpinned where `gedge pin compare --do-no-harm` found that as "
        "many CPUs do not make just this command faster.\n\n"
        "Signals are passed on to COMMAND. Its CPUs are free again when it has ended. Who holds "
        "what stands in `pin_state` of the state directory, in the form of cpu_manager_state, "
        "entries named PID-START; `lock` beside it lets one gedge at a time change it. Where gedge "
        "is killed, COMMAND goes on and holds its CPUs; what dead processes held, the next run "
        "takes out. Once the machine has been started again, all that stands there is void: nobody "
        "is pinned, and the next run begins anew. Only those share CPUs well who share a state "
        "directory, in one namespace of "
        "processes. Processes that outlive COMMAND keep their CPUs without holding them.",
    .output =
        "What COMMAND prints. With `--dry-run` the CPUs, as `taskset -c` takes them. The exit code "
        "is that of COMMAND, 128 and the number where a signal ended it, 126 where it cannot be "
        "run, 127 where it is not found.",
    .examples = kExamples,
    .yes = "COMMAND has ended with 0",
    .see_also =
        "gedge-pin-apply(1) gedge-pin-check(1) gedge-pin-compare(1) gedge-pin-plan(1) "
        "gedge-pin-show(1)",
};

Exit say_what_would_be(const PinRunOptions& options, Io& io, PinStore& store,
                       const PinGround& ground) {
  const auto granted = foresee(store, SystemProcesses(), ground, options.ask);
  if (!granted) return fail(io, granted.error());
  if (!options.output.quiet && !options.ask.near.empty())
    io.err.line(near_text(ground, granted->near));
  const std::string shares = shares_text(options.ask, *granted);
  if (!options.output.quiet && !shares.empty()) io.err.line(shares);
  io.out.line(to_string(granted->cpus));
  return Exit::kYes;
}

// What has become of others.
std::function<void(const OthersNow&)> telling(const PinRunOptions& options, Io& io) {
  return [&](const OthersNow& now) {
    if (options.output.quiet) return;
    for (const std::string& line : sentences(now, options.others, options.output.verbosity > 0))
      io.err.line(line);
    io.err.flush();
  };
}

CpuKeeper telling_shared(CpuKeeper keeper, const PinRunOptions& options, Io& io) {
  if (options.ask.mode != PinMode::kPreferred || options.output.quiet) return keeper;
  keeper.hold = [hold = std::move(keeper.hold), &options, &io](const ProcessId& holder) {
    auto granted = hold(holder);
    const std::string shares = granted ? shares_text(options.ask, *granted) : std::string();
    if (shares.empty()) return granted;
    io.err.line(shares);
    io.err.flush();
    return granted;
  };
  return keeper;
}

// What a gedge that was killed has left behind. Where that cannot be done COMMAND is run all the
// same, but not where nobody knows who holds what, or can say so for now.
Status put_back_what_is_left(Io& io, const PinPorts& ports, const PinGround& ground) {
  Status cleaned = clean_up(ports, ground.machine.cpu_set());
  if (!cleaned && cleaned.error().code == Errc::kInvalidInput) return cleaned;
  if (!cleaned && cleaned.error().code == Errc::kTimeout) return cleaned;
  if (!cleaned) print_error(io.err, cleaned.error());
  return {};
}

Exit run_pin_run(const PinRunOptions& options, Io& io) {
  if (options.command.empty())
    return fail_usage(io,
                      invalid_input("no command is given", {},
                                    '`' + io.program + " pin run [FLAG]... -- COMMAND [ARG]...`"));
  if (const Status right = check_flags(options); !right) return fail_usage(io, right.error());
  auto ground = read_ground_for(options.ask);
  if (!ground) return fail(io, ground.error());
  if (const Status added = add_devices(*ground, options.ask, io.files); !added)
    return fail(io, added.error());
  DiskPinStore store = open_store(options.state_dir, io, options.output.quiet);
  if (options.dry_run) return say_what_would_be(options, io, store, *ground);
  const SystemProcesses processes;
  SystemThreads threads;
  SystemGroups groups({});
  const PinPorts ports{store, processes, threads, groups};
  if (const Status right = put_back_what_is_left(io, ports, *ground); !right)
    return fail(io, right.error());
  SystemLaunch launch(options.command);
  if (options.others.anything())
    if (auto not_found = launch.look_up())
      return report_run(io, {0, {}, *std::move(not_found), {}});
  if (options.others.isolate) launch.be_punctual();
  if (options.do_no_harm) {
    const auto known = recall_verdict(store, options.command, options.ask.cpus);
    if (!known) return fail(io, known.error());
    if (*known && (*known)->verdict != TrialVerdict::kHelps) {
      if (!options.output.quiet) io.err.line("not pinned: `gedge pin compare` saw no gain");
      const auto plain = run_plain(launch, *ground);
      return plain ? report_run(io, *plain) : fail(io, plain.error());
    }
  }
  CpuKeeper keeper =
      options.others.anything()
          ? keep_before_others(ports, *ground, options.ask, options.others, telling(options, io))
          : keep_ledger(store, processes, *ground, options.ask);
  keeper = telling_near(std::move(keeper), *ground, io, options.output.quiet);
  keeper = telling_shared(std::move(keeper), options, io);
  const auto run = run_pinned(launch, keeper, options.memory);
  if (!run) return fail(io, run.error());
  return report_run(io, *run);
}

Run add_pin_run(FlagSet& flags) {
  auto options = std::make_shared<PinRunOptions>();
  add_pin_run_flags(flags, *options);
  return [options](Io& io) { return run_pin_run(*options, io); };
}

}  // namespace

Command pin_run_command() { return {&kPage, Group::kPin, add_pin_run}; }

}  // namespace gedge::cli
