// cmd_measure.cpp - "gedge measure NODE...": probes places, or asks agents that do, and prints the
// round-trip times.
#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

#include "choices.hpp"
#include "cmd.hpp"
#include "gedge/codec/write_latency.hpp"
#include "gedge/drive/publish_pace.hpp"
#include "gedge/io/wall_clock.hpp"
#include "measure_collect.hpp"
#include "measure_format.hpp"
#include "measure_import.hpp"
#include "measure_publish.hpp"
#include "measure_targets.hpp"
#include "probe_options.hpp"
#include "render/measure_view.hpp"
#include "render/numbers.hpp"
#include "report.hpp"
#include "term/interrupt.hpp"
#include "term/text.hpp"

namespace gedge::cli {
namespace {

constexpr Example kExamples[] = {
    {"gedge measure localhost --count 3", "Three probes to this machine:"},
    {"gedge measure --cluster nodes.json -o json > rtt.json",
     "Every node of a cluster, for `--rtt rtt.json`:"},
    {"gedge measure edge-1=10.0.0.7 --method tcp --port 22 -o wide",
     "Without the right to send ICMP; refused handshakes count as answers:"},
    {"gedge measure --agents dns:gedge-agent.gedge-system.svc -o json > rtt.json",
     "What all agents of a cluster know:"},
    {"gedge measure --cluster live --from edge-1 --publish",
     "Every node of the cluster that kubectl talks to, for all who schedule there:"},
    {"gedge measure --import goldpinger http://goldpinger:8080 --cluster nodes.json",
     "What Goldpinger knows, by names of nodes:"},
};
constexpr Page kPage{
    .name = "measure",
    .summary = "Probe nodes, or ask agents, and print round-trip times",
    .usage =
        "{[NODE]... [--targets FILE] | --agents SOURCE... | --import KIND SOURCE...} [--cluster "
        "SOURCE]... [-o FORMAT] [FLAG]...",
    .description =
        "Sends probes to each NODE (a name, an address, or NAME=ADDRESS), to each line of "
        "`--targets`, or, where neither is given, to each node of `--cluster`, all of them at "
        "once, and prints what the answers took. Nodes of `--cluster` are reached at their "
        "InternalIP; other names are looked up.\n\n"
        "`icmp` needs no right where net.ipv4.ping_group_range covers your group, else "
        "CAP_NET_RAW. `tcp` times handshakes, which the kernel does itself; one that is refused "
        "is an answer too. `udp` needs an agent of gedge at the other end. `http` and `https` send "
        "GET / over a connection of their own and take the time from the request to the first "
        "byte of the answer, whatever it says: a round trip, and what the other end takes to "
        "begin. Connecting is not in it, but all must fit into `--timeout`.\n\n"
        "Times are taken from the kernel's stamps where it gives any, so that a busy machine does "
        "not look like a slow network; METHOD says `-userland` where it does not. With "
        "`--interval 0` probes leave in batches as fast as `--rate` allows: that finds out who "
        "answers, but times then contain the wait for the rest of the batch.\n\n"
        "Ctrl-C ends probing: what was settled by then is printed, nothing is published, and the "
        "exit status is 130. A second one ends at once.\n\n"
        "With `--watch` a new round of `--count` probes begins when the last one has ended, until "
        "Ctrl-C; a terminal shows the latest.\n\n"
        "With `--agents` nothing is probed: all agents are asked at once for what they have "
        "measured, and their answers become one matrix. SOURCE is the file of `gedge agent "
        "--peers` (an address in it may be a URL), dns:NAME, or URLs with commas between, each "
        "of which may be NAME=URL; a URL without a path means its `/matrix.json`. What is no URL "
        "is asked at `--port` (8787), over HTTPS where `--token-file`, `--ca-file` or "
        "`--insecure-skip-tls-verify` is given, else over HTTP. Redirects are not followed, and "
        "answers have 8 MiB at most.\n\n"
        "An agent is believed about itself only, under no name that the list, or an address of a "
        "node of `--cluster`, gives to another, and as long as its peers do not contradict it: "
        "reports that cannot be true are left out, others are marked as suspicious. Both "
        "directions of a pair are kept; where one is missing, budgets use the other. Agents that "
        "do not answer, and pairs that nobody knows, are named on standard error and never "
        "guessed.\n\n"
        "With `--import` the operands are files, folders or URLs that others have measured: "
        "`goldpinger` (a URL without a path means its `/check_all`, whose times are whole "
        "milliseconds of an HTTP call), `ping` (logs; `--from` names where they were written, else "
        "the name of the file does) or `any` format that `--rtt` reads. They are printed as if "
        "they had been measured; `gedge matrix convert` has more ways to read and to write files. "
        "Addresses become the names of the nodes of `--cluster`.\n\n"
        "With `--publish`, whatever was found out is kept in the cluster: one NodeLatency object "
        "of group gedge.io for each place that pairs begin at, named after it, by server-side "
        "apply. An object is written where a pair came or went, moved by more than a tenth and "
        "100 us, or was told an hour ago. `gedge plan --cluster live` and `gedge schedule` read "
        "them. The kind is created once, from share/gedge/manifests/nodelatencies.yaml; `--from` "
        "is then the name of a node. With `--cluster live` the nodes of that cluster are "
        "measured. With `--watch` each round is published; where the cluster does not take one, "
        "that is said, measuring goes on, and the next try comes after a pause, from 0.8 s to a "
        "minute.",
    .output =
        "One row a node: the least, median, 95th and 99th percentile and the largest round-trip "
        "time, the share of probes without an answer, and the number of answers; `wide` adds "
        "mean, mdev (standard deviation), jitter (rttvar of RFC 6298) and method. `json` and "
        "`yaml` print one object of kind LatencyMatrix, `edges` a list from,to,rtt_ms,..., `csv` a "
        "square table of the 95th percentile. What nobody answered is unmeasured: `-`, null or "
        "an empty cell, never 0. With `--agents` each ordered pair that begins at an agent is a "
        "row, with `--import` each ordered pair; NOTE says what is suspicious, and `json` and "
        "`yaml` "
        "list the agents and what became of them.",
    .examples = kExamples,
    .yes = "every node answered at least once, or every agent, and nothing is suspicious",
    .no = "some node or agent did not answer, or is not believed, or a pair is not known",
    .see_also = "gedge-agent(1) gedge-matrix-convert(1) gedge-matrix-show(1) gedge-plan(1)",
    .partly = "with --publish: the cluster did not take some of the objects",
};

constexpr Words<IpFamily, 3> kFamilies{
    {{"any", IpFamily::kAny}, {"4", IpFamily::kV4}, {"6", IpFamily::kV6}}};

constexpr std::string_view kHowToMeasure = "How to measure";  // what only probes look at

constexpr std::uint64_t kMostProbes = 1'000'000, kMostRate = 10'000'000;

struct MeasureCommand {
  TargetOptions targets;
  CollectCommand collect;
  ImportCommand imported;
  PublishCommand publication;
  OutputOptions output;
  MeasureOptions probing;
  MeasureFormat format = MeasureFormat::kTable;
  std::string from;
  std::uint64_t count = 10, size = 56, rate = 10'000;
  std::uint64_t port = 0;  // 0: that of the method
  bool watch = false;
  std::string about_probes;  // a flag under kHowToMeasure that was given
};

bool names_targets(const MeasureCommand& command) {
  return !command.targets.nodes.empty() || !command.targets.file.empty();
}

// `instead` is the flag with which nothing is probed.
Status check_idle(const MeasureCommand& command, const std::string& instead) {
  const std::string hint = "leave out one of it and `" + instead + "`";
  if (command.watch) return invalid_input("flag '--watch' shows probes", {}, hint);
  if (!command.about_probes.empty())
    return invalid_input("flag '--" + command.about_probes + "' is about probes", {}, hint);
  return {};
}

Status check_collect(const MeasureCommand& command) {
  if (names_targets(command))
    return invalid_input("flag '--agents' probes nothing itself", {},
                         "leave out the nodes, or `--agents`");
  if (!command.from.empty())
    return invalid_input("flag '--from' names a place that probes", {},
                         "leave out one of it and `--agents`");
  return check_idle(command, "--agents");
}

Status check_import(const MeasureCommand& command) {
  if (!command.collect.agents.empty() || !command.targets.file.empty())
    return invalid_input("flag '--import' probes nothing and asks no agents", {},
                         "leave out `--agents` and `--targets`, or `--import`");
  if (!command.from.empty() && command.imported.kind != ImportKind::kPing)
    return invalid_input("flag '--from' names where pings come from", {},
                         "leave it out, or write `--import ping`");
  if (command.targets.nodes.empty())
    return invalid_input("nothing to import", {}, "name a file or a URL; `-` is standard input");
  return check_idle(command, "--import");
}

Status check_web(const MeasureCommand& command) {
  const WebOptions& web = command.collect.web;
  if (!web.token_file.empty())
    return invalid_input("flag '--token-file' needs '--agents' or '--import'");
  const bool https = command.probing.method == ProbeMethod::kHttps;
  if (!https && (!web.ca_file.empty() || web.skip_verify))
    return invalid_input(
        "flags '--ca-file' and '--insecure-skip-tls-verify' need '--agents', '--import' or "
        "'--method "
        "https'");
  return {};
}

// The flags do not say which values they exclude together; this does.
Status check(const MeasureCommand& command) {
  if (command.imported.kind != ImportKind::kNothing) return check_import(command);
  if (command.targets.input.rtt_zero_is_value)
    return invalid_input("flag '--rtt-zero' needs '--import'");
  if (!command.collect.agents.empty()) return check_collect(command);
  GEDGE_TRY(check_web(command));
  GEDGE_TRY(check_port(command.probing.method, command.port));
  if (command.count == 0) return invalid_input("'--count 0' measures nothing");
  if (command.size < kLeastProbeSize || command.size > kMostProbeSize)
    return invalid_input("'--size " + std::to_string(command.size) + "' is no size of a probe", {},
                         "from " + std::to_string(kLeastProbeSize) + " to " +
                             std::to_string(kMostProbeSize) + " bytes");
  if (command.watch && !is_table(command.format))
    return invalid_input("flag '--watch' shows tables", {}, "leave out one of `-w` and `-o`");
  if (!names_targets(command) && command.targets.input.cluster.empty())
    return invalid_input("nothing to measure", {},
                         "name nodes, or a file of them with `--targets`, or a cluster with "
                         "`--cluster`, or agents with `--agents`");
  return {};
}

void finish(MeasureCommand& command) {
  constexpr std::int64_t kNanosInSecond = 1'000'000'000;
  MeasureOptions& probing = command.probing;
  probing.port =
      command.port == 0 ? usual_port(probing.method) : static_cast<std::uint16_t>(command.port);
  probing.size = command.size;
  probing.plan.count = static_cast<std::uint32_t>(command.count);
  if (command.rate > 0)
    probing.plan.gap = Nanos{kNanosInSecond / static_cast<std::int64_t>(command.rate)};
}

Status print_table(Stream& out, const MeasureCommand& command, const Measurement& measurement) {
  const TableOptions table{command.format == MeasureFormat::kWide, !command.output.no_headers,
                           command.output.sort_by};
  return print_measurement(out, command.from, measurement, table);
}

Exit print(Io& io, const MeasureCommand& command, const Measurement& measurement) {
  if (is_table(command.format)) {
    const Status printed = print_table(io.out, command, measurement);
    return printed ? Exit::kYes : fail_usage(io, printed.error());
  }
  const MeasuredMatrix measured = matrix_of(command.from, measurement);
  const WrittenRtt written =
      write_rtt(measured.matrix, measured.details, rtt_output(command.format));
  if (!written.errors.empty()) return fail(io, written.errors, command.output);
  io.out.write(written.text);
  return Exit::kYes;
}

// To standard error: who did not answer, and answers that were not counted.
void report(Io& io, const MeasureCommand& command, const Measurement& measurement) {
  constexpr std::size_t kNamed = 5;
  if (command.output.quiet) return;
  std::size_t silent = 0;
  for (const MeasuredTarget& target : measurement.targets) {
    const bool is_silent = target.rtt.probes > 0 && !target.rtt.measured();  // 0: interrupted
    if (!is_silent || ++silent > kNamed) continue;
    std::string line = escape_controls(target.name) + " never answered";
    const bool has_port = command.probing.method != ProbeMethod::kIcmp;
    if (target.refusal != Refusal::kNone)
      line += ": " + std::string(words_of(target.refusal, has_port));
    io.err.line(line);
  }
  if (silent > kNamed)
    io.err.line("... and " + std::to_string(silent - kNamed) + " more never answered");
  const OddReplies& odd = measurement.odd;
  std::vector<std::string> parts;
  for (const auto& [count, what] :
       {std::pair{odd.duplicate, "came twice"}, std::pair{odd.late, "came too late"},
        std::pair{odd.foreign, "answered nothing of ours"},
        std::pair{odd.impossible, "came before their probe left"}})
    if (count > 0) parts.push_back(std::to_string(count) + ' ' + what);
  if (!parts.empty())
    io.err.line(io.err.style().paint(Ink::kDim, "answers not counted: " + join_words(parts)));
}

// What may be done beyond others is given up once the sockets are open: the next round of --watch
// opens some more.
Result<Measurement> probe(Io& io, const MeasureCommand& command,
                          const std::vector<MeasureTarget>& targets,
                          const std::vector<IpAddress>& addresses, ProgressLine& progress,
                          const std::atomic<bool>* stop = nullptr) {
  bool is_open = false;
  const auto still = command.watch ? std::optional(command.probing.method) : std::nullopt;
  MeasureOptions probing = command.probing;
  probing.stop = stop;
  auto measurement = measure(*io.network, targets, addresses, probing,
                             [&](std::uint64_t settled, std::uint64_t total) {
                               if (!std::exchange(is_open, true)) io.network->give_up_rights(still);
                               progress.show("measuring", settled, total);
                             });
  progress.erase();
  return measurement;
}

// What was measured was measured now.
Exit publish_now(Io& io, const MeasureCommand& command, const Measurement& measurement, Exit seen) {
  if (!command.publication.publishes) return seen;
  MeasuredMatrix measured = matrix_of(command.from, measurement);
  const UnixSeconds now = SystemWallClock().date();
  for (PairStats& pair : measured.details.pairs) pair.measured_at = now;
  return publish(io, command.publication, measured.matrix, measured.details, command.output, seen);
}

Exit measure_once(Io& io, const MeasureCommand& command, const std::vector<MeasureTarget>& targets,
                  const std::vector<IpAddress>& addresses, ProgressLine& progress) {
  std::optional<StoppableScope> probing(std::in_place);
  const auto measurement = probe(io, command, targets, addresses, progress, &probing->asked());
  const std::atomic<bool>& asked = probing->asked();
  probing.reset();  // printing may be interrupted
  const bool is_stopped = asked;
  if (!measurement) return fail(io, measurement.error());
  if (const Exit exit = print(io, command, *measurement); exit != Exit::kYes) return exit;
  io.out.flush();
  report(io, command, *measurement);
  if (is_stopped) return Exit::kInterrupted;
  const bool all = std::all_of(measurement->targets.begin(), measurement->targets.end(),
                               [](const MeasuredTarget& target) { return target.rtt.measured(); });
  return publish_now(io, command, *measurement, all ? Exit::kYes : Exit::kNo);
}

// A cluster that takes nothing for now does not end the watch; the first round finds out whether
// what the user asked for can be done at all.
Exit publish_round(Io& io, const MeasureCommand& command, const Measurement& measurement,
                   bool is_first, PublishPace& pace) {
  if (!pace.is_due(io.clock.now())) return Exit::kYes;
  const Exit told = publish_now(io, command, measurement, Exit::kYes);
  if (told == Exit::kYes) {
    pace.succeed();
    return told;
  }
  if (is_first && told != Exit::kWorld && told != Exit::kPartly) return told;
  const Micros pause = pace.fail(io.clock.now());
  if (!command.output.quiet)
    io.err.line("publishing again in " + DurationColumn({pause.count()}).text(pause.count()));
  io.err.flush();
  return Exit::kYes;
}

// One table a round: on a terminal it takes the place of the one before, else an empty line parts
// them. Ends when nobody reads any more, when probes cannot be sent, or by a signal.
Exit watch(Io& io, const MeasureCommand& command, const std::vector<MeasureTarget>& targets,
           const std::vector<IpAddress>& addresses, ProgressLine& progress) {
  PublishPace pace(command.publication.publishes ? io.network->random_key() : 0);
  std::size_t rows = 0;  // that the last table takes on the terminal
  for (bool first = true; !io.out.closed(); first = false) {
    const auto measurement = probe(io, command, targets, addresses, progress);
    if (!measurement) return fail(io, measurement.error());
    Stream table = Stream::in_memory(io.out.width(), io.out.style().on());
    if (const Status printed = print_table(table, command, *measurement); !printed)
      return fail_usage(io, printed.error());
    if (!first && io.out.is_terminal())
      io.out.write("\x1b[" + std::to_string(rows) + "A\x1b[J");
    else if (!first)
      io.out.write("\n");
    io.out.write(table.text());
    io.out.flush();
    rows = rows_on_screen(table.text(), io.out.width());
    if (const Exit told = publish_round(io, command, *measurement, first, pace); told != Exit::kYes)
      return told;
  }
  return Exit::kYes;
}

Exit run_measure(MeasureCommand& command, Io& io) {
  if (const Status right = check(command); !right) return fail_usage(io, right.error());
  if (command.imported.kind != ImportKind::kNothing) {
    command.imported.sources = command.targets.nodes;
    command.targets.input.ping_source = command.from;
    return run_import(io, command.imported, command.collect.web, command.targets.input,
                      command.format, command.publication, command.output);
  }
  if (!command.collect.agents.empty())
    return run_collect(io, command.collect, command.targets.input,
                       command.port == 0 ? usual_port(ProbeMethod::kUdp)
                                         : static_cast<std::uint16_t>(command.port),
                       command.format, command.publication, command.output);
  finish(command);
  command.publication.comes_again = command.watch;
  auto trusted = read_trusted(io.files, command.collect.web);
  if (!trusted) return fail(io, trusted.error());
  command.probing.trusted = *std::move(trusted);
  command.probing.verify = !command.collect.web.skip_verify;
  if (command.from.empty()) command.from = io.network->host_name();
  ProgressLine progress(io.err, command.output.quiet, io.clock);
  const MeasureTargets read =
      read_measure_targets(io, command.targets, command.from, command.probing.family, progress);
  if (!read.errors.empty()) return fail(io, read.errors, command.output);
  if (read.targets.empty())
    return fail(io, invalid_input("nothing to measure but '" + command.from + "' itself", {},
                                  "name other nodes, or where this is with `--from`"));
  progress.show("looking up names", 0, 0);
  const Resolved resolved = resolve(*io.network, read.targets, command.probing);
  if (!resolved.errors.empty()) {
    progress.erase();
    return fail(io, resolved.errors, command.output);
  }
  return command.watch ? watch(io, command, read.targets, resolved.addresses, progress)
                       : measure_once(io, command, read.targets, resolved.addresses, progress);
}

void add_target_flags(FlagSet& flags, MeasureCommand& command) {
  flags.add({.name = "NODE",
             .help = "Name, address or NAME=ADDRESS",
             .live = Live::kNodes,
             .repeats = true,
             .operand = true},
            command.targets.nodes);
  flags.heading("What to measure");
  flags.add({.name = "targets",
             .value = "FILE",
             .help = "One NODE a line; '-' is standard input",
             .live = Live::kFiles},
            command.targets.file);
  flags.add({.name = "from",
             .value = "NAME",
             .help = "What this place is called",
             .fallback = "the host's name"},
            command.from);
  add_cluster_flags(flags, command.targets.input);
}

void add_probe_flags(FlagSet& flags, MeasureCommand& command) {
  MeasureOptions& probing = command.probing;
  flags.heading(std::string(kHowToMeasure));
  add_method_flag(flags, probing.method);
  add_port_flag(flags, command.port, "10250 tcp, 8787 udp and agents, 80, 443");
  flags.add({.name = "family",
             .value = "FAMILY",
             .help = "Addresses of names: any, 4 or 6",
             .fallback = "any",
             .words = list_of(kFamilies)},
            word_into(kFamilies, probing.family));
  flags.add(
      {.name = "count", .letter = 'c', .value = "N", .help = "Probes a node", .fallback = "10"},
      number_into(command.count, kMostProbes));
  flags.add({.name = "interval",
             .letter = 'i',
             .value = "DURATION",
             .help = "Between probes to a node; 0: in batches",
             .fallback = "100ms"},
            span_into(probing.plan.interval, true));
  add_timeout_flag(flags, probing.plan.timeout);
  flags.add({.name = "size",
             .letter = 's',
             .value = "BYTES",
             .help = "Payload of icmp and udp",
             .fallback = "56"},
            number_into(command.size, kMostProbeSize));
  flags.add({.name = "rate",
             .value = "N",
             .help = "Most probes a second, in all; 0: no bound",
             .fallback = "10000"},
            number_into(command.rate, kMostRate));
}

// The first that was given; agents have ports too.
std::string flag_about_probes(const FlagSet& flags, bool has_port) {
  const std::vector<Flag>& all = flags.flags();
  const auto found = std::find_if(all.begin(), all.end(), [&](const Flag& flag) {
    return flag.heading == kHowToMeasure && flags.is_given(flag) &&
           !(has_port && flag.name == "port");
  });
  return found == all.end() ? std::string() : found->name;
}

Run add_measure(FlagSet& flags) {
  auto command = std::make_shared<MeasureCommand>();
  add_target_flags(flags, *command);
  add_collect_flags(flags, command->collect);
  add_import_flags(flags, command->imported, command->targets.input);
  add_web_flags(flags, command->collect.web);
  add_probe_flags(flags, *command);
  flags.heading("How to show it");
  const std::vector<std::string> formats = list_of(kMeasureFormats);
  flags.add({.name = "output",
             .letter = 'o',
             .value = "FORMAT",
             .help = join_words(formats, ", ", " or "),
             .fallback = formats.front(),
             .words = formats},
            word_into(kMeasureFormats, command->format));
  flags.add({.name = "no-headers", .help = "Leave out the header line"},
            command->output.no_headers);
  flags.add({.name = "sort-by", .value = "COLUMN", .help = "Sort rows by a column"},
            command->output.sort_by);
  flags.add({.name = "watch", .letter = 'w', .help = "Go on and show each round of probes"},
            command->watch);
  add_publish_flags(flags, command->publication);
  add_limit_flags(flags, command->targets.input);
  add_talk_flags(flags, command->output);
  return [command, &flags](Io& io) {
    command->targets.input.server = command->publication.server;
    command->about_probes = flag_about_probes(flags, !command->collect.agents.empty());
    return run_measure(*command, io);
  };
}

}  // namespace

Command measure_command() { return {&kPage, Group::kLatency, add_measure}; }

}  // namespace gedge::cli
