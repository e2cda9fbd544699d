// cmd_scale_simulate.cpp - "gedge scale simulate": autoscalers against a load that was recorded.
#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "choices.hpp"
#include "cmd.hpp"
#include "gedge/base/quantity.hpp"
#include "gedge/codec/load_series.hpp"
#include "gedge/codec/write_load.hpp"
#include "gedge/scale/load_run.hpp"
#include "gedge/scale/requested.hpp"
#include "gedge/scale/site_run.hpp"
#include "input.hpp"
#include "render/load_view.hpp"
#include "report.hpp"
#include "scale_input.hpp"
#include "scale_sites.hpp"
#include "term/text.hpp"

namespace gedge::cli {
namespace {

constexpr Example kExamples[] = {
    {"gedge scale simulate --metrics examples/scale/spike.csv --spec examples/scale/web-hpa.yaml",
     "A spike of two minutes:"},
    {"gedge scale simulate --metrics examples/scale/spike.csv --spec examples/scale/web-hpa.yaml "
     "--profile hpa --profile gs-engine",
     "Two profiles to scale, side by side:"},
    {"gedge scale simulate --metrics examples/scale/rush.csv --spec examples/scale/sites.yaml -f "
     "examples/scale/sites.yaml --cluster synthetic:nodes=5,tiers=2/2/1 -o wide",
     "A rush that is more than the nearest site can take:"},
};
constexpr Page kPage{
    .name = "scale simulate",
    .summary = "Play a recorded load against autoscalers",
    .usage =
        "--metrics FILE --spec FILE... [--profile NAME]... [--cluster SOURCE]... [-f FILE]... "
        "[--startup DURATION] [-o FORMAT]",
    .description =
        "Replays a load on a clock that jumps from one moment to the next, as a closed loop: the "
        "load is the total demand, the pods that are ready share it evenly, and what each of them "
        "has is what the metric says. Pods are ready `--startup` after they were asked for. Every "
        "autoscaler of the `--spec` files is played by each `--profile`, and all are "
        "compared.\n\n"
        "The load is CSV: lines of `time,value[,site]`, sorted by time, values of several sites "
        "added up; each holds until the next one, the last as long as the one before. Times are "
        "RFC 3339, `2014-04-10 00:04`, or seconds. The demand has the unit of "
        "the target: requests per second for a metric of that kind; for a utilization what pods "
        "use in all (cores, or bytes); what one of them requests is said by `--request`, else by "
        "its workload, if that is in a file of `--spec` or `-f`. An autoscaler has one "
        "metric here, and its name does not matter.\n\n"
        "`hpa` follows `behavior`, or the rules of an object without one. `gs-engine` takes the "
        "same proposals, goes out at most once in three minutes, and in not before five minutes "
        "after the last change. The run begins with as many replicas as the load needs, or with "
        "`--replicas`.\n\n"
        "An Autoscaler of gedge.io/v1alpha1 may have `sites`: `order`, a list of values of the "
        "node label `label` (topology.kubernetes.io/zone), the first of which is home. Then "
        "`--cluster`, `--rtt` and `-f` say what nodes there are, how far they are from each "
        "other and what the pods are, as for gedge-plan(1), and every replica is placed by the "
        "planner, with its profile edge. More replicas first go out at home, as many as fit; then "
        "those at home go up by `up` (`resource`, `step`, `most`), as far as their nodes have it; "
        "then others go over to the next sites in the order, up to `max` in all, but to none whose "
        "RTT from home is beyond `budget` (20ms) or unknown. Fewer are the reverse: the farthest "
        "leave first, then replicas shrink, then leave. When home has room again, far replicas "
        "come back.\n\n"
        "A move is a look at which replicas go over or come back. One over comes no sooner than "
        "`overAfterSeconds` (60) after the last move, one back no sooner than "
        "`returnAfterSeconds` (300): of o moves over and b back within any T seconds, 60 o + 300 b "
        "<= T + 300.\n\n"
        "With `choose: demand` sites have no order: a replica comes where it removes most latency "
        "for those who ask, the one leaves whose loss costs least, and every "
        "`returnAfterSeconds` up to a quarter may move, where that gains a twentieth. The third "
        "column of the load says who asks from where; without it all ask from home. `choose: "
        "spread` is the even spread that others do, to compare. Those who ask go to the nearest "
        "replicas that have room, up to `fullPercent` (125) of the target.",
    .output =
        "One line a run: changes, time above the target, replica hours, and how long it took until "
        "enough pods were ready, on average and at worst; below, a drawing: `#` is ready, `+` "
        "starts, `!` is needed and not there. With sites, a line each, how many moves there were, "
        "and the RTT of those who ask, weighted with demand and time; `wide` adds every step. "
        "`svg` "
        "and `png` draw the same. `json` and `yaml` print one object of kind ScaleSimulation, with "
        "every step, and for each replica that is left the pod-deletion-cost that makes a "
        "ReplicaSet choose as gedge would.",
    .examples = kExamples,
    .yes = "the load is played",
    .see_also = "gedge-plan(1) gedge-scale-explain(1) gedge-scale-recommend(1) gedge-scale-run(1)",
};

enum class Look : std::uint8_t { kTable, kWide, kSvg, kPng, kJson, kYaml };
constexpr Words<Look, 6> kLooks{{{"table", Look::kTable},
                                 {"wide", Look::kWide},
                                 {"svg", Look::kSvg},
                                 {"png", Look::kPng},
                                 {"json", Look::kJson},
                                 {"yaml", Look::kYaml}}};

struct SimulateOptions : ScaleOptions {
  std::string load;
  std::vector<std::string> specs, profiles;
  Nanos startup = std::chrono::seconds(LoadSetting{}.startup_s);
  Nanos every = std::chrono::seconds(LoadSetting{}.every_s);
  std::uint64_t replicas = 0;
  std::int64_t request_milli = 0;
  Look look = Look::kTable;
};

bool has_sites(const LoadSetting& setting) { return setting.autoscaler.sites.has_value(); }

std::int64_t seconds(Nanos span) {
  return std::chrono::duration_cast<std::chrono::seconds>(span).count();
}

bool is_share(const Autoscaler& autoscaler) {
  return autoscaler.metrics.size() == 1 &&
         autoscaler.metrics.front().target == TargetKind::kUtilization;
}

// Of a pod, as its workload declares it; 0: nobody knows.
std::int64_t declared_milli(const Autoscaler& autoscaler, const ScaleFacts& facts, Compat compat) {
  if (!is_share(autoscaler)) return 0;
  const auto own =
      std::find_if(facts.targets.begin(), facts.targets.end(), [&](const ScaleTarget& target) {
        return target.namespace_name == autoscaler.namespace_name &&
               target.kind == autoscaler.target.kind && target.name == autoscaler.target.name;
      });
  if (own == facts.targets.end()) return 0;
  return requested_milli(own->made_of, autoscaler.metrics.front(), compat).value_or(0);
}

// The workloads of `-f`, which say what pods request, beside those of `--spec`. What is wrong with
// those files is said where nodes and pods are read.
void add_workloads(Io& io, const SimulateOptions& options, ProgressLine& progress,
                   ScaleFacts& facts) {
  const std::vector<std::string>& files = options.input.files;
  const bool asks = std::any_of(facts.autoscalers.begin(), facts.autoscalers.end(), is_share);
  if (!asks || options.request_milli > 0 || files.empty() ||
      std::find(files.begin(), files.end(), "-") != files.end())
    return;
  ScaleLoadResult more = read_scale_files(io, options, files, progress);
  if (!more.facts) return;
  for (ScaleTarget& target : more.facts->targets) facts.targets.push_back(std::move(target));
}

std::vector<LoadSetting> settings_of(const SimulateOptions& options, const ScaleFacts& facts) {
  std::vector<std::string> profiles = options.profiles;
  if (profiles.empty()) profiles.emplace_back("hpa");
  std::vector<LoadSetting> settings;
  for (const Autoscaler& autoscaler : facts.autoscalers)
    for (const std::string& profile : profiles) {
      LoadSetting setting;
      setting.autoscaler = autoscaler;
      setting.name = autoscaler.name + " " + profile;
      if (profile == "gs-engine") setting.cooldown.emplace();
      setting.every_s = std::max<std::int64_t>(seconds(options.every), 1);
      setting.startup_s = seconds(options.startup);
      setting.first = static_cast<std::int32_t>(options.replicas);
      setting.request_milli = options.request_milli > 0
                                  ? options.request_milli
                                  : declared_milli(autoscaler, facts, options.rules.compat());
      settings.push_back(std::move(setting));
    }
  return settings;
}

Exit show(Io& io, const SimulateOptions& options, const LoadRuns& runs) {
  TableOptions table;
  table.headers = !options.output.no_headers;
  table.wide = options.look == Look::kWide;
  const Compat compat = options.rules.compat();
  switch (options.look) {
    case Look::kTable:
    case Look::kWide:
      if (const Status shown = print_load(io.out, runs, table); !shown)
        return fail(io, shown.error());
      break;
    case Look::kSvg:
      io.out.write(load_svg(runs));
      break;
    case Look::kPng: {
      const auto picture = load_png(runs);
      if (!picture) return fail(io, picture.error());
      io.out.write(*picture);
      break;
    }
    case Look::kJson:
      io.out.write(write(runs, compat, TextFormat::kJson));
      break;
    case Look::kYaml:
      io.out.write(write(runs, compat, TextFormat::kYaml));
      break;
  }
  io.out.flush();
  return Exit::kYes;
}

std::optional<Error> check(const SimulateOptions& options, const Io& io) {
  if (options.load.empty())
    return invalid_input("no load to play", {}, "name one: `--metrics load.csv`");
  if (options.specs.empty())
    return invalid_input("no autoscaler to play", {}, "name a file with one: `--spec hpa.yaml`");
  if (options.load == "-" && std::count(options.specs.begin(), options.specs.end(), "-") > 0)
    return invalid_input("standard input can be read only once");
  if (options.look == Look::kPng && io.out.is_terminal())
    return invalid_input("a terminal cannot show a PNG file", {},
                         "send it to one: `-o png > load.png`");
  return std::nullopt;
}

LoadReading read_load(Io& io, const SimulateOptions& options, ProgressLine& progress) {
  constexpr std::size_t kPadding = 64;
  InputReader reader(io, options.input, options.rules.compat(), progress);
  const std::string* const bytes = reader.bytes_of(options.load);
  if (bytes != nullptr)
    return read_load_series({options.load == "-" ? "<stdin>" : options.load, *bytes, kPadding});
  return {std::nullopt, {}, reader.take_errors()};
}

Exit run_simulate(const SimulateOptions& options, Io& io) {
  if (const auto wrong = check(options, io)) return fail_usage(io, *wrong);
  ProgressLine progress(io.err, options.output.quiet, io.clock);
  LoadReading load = read_load(io, options, progress);
  ScaleLoadResult specs = read_scale_files(io, options, options.specs, progress);
  progress.erase();
  Errors errors = std::move(load.errors);
  errors.insert(errors.end(), specs.errors.begin(), specs.errors.end());
  if (!errors.empty()) return fail(io, errors, options.output);
  if (specs.facts->autoscalers.empty())
    return fail(io, invalid_input("no autoscaler in " + options.specs.front(), {},
                                  "a HorizontalPodAutoscaler says how to scale"));
  add_workloads(io, options, progress, *specs.facts);
  progress.erase();
  const std::vector<LoadSetting> settings = settings_of(options, *specs.facts);
  std::optional<ScaleSites> sites;
  if (std::any_of(settings.begin(), settings.end(), has_sites)) {
    sites.emplace(io, options.input, options.rules);
    if (const auto stopped = sites->read(progress, options.output)) return *stopped;
  } else if (!options.input.cluster.empty() || !options.input.files.empty()) {
    return fail_usage(io, invalid_input("no autoscaler has sites", {},
                                        "without them nodes and pods are not looked at: leave out "
                                        "`--cluster` and `-f`"));
  }
  LoadRuns runs;
  for (const LoadSetting& setting : settings) {
    progress.show("playing", runs.size(), settings.size());
    auto run = has_sites(setting) ? sites->play(load, setting, options.settings())
                                  : run_load(*load.series, setting, options.settings());
    progress.erase();
    if (!run) return fail(io, in_file(std::move(run).error(), setting.autoscaler, *specs.facts));
    runs.push_back(*std::move(run));
  }
  const Exit code = show(io, options, runs);
  report_input(io, specs.warnings, specs.skipped, options.output);
  if (sites) report_input(io, sites->warnings(), {}, options.output);
  return code;
}

FlagSet::Take request_into(std::int64_t& target) {
  return [&target](const std::string& text) -> Status {
    const auto milli = parse_milli(text);
    if (!milli || *milli <= 0)
      return invalid_input("'" + text + "' is no request of a pod", {},
                           "write for example `500m` or `2`");
    target = *milli;
    return {};
  };
}

void add_input_flags(FlagSet& flags, SimulateOptions& options) {
  flags.heading("What to play");
  flags.add({.name = "metrics",
             .value = "FILE|-",
             .help = "The load, as CSV: time,value[,site]",
             .live = Live::kFiles},
            options.load);
  flags.add({.name = "spec",
             .value = "FILE|DIR|-",
             .help = "Read autoscalers; each is played",
             .live = Live::kFiles,
             .repeats = true},
            options.specs);
  flags.add({.name = "profile",
             .value = "NAME",
             .help = "How changes are limited: hpa or gs-engine",
             .fallback = "hpa",
             .words = {"hpa", "gs-engine"},
             .repeats = true},
            options.profiles);
}

Run add_simulate(FlagSet& flags) {
  auto options = std::make_shared<SimulateOptions>();
  options->keep_objects = true;
  add_input_flags(flags, *options);
  flags.heading("The pods");
  flags.add({.name = "startup",
             .value = "DURATION",
             .help = "From asking for a pod until it is ready",
             .fallback = "10s"},
            span_into(options->startup, true));
  flags.add({.name = "replicas",
             .value = "N",
             .help = "Pods at first; 0: as the load needs",
             .fallback = "0"},
            number_into(options->replicas, 1'000'000));
  flags.add({.name = "request",
             .value = "AMOUNT",
             .help = "What a pod requests; else its workload says it"},
            request_into(options->request_milli));
  add_file_flags(flags, options->input);
  add_cluster_flags(flags, options->input);
  add_rtt_flags(flags, options->input);
  add_controller_flags(flags, *options);
  flags.add({.name = "every",
             .value = "DURATION",
             .help = "From one look at the metric to the next",
             .fallback = "15s"},
            span_into(options->every, false));
  flags.heading("How to show it");
  const std::vector<std::string> words = list_of(kLooks);
  flags.add({.name = "output",
             .letter = 'o',
             .value = "FORMAT",
             .help = "Print as " + join_words(words, ", ", " or "),
             .fallback = words.front(),
             .words = words},
            word_into(kLooks, options->look));
  flags.add({.name = "no-headers", .help = "Leave out the header line"},
            options->output.no_headers);
  add_live_flags(flags, options->input);
  add_limit_flags(flags, options->input);
  add_talk_flags(flags, options->output);
  return [options](Io& io) { return run_simulate(*options, io); };
}

}  // namespace

Command scale_simulate_command() { return {&kPage, Group::kWork, add_simulate}; }

}  // namespace gedge::cli
