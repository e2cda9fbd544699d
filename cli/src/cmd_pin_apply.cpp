// cmd_pin_apply.cpp - "gedge pin apply": CPUs of its own for what runs already.
#include <limits>
#include <memory>
#include <string>
#include <utility>

#include "cmd.hpp"
#include "gedge/drive/others.hpp"
#include "gedge/io/system_pins.hpp"
#include "gedge/io/system_targets.hpp"
#include "options.hpp"
#include "pin_ask.hpp"
#include "pin_near.hpp"
#include "render/numbers.hpp"
#include "report.hpp"

namespace gedge::cli {
namespace {

constexpr Example kExamples[] = {
    {"gedge pin apply --pid 4711 --cpus 2", "Two CPUs for a process and all its threads:"},
    {"gedge pin apply --container 4f5a6c0b1d2e --cpus 4 --policy single-numa-node --memory bind",
     "A container, its memory beside its CPUs:"},
    {"gedge pin apply --pid 4711 --isolate", "A CPU that nothing else runs on:"},
    {"gedge pin apply --pid 4711 --nice-others 10", "A CPU on which everything else comes second:"},
    {"gedge pin apply --cgroup /backup --mode shared:0-1", "Beside others, and out of the way:"},
    {"gedge pin apply --undo --pid 4711", "As it was before:"},
};
constexpr Page kPage{
    .name = "pin apply",
    .summary = "Give CPUs of its own to what runs already",
    .usage =
        "--pid PID|--cgroup PATH|--container ID [--cpus N] [--policy POLICY]... [--near DEVICE]... "
        "[--mode MODE] [--memory MODE] [--isolate] [--nice-others N] [FLAG]...",
    .description =
        "Chooses CPUs that nobody else holds, as `gedge pin run` does and in the same ledger, and "
        "pins a process or a control group to them. Only CPUs are chosen that gedge itself may "
        "use and that the control group leaves to the target.\n\n"
        "`--pid`: the affinity of every thread, those too that start meanwhile; its children that "
        "run already stay where they are. Process 1 is refused, as whatever it begins would run "
        "there too, and so are threads of the kernel. `--memory preferred` moves what it has in "
        "memory to the "
        "NUMA nodes of the CPUs; how it gets more, no other process can set.\n\n"
        "`--cgroup` and `--container`: the cpuset of the control group and of those in it, in "
        "version 1 or 2, whichever the machine has; whoever is in it, or comes to it, runs there. "
        "PATH is as in /proc/PID/cgroup or below the mount point. ID has 12 to 64 hexadecimal "
        "digits, as Docker, containerd, CRI-O and podman print it. `--memory bind` lets it take "
        "memory from the NUMA nodes of the CPUs only. A kubelet writes the cpusets of its "
        "containers itself: `gedge pin check` tells when it did.\n\n"
        "`--mode` says whether anybody else may run there. `exclusive`: CPUs of its own, or "
        "nothing "
        "is changed. `preferred`: the same where there are enough and the policies allow it; else "
        "all CPUs that nobody holds, beside others, and that is said. `shared:CPUS`: just these, "
        "beside others, without those that somebody holds. Who shares holds nothing: the next one "
        "may take such a CPU for itself, and `gedge pin check` does not look at it.\n\n"
        "`--isolate` moves every other thread off these CPUs by its affinity, what the target has "
        "begun excepted; what others begin later runs beside them too. A child whose parent has "
        "ended counts as others: the next pin with `--isolate` moves it aside. Threads of the "
        "kernel that serve just these CPUs stay and are named, and so do interrupts. Only root may "
        "move the threads of all users.\n\n"
        "`--nice-others` lets everything else run there, and come second: every thread of others "
        "that may run on these CPUs has a nice value of N or more (1 to 19) until `--undo`, but "
        "for threads of the kernel; see gedge-pin-run(1).\n\n"
        "What was before is written down first. `--undo` brings it back, also after gedge was "
        "killed at work; what somebody else has changed since, it leaves. Without a target it puts "
        "back whoever was moved aside or raised for those that have ended, as the next `gedge pin "
        "run` or `gedge pin apply` does too; of a command of `gedge pin run` it puts back the "
        "others alone. CPUs of processes and groups that are gone are free for the next one, and "
        "all of them "
        "once the machine has been started again: then nobody is pinned any more, and there is "
        "nothing to undo.",
    .output = "The CPUs, as `taskset -c` takes them; nothing with `--undo`.",
    .examples = kExamples,
    .yes = "it is pinned, or as it was before",
    .see_also = "gedge-pin-check(1) gedge-pin-run(1) gedge-pin-show(1)",
};

struct PinApplyOptions {
  CpuAsk ask;
  MemoryMode memory = MemoryMode::kDefault;
  std::uint64_t pid = 0;
  std::string cgroup, container, state_dir;
  int targets = 0;
  ForOthers others;
  bool undo = false, dry_run = false;
  OutputOptions output;
};

Result<PinTarget> target_of(const PinApplyOptions& options, const SystemGroups& groups) {
  if (!options.container.empty()) {
    auto id = container_id(options.container);
    if (!id) return std::move(id).error();
    auto path = groups.of_container(*id);
    if (!path) return std::move(path).error();
    return PinTarget(*std::move(path));
  }
  if (!options.cgroup.empty()) {
    auto path = group_path(options.cgroup, groups.mount());
    if (!path) return std::move(path).error();
    return PinTarget(*std::move(path));
  }
  return PinTarget(static_cast<int>(options.pid));
}

void say_done(Io& io, const PinApplyOptions& options, const PinGround& ground,
              const AppliedPin& done) {
  if (options.output.quiet) return;
  if (!options.ask.near.empty()) io.err.line(near_text(ground, done.grant.near));
  if (const std::string shares = shares_text(options.ask, done.grant); !shares.empty())
    io.err.line(shares);
  io.err.line(done.groups == 0 ? "pinned " + counted(done.threads, "thread")
                               : "pinned " + counted(done.groups, "control group"));
  for (const std::string& line :
       sentences(done.others, options.others, options.output.verbosity > 0))
    io.err.line(line);
}

// What was pinned is gone, and only those who were set back for it are left.
Exit undo_for_the_dead(const PinPorts& ports, const PinGround& ground, Io& io) {
  const Status cleaned = clean_up(ports, ground.machine.cpu_set());
  return cleaned ? Exit::kYes : fail(io, cleaned.error());
}

Exit run_pin_apply(const PinApplyOptions& options, Io& io) {
  if (options.targets != 1 && !(options.undo && options.targets == 0))
    return fail_usage(io, invalid_input(options.targets == 0 ? "nothing to pin is given"
                                                             : "two targets are given",
                                        {}, "give one of `--pid`, `--cgroup` and `--container`"));
  if (const Status right = check_mode(options.ask, options.others); !right)
    return fail_usage(io, right.error());
  if (options.undo && options.dry_run)
    return fail_usage(io, invalid_input("`--undo` is not tried out", {},
                                        "`gedge pin check` says what it would put back"));
  SystemGroups groups({});
  auto ground = read_ground();
  if (!ground) return fail(io, ground.error());
  if (const Status added = add_devices(*ground, options.ask, io.files); !added)
    return fail(io, added.error());
  DiskPinStore store = open_store(options.state_dir, io, options.output.quiet);
  const SystemProcesses processes;
  SystemThreads threads;
  const PinPorts ports{store, processes, threads, groups};
  if (options.targets == 0) return undo_for_the_dead(ports, *ground, io);
  const auto target = target_of(options, groups);
  if (!target) return fail(io, target.error());
  if (options.undo) {
    const Status undone = undo_pin(ports, ground->machine.cpu_set(), *target);
    return undone ? Exit::kYes : fail(io, undone.error());
  }
  if (options.dry_run) {
    const auto granted =
        foresee_pin(ports, *ground, options.ask, *target, options.memory, options.others);
    if (!granted) return fail(io, granted.error());
    const std::string shares = shares_text(options.ask, *granted);
    if (!options.output.quiet && !shares.empty()) io.err.line(shares);
    io.out.line(to_string(granted->cpus));
    return Exit::kYes;
  }
  const auto done = apply_pin(ports, *ground, options.ask, *target, options.memory, options.others);
  if (!done) return fail(io, done.error());
  io.out.line(to_string(done->grant.cpus));
  say_done(io, options, *ground, *done);
  return Exit::kYes;
}

FlagSet::Take target_into(const std::shared_ptr<PinApplyOptions>& options, std::string& text) {
  return [options, &text](const std::string& given) -> Status {
    if (given.empty()) return invalid_input("nothing is named", {}, "give a name or an id");
    text = given;
    ++options->targets;
    return {};
  };
}

Run add_pin_apply(FlagSet& flags) {
  auto options = std::make_shared<PinApplyOptions>();
  flags.heading("What to pin");
  flags.add({.name = "pid", .value = "PID", .help = "This process, all its threads", .once = true},
            [options](const std::string& text) -> Status {
              GEDGE_TRY(number_into(options->pid, std::numeric_limits<int>::max())(text));
              if (options->pid == 0)
                return invalid_input("'0' is no process", {}, "look with `ps`");
              ++options->targets;
              return {};
            });
  flags.add({.name = "cgroup",
             .value = "PATH",
             .help = "This control group, and those in it",
             .live = Live::kFiles,
             .once = true},
            target_into(options, options->cgroup));
  flags.add({.name = "container",
             .value = "ID",
             .help = "The control group of this container",
             .once = true},
            target_into(options, options->container));
  flags.add({.name = "undo", .help = "Make it as it was before"}, options->undo);
  add_ask_flags(flags, options->ask);
  add_mode_flag(flags, options->ask);
  flags.add({.name = "memory",
             .value = "MODE",
             .help = "Bind a group's memory, or move a process's",
             .words = {"bind", "preferred"}},
            [options](const std::string& word) -> Status {
              options->memory = word == "bind" ? MemoryMode::kBind : MemoryMode::kPreferred;
              return {};
            });
  add_others_flags(flags, options->others);
  flags.heading("How");
  add_state_flag(flags, options->state_dir);
  flags.add({.name = "dry-run", .help = "Print the CPUs and change nothing"}, options->dry_run);
  add_talk_flags(flags, options->output);
  return [options](Io& io) { return run_pin_apply(*options, io); };
}

}  // namespace

Command pin_apply_command() { return {&kPage, Group::kPin, add_pin_apply}; }

}  // namespace gedge::cli
