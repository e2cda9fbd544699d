// cmd_simulate.cpp - "gedge simulate SCENARIO": time, load and failures against the real scheduler,
// in memory.
#include <algorithm>
#include <limits>
#include <memory>
#include <optional>

#include "cmd.hpp"
#include "gedge/codec/scenario.hpp"
#include "gedge/codec/synthetic.hpp"
#include "gedge/codec/write_simulation.hpp"
#include "render/numbers.hpp"
#include "render/simulation_view.hpp"
#include "report.hpp"
#include "simulation.hpp"
#include "term/diagnostics.hpp"

namespace gedge::cli {
namespace {

constexpr Example kExamples[] = {
    {"gedge simulate examples/failover.yaml",
     "A node dies, and its replicas are placed again within their budgets:"},
    {"gedge simulate examples/failover.yaml --runs 10000",
     "The same ten thousand times, each with other faults between scheduler and cluster:"},
};
constexpr Page kPage{
    .name = "simulate",
    .summary = "Play time, load and failures against the scheduler",
    .usage = "SCENARIO [--seed N] [--runs N] [--profile NAME|FILE] [-o FORMAT] [FLAG]...",
    .description =
        "Runs the loop of `gedge schedule --watch` in a cluster that is simulated, on a clock that "
        "jumps from one event to the next: an hour takes milliseconds. Controllers make pods anew, "
        "nodes that fall silent are tainted and emptied, and the same seed gives the same bytes. "
        "Every pod is this scheduler's.\n\n"
        "A scenario is YAML or JSON of `apiVersion: gedge.io/v1alpha1` and `kind: Scenario`. "
        "`cluster`, `rtt` and `manifests` are what `--cluster`, `--rtt` and `-f` of "
        "gedge-plan(1) take, one or a list; files lie beside the scenario. `seed` is a number, "
        "`duration` the time that passes (10m). Times have a unit: us, ms, s, m or h.\n\n"
        "`events` is a list; each has a time `at` and one of `add: FILE`, `remove: WORKLOAD`, "
        "`scale: WORKLOAD` with `replicas: N`, `edit: EDIT`, `fail: NODE`, `recover: NODE` and "
        "`finish: POD`, or a list of such. A workload is `[NAMESPACE/]KIND/NAME`, a pod "
        "`[NAMESPACE/]NAME`, an EDIT what `--what-if` of gedge-plan(1) takes: "
        "`rtt/edge-1,edge-2=9ms`, `node/edge-1:drain`.\n\n"
        "`timing` says how long things take: `nodeGrace` (40s) until a silent node counts as "
        "unreachable, `evictAfter` (300s) until its pods are deleted, `podStart` (2s), `podStop` "
        "(1s), `answer` and `watch` (5ms) of the API server. Pods that tolerate everything, and "
        "those of DaemonSets, stay.\n\n"
        "`faults` says what goes wrong between scheduler and cluster: shares, as in 5%, "
        "`lostBinds`, "
        "`lostAnswers`, `refusedBinds`, `lostReads`, `watchRepeats`, `watchBreaks` and "
        "`restarts` (of the scheduler, a bind), delays of up to `slowAnswers` and `lateWatch`, "
        "`watchOutage`: for how long a watch that broke is away, at most, the `timeout` (2s) of "
        "what is lost, and `churn`: how often somebody deletes, replaces or "
        "finishes a pod, or cordons, fails or removes a node. After the end of the scenario there "
        "are two minutes or more without faults.\n\n"
        "At every bind it is checked that no pod is bound twice (I-1), no node holds more than it "
        "has (I-2), nothing is bound where it cannot be as far as the scheduler was told, or by "
        "what was told more than a minute ago (I-4), and no more binds are under way than may be, "
        "groups and pods with budgets towards each other apart (I-9); in every turn, that the "
        "scheduler keeps nothing beyond what it was told and has asked for (I-8), and that every "
        "attempt leads to a bind, to volumes or to a reason, after which time goes on (I-11). When "
        "nothing has happened for half a minute, what it knows of pods and nodes is what is there "
        "(I-6); at the end nobody who fits waits, and nothing more is asked or written (I-5).\n\n"
        "With `--runs` a scenario without faults gets some of every kind, and each run has another "
        "seed. The first and every hundredth after it are played twice, and must go the same way "
        "(I-10).",
    .output =
        "A table with one line an event: its time, what happened, to which pod and node; of a bind "
        "the tightest delay budget, and what pod it stands for. `wide` adds pods that are created, "
        "run and are gone. With more than one of `--runs`, one line of counts. `json` and `yaml` "
        "print one object "
        "of "
        "kind Simulation. How it ended is said on standard error; where an invariant did not hold, "
        "with the seed, and the exit status is 70.",
    .examples = kExamples,
    .yes =
        "all pods are placed within their budgets at the end; with more than one of --runs, all "
        "invariants held",
    .no = "some pod has no place at the end, or is over a delay budget",
    .see_also = "gedge-plan(1) gedge-schedule(1) gedge-policies(7)",
};

constexpr std::uint64_t kMostRuns = 100'000'000;
constexpr std::uint64_t kTwiceEvery = 100;  // of the seeds of --runs one is played twice
constexpr std::size_t kMostBreachesSaid = 3;

struct SimulateOptions {
  std::string scenario;
  RuleOptions rules;
  OutputOptions output;
  InputOptions input;  // of what the scenario names
  std::optional<std::uint64_t> seed;
  std::uint64_t runs = 0;  // 0: as it is written, once
  std::string retyped;     // the flags that shape the answer, for whoever plays it again
};

// What may go wrong does.
ScenarioFaults all_faults() {
  ScenarioFaults faults;
  faults.lost_binds = faults.lost_answers = 80'000;
  faults.refused_binds = faults.watch_repeats = 50'000;
  faults.lost_reads = 300'000;
  faults.watch_breaks = faults.restarts = 20'000;
  faults.slow_answers = faults.late_watch = Nanos{2'000'000'000};
  faults.churn = Nanos{4'000'000'000};
  return faults;
}

bool is_no_file(const std::string& source) {
  return is_synthetic(source) || source == "live" || source.starts_with("live:");
}

// Beside the scenario, unless it says where.
std::vector<std::string> beside(const std::string& scenario,
                                const std::vector<std::string>& names) {
  const std::size_t slash = scenario.rfind('/');
  const std::string folder = slash == std::string::npos ? "" : scenario.substr(0, slash + 1);
  std::vector<std::string> paths;
  for (const std::string& name : names)
    paths.push_back(is_no_file(name) || name.starts_with('/') ? name : folder + name);
  return paths;
}

class Preparation {
 public:
  Preparation(Io& io, SimulateOptions& options)
      : io_(io),
        options_(options),
        progress_(io.err, options.output.quiet, io.clock),
        ticker_(progress_),
        reader_(io, options.input, options.rules.compat(), progress_, true) {}

  /// Everything that is played; an exit code if that failed, and everything is printed then.
  std::optional<Exit> read(Stage& stage);
  ProgressLine& progress() { return progress_; }

 private:
  bool read_scenario_file(Stage& stage, Errors& errors);
  bool read_facts(Stage& stage);

  Io& io_;
  SimulateOptions& options_;
  ProgressLine progress_;
  ProgressTicker ticker_;
  InputReader reader_;
};

bool Preparation::read_scenario_file(Stage& stage, Errors& errors) {
  const std::string* const bytes = reader_.bytes_of(options_.scenario);
  if (bytes == nullptr) return false;
  const std::string name = options_.scenario == "-" ? std::string(kStdinName) : options_.scenario;
  ScenarioReading reading = read_scenario({name, *bytes, 0});
  errors = std::move(reading.errors);
  if (!reading.scenario) return false;
  stage.scenario = *std::move(reading.scenario);
  if (options_.runs > 0 && !stage.scenario.faults.any()) stage.scenario.faults = all_faults();
  options_.input.cluster = beside(options_.scenario, stage.scenario.cluster);
  options_.input.rtt = beside(options_.scenario, stage.scenario.rtt);
  options_.input.files = beside(options_.scenario, stage.scenario.manifests);
  return true;
}

bool Preparation::read_facts(Stage& stage) {
  auto begin = reader_.read();
  if (!begin) return false;
  stage.begin = *std::move(begin);
  std::vector<std::string> added;
  for (const ScenarioEvent& event : stage.scenario.events) {
    if (event.kind != ScenarioEvent::Kind::kAdd) continue;
    added.push_back(beside(options_.scenario, {event.subject}).front());
    auto with = reader_.read(added);
    if (!with) return false;
    stage.added.push_back(std::move(with->facts));
  }
  return true;
}

std::optional<Exit> Preparation::read(Stage& stage) {
  Errors errors;
  const bool is_read = read_scenario_file(stage, errors) && read_facts(stage);
  Errors more = reader_.take_errors();
  if (is_read) {
    const Errors wrong = load_rules(options_.rules, reader_, stage.rules);
    more.insert(more.end(), wrong.begin(), wrong.end());
  }
  errors.insert(errors.end(), more.begin(), more.end());
  progress_.erase();
  if (!is_read && errors.empty())
    errors.push_back(invalid_input("no nodes in " + options_.scenario, {},
                                   "name a cluster: `cluster: synthetic:nodes=6`"));
  if (!errors.empty()) return fail(io_, errors, options_.output);
  return std::nullopt;
}

Exit show(Io& io, const SimulateOptions& options, const Simulation& simulation) {
  const Format format = options.output.format;
  if (format == Format::kJson || format == Format::kYaml) {
    io.out.write(write(simulation, text_format(format)));
  } else {
    TableOptions table;
    table.wide = format == Format::kWide;
    table.headers = !options.output.no_headers;
    const Status printed = options.runs > 1 ? print_runs(io.out, simulation, table)
                                            : print_simulation(io.out, simulation, table);
    if (!printed) return fail_usage(io, printed.error());
  }
  io.out.flush();
  return Exit::kYes;
}

Exit say_breaches(Io& io, const SimulateOptions& options, const Simulation& simulation) {
  std::size_t said = 0;
  for (const Breach& breach : simulation.breaches) {
    if (++said > kMostBreachesSaid) break;
    const std::string again = io.program + " simulate " + options.scenario + options.retyped +
                              " --seed " + std::to_string(breach.seed) +
                              (options.runs > 0 ? " --runs 1" : "") + " -o wide";
    print_error(io.err, {Errc::kInternal,
                         breach.invariant + " does not hold with seed " +
                             std::to_string(breach.seed) + ": " + breach.text,
                         {},
                         "`" + again + "` shows what led to it"});
  }
  if (simulation.breaches.size() > kMostBreachesSaid)
    io.err.line("... and " + std::to_string(simulation.breaches.size() - kMostBreachesSaid) +
                " more");
  return Exit::kBug;
}

Exit run_simulate(SimulateOptions options, Io& io) {
  if (options.rules.profile == "-" && options.scenario == "-")
    return fail_usage(io, invalid_input("standard input can be only one of scenario and profile"));
  Stage stage;
  Preparation preparation(io, options);
  if (const auto stopped = preparation.read(stage)) return *stopped;
  const std::uint64_t first = options.seed.value_or(stage.scenario.seed);
  std::optional<Simulation> all;
  for (std::uint64_t i = 0; i < std::max<std::uint64_t>(options.runs, 1); ++i) {
    preparation.progress().show("simulating", i, options.runs);
    const bool is_twice = options.runs > 0 && i % kTwiceEvery == 0;
    auto run = is_twice ? simulate_twice(stage, first + i, options.runs < 2)
                        : simulate(stage, first + i, options.runs < 2);
    if (!run) preparation.progress().erase();
    if (!run) return fail(io, run.error());
    if (all)
      add(*all, *std::move(run));
    else
      all = *std::move(run);
  }
  preparation.progress().erase();
  if (const Exit shown = show(io, options, *all); shown != Exit::kYes) return shown;
  report_input(io, stage.begin.facts.warnings, stage.begin.facts.skipped, options.output);
  if (!options.output.quiet && options.runs < 2) print_simulation_summary(io.err, *all);
  if (!all->breaches.empty()) return say_breaches(io, options, *all);
  return options.runs > 1 || all->all_placed() ? Exit::kYes : Exit::kNo;
}

Run add_simulate(FlagSet& flags) {
  auto options = std::make_shared<SimulateOptions>();
  flags.add({.name = "SCENARIO",
             .value = "FILE|-",
             .help = "What is to be played",
             .live = Live::kFiles,
             .operand = true,
             .required = true},
            options->scenario);
  flags.heading("How to play it");
  flags.add(
      {.name = "runs", .value = "N", .help = "Play it N times with faults, each another seed"},
      number_into(options->runs, kMostRuns, 1));
  flags.add({.name = "seed", .value = "N", .help = "Instead of the seed of the scenario"},
            [options = options.get()](const std::string& text) {
              std::uint64_t seed = 0;
              const Status taken =
                  number_into(seed, std::numeric_limits<std::uint64_t>::max())(text);
              if (taken) options->seed = seed;
              return taken;
            });
  add_profile_flags(flags, options->rules);
  add_output_flags(flags, options->output, {"table", "wide", "json", "yaml"}, false);
  add_limit_flags(flags, options->input);
  add_talk_flags(flags, options->output);
  return [options, &flags](Io& io) {
    options->retyped = flags.retyped();
    return run_simulate(*options, io);
  };
}

}  // namespace

Command simulate_command() { return {&kPage, Group::kLook, add_simulate}; }

}  // namespace gedge::cli
