// cmd_pin_run.cpp - "gedge pin run": a command on CPUs that nobody else gets.
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cmd.hpp"
#include "gedge/drive/run_pinned.hpp"
#include "gedge/io/system_pins.hpp"
#include "options.hpp"
#include "report.hpp"
#include "term/diagnostics.hpp"

namespace gedge::cli {
namespace {

constexpr Example kExamples[] = {
    {"gedge pin run --cpus 2 -- ffmpeg -i in.mkv out.mp4", "An encoder with two CPUs of its own:"},
    {"gedge pin run --cpus 4 --policy single-numa-node --memory bind -- ./solver",
     "All in one NUMA node, memory too, or not at all:"},
    {"gedge pin run --cpus 2 --dry-run -- true", "Which CPUs would that be?"},
};
constexpr Page kPage{
    .name = "pin run",
    .summary = "Run a command on CPUs of its own",
    .usage = "[--cpus N] [--policy POLICY]... [--memory MODE] [FLAG]... -- COMMAND [ARG]...",
    .description =
        "Chooses CPUs that no other `gedge pin run` holds, as the kubelet's static policy does on "
        "the machine as it is, and runs COMMAND on them: all its threads and processes inherit "
        "that before the first of them runs. Only CPUs that gedge itself may use are chosen, so "
        "`taskset -c 4-7 gedge pin run` chooses among four.\n\n"
        "`--policy` takes options of the kubelet's CPU manager and policies of its topology "
        "manager, by their names there. `--memory` says where memory is taken from: `bind`, only "
        "from the NUMA nodes of the CPUs; `preferred`, from there first; `interleave`, from these "
        "in turn.\n\n"
        "Signals are passed on to COMMAND. Its CPUs are free again when it has ended. Who holds "
        "what stands in `pin_state` of the state directory, in the form of cpu_manager_state, "
        "entries named PID-START; `lock` beside it lets one gedge at a time change it. Where gedge "
        "is killed, COMMAND goes on and holds its CPUs; what dead processes held, the next run "
        "takes out. Only those share CPUs well who share a state directory, in one namespace of "
        "processes. Others are not moved away, and processes that outlive COMMAND keep their CPUs "
        "without holding them.",
    .output =
        "What COMMAND prints. With `--dry-run` the CPUs, as `taskset -c` takes them. The exit code "
        "is that of COMMAND, 128 and the number where a signal ended it, 126 where it cannot be "
        "run, 127 where it is not found.",
    .examples = kExamples,
    .yes = "COMMAND has ended with 0",
    .see_also = "gedge-pin-plan(1) gedge-pin-show(1)",
};

struct PinRunOptions {
  CpuAsk ask;
  MemoryMode memory = MemoryMode::kDefault;
  std::string state_dir;
  bool dry_run = false;
  OutputOptions output;
  std::vector<std::string> command;
};

struct NamedOption {
  std::string_view name;
  bool StaticOptions::*option;
};
constexpr NamedOption kStaticOptions[] = {
    {"full-pcpus-only", &StaticOptions::full_pcpus_only},
    {"distribute-cpus-across-numa", &StaticOptions::distribute_cpus_across_numa},
    {"align-by-socket", &StaticOptions::align_by_socket},
    {"distribute-cpus-across-cores", &StaticOptions::distribute_cpus_across_cores},
    {"prefer-align-cpus-by-uncorecache", &StaticOptions::prefer_align_cpus_by_uncorecache},
};
struct NamedPolicy {
  std::string_view name;
  TopologyPolicy policy;
};
constexpr NamedPolicy kTopologyPolicies[] = {
    {"best-effort", TopologyPolicy::kBestEffort},
    {"restricted", TopologyPolicy::kRestricted},
    {"single-numa-node", TopologyPolicy::kSingleNumaNode},
};

std::vector<std::string> policy_words() {
  std::vector<std::string> words;
  for (const NamedOption& named : kStaticOptions) words.emplace_back(named.name);
  for (const NamedPolicy& named : kTopologyPolicies) words.emplace_back(named.name);
  return words;
}

Status take_policy(CpuAsk& ask, const std::string& word) {
  for (const NamedOption& named : kStaticOptions)
    if (named.name == word) ask.options.*named.option = true;
  for (const NamedPolicy& named : kTopologyPolicies) {
    if (named.name != word) continue;
    if (ask.topology != TopologyPolicy::kNone && ask.topology != named.policy)
      return invalid_input("two policies of the topology manager are given", {},
                           "give one of best-effort, restricted and single-numa-node");
    ask.topology = named.policy;
  }
  return {};
}

Status take_memory(MemoryMode& memory, const std::string& word) {
  memory = word == "bind"        ? MemoryMode::kBind
           : word == "preferred" ? MemoryMode::kPreferred
                                 : MemoryMode::kInterleave;
  return {};
}

Result<PinGround> read_ground() {
  auto machine = read_cpus("");
  if (!machine) return std::move(machine).error();
  auto usable = usable_cpus();
  if (!usable) return std::move(usable).error();
  return PinGround{*std::move(machine), *std::move(usable)};
}

Exit say_what_would_be(const PinRunOptions& options, Io& io, PinStore& store,
                       const PinGround& ground) {
  const auto granted = foresee(store, SystemProcesses(), ground, options.ask);
  if (!granted) return fail(io, granted.error());
  io.out.line(to_string(granted->cpus));
  return Exit::kYes;
}

// A command that ran decides the exit code, whatever else went wrong.
Exit report_run(Io& io, const PinnedRun& run) {
  if (!run.released) {
    Error error = run.released.error();
    error.hint = "the next `gedge pin run` takes out what dead processes held";
    print_error(io.err, error);
  }
  if (run.not_begun) {
    const Exit refused = fail(io, run.not_begun->error);
    return run.not_begun->status == 0 ? refused : static_cast<Exit>(run.not_begun->status);
  }
  return static_cast<Exit>(run.status);
}

Exit run_pin_run(const PinRunOptions& options, Io& io) {
  if (options.command.empty())
    return fail_usage(io,
                      invalid_input("no command is given", {},
                                    '`' + io.program + " pin run [FLAG]... -- COMMAND [ARG]...`"));
  const auto ground = read_ground();
  if (!ground) return fail(io, ground.error());
  DiskPinStore store(options.state_dir.empty() ? default_pin_directory(io.runtime_directory)
                                               : options.state_dir);
  if (options.dry_run) return say_what_would_be(options, io, store, *ground);
  SystemLaunch launch(options.command);
  const auto run =
      run_pinned(store, SystemProcesses(), launch, *ground, options.ask, options.memory);
  if (!run) return fail(io, run.error());
  return report_run(io, *run);
}

Run add_pin_run(FlagSet& flags) {
  auto options = std::make_shared<PinRunOptions>();
  flags.heading("Which CPUs");
  flags.add({.name = "cpus", .value = "N", .help = "How many CPUs", .fallback = "1"},
            [options](const std::string& text) -> Status {
              std::uint64_t cpus = 0;
              GEDGE_TRY(number_into(cpus, CpuSet::kLast + 1)(text));
              if (cpus == 0)
                return invalid_input("'0' is no number of CPUs", {}, "ask for 1 at least");
              options->ask.cpus = static_cast<int>(cpus);
              return {};
            });
  flags.add({.name = "policy",
             .value = "POLICY",
             .help = "Choose and refuse as with this kubelet's option",
             .words = policy_words(),
             .repeats = true},
            [options](const std::string& word) { return take_policy(options->ask, word); });
  flags.add({.name = "memory",
             .value = "MODE",
             .help = "Take memory from the NUMA nodes of the CPUs",
             .words = {"bind", "preferred", "interleave"}},
            [options](const std::string& word) { return take_memory(options->memory, word); });
  flags.heading("How");
  flags.add({.name = "state-dir",
             .value = "DIR",
             .help = "Where it stands who holds which CPUs",
             .live = Live::kFiles},
            options->state_dir);
  flags.add({.name = "dry-run", .help = "Print the CPUs and run nothing"}, options->dry_run);
  add_talk_flags(flags, options->output);
  flags.add_behind_dashes(options->command);
  return [options](Io& io) { return run_pin_run(*options, io); };
}

}  // namespace

Command pin_run_command() { return {&kPage, Group::kPin, add_pin_run}; }

}  // namespace gedge::cli
