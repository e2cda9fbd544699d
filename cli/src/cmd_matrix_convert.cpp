// cmd_matrix_convert.cpp - "gedge matrix convert": round-trip times from any format into any other.
#include <memory>
#include <utility>

#include "cmd.hpp"
#include "gedge/codec/write_latency.hpp"
#include "matrix_input.hpp"
#include "report.hpp"

namespace gedge::cli {
namespace {

constexpr Example kExamples[] = {
    {"gedge matrix convert ping-logs/ -o csv", "Logs of ping, as a table:"},
    {"gedge matrix convert rtt.json -o plain --names-out names.json > delays.txt",
     "The two files that kubernetes-edge-scheduler reads:"},
    {"gedge matrix convert rtt.json -o diktyo --cluster nodes.json",
     "Costs between zones, for the plugin NetworkOverhead:"},
};
constexpr Page kPage{
    .name = "matrix convert",
    .summary = "Write round-trip times in another format",
    .usage = "[FILE]... [-o FORMAT] [--names-out FILE] [--cluster SOURCE]... [FLAG]...",
    .description =
        "Reads every format that `--rtt` reads, recognised by content, and writes one of these: "
        "`json` and `yaml` (kind LatencyMatrix) and `edges` (from,to,rtt_ms,...) keep everything "
        "that is known of a pair. `csv` (a square table), `plain` (numbers only, the names in the "
        "file of `--names-out`) and `diktyo` (kind NetworkTopology, costs in whole milliseconds "
        "between the zones and regions of `--cluster`) keep one number, that of `--rtt-stat`.\n\n"
        "What a format cannot say is listed on standard error. A pair that nobody measured stays "
        "unmeasured; it never becomes 0.",
    .output = "The matrix, in milliseconds where the format says none of its own.",
    .examples = kExamples,
    .yes = "the matrix is written",
    .see_also =
        "gedge-agent(1) gedge-matrix-centers(1) gedge-matrix-check(1) "
        "gedge-matrix-cluster(1) gedge-matrix-complete(1) gedge-matrix-diff(1) "
        "gedge-matrix-show(1) gedge-measure(1) gedge-validate(1)",
};

struct ConvertOptions : MatrixOptions {
  RttOutput to = RttOutput::kJson;
  std::string names_out;
};

Exit run_convert(const ConvertOptions& options, Io& io) {
  if (!options.names_out.empty() && options.to != RttOutput::kPlain)
    return fail_usage(io, invalid_input("flag '--names-out' needs '-o plain'", {},
                                        "the other formats hold the names themselves"));
  ProgressLine progress(io.err, options.output.quiet, io.clock);
  Input input;
  if (const auto stopped = read_matrix(io, options, progress, input)) return *stopped;
  WrittenRtt written =
      write_rtt(input.rtt, input.details, options.to, {input.facts.nodes, options.input.rtt_by});
  if (!written.errors.empty()) return fail(io, written.errors, options.output);
  if (!options.names_out.empty()) {
    const Exit exit = write_file(io, options.names_out, written.names);
    if (exit != Exit::kYes) return exit;
  } else if (options.to == RttOutput::kPlain) {
    written.losses.push_back({"LostNames",
                              "the rows have no names, they are in name order; `--names-out FILE` "
                              "writes which is which",
                              {}});
  }
  io.out.write(written.text);
  io.out.flush();
  std::vector<Warning> warnings = std::move(input.facts.warnings);
  warnings.insert(warnings.end(), written.losses.begin(), written.losses.end());
  report_input(io, warnings, input.facts.skipped, options.output);
  return Exit::kYes;
}

Run add_convert(FlagSet& flags) {
  auto options = std::make_shared<ConvertOptions>();
  add_matrix_flags(flags, *options);
  flags.heading("What to write");
  add_matrix_output_flag(flags, options->to,
                         {RttOutput::kJson, RttOutput::kYaml, RttOutput::kSquareCsv,
                          RttOutput::kEdgeList, RttOutput::kPlain, RttOutput::kNetworkTopology});
  flags.add({.name = "names-out",
             .value = "FILE",
             .help = "Write the names of a plain matrix, as JSON",
             .live = Live::kFiles},
            options->names_out);
  add_live_flags(flags, options->input);
  add_limit_flags(flags, options->input);
  add_talk_flags(flags, options->output);
  return [options](Io& io) { return run_convert(*options, io); };
}

}  // namespace

Command matrix_convert_command() { return {&kPage, Group::kLatency, add_convert}; }

}  // namespace gedge::cli
