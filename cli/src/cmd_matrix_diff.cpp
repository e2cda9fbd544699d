// cmd_matrix_diff.cpp - "gedge matrix diff A B": what moved between two measurements.
#include <memory>

#include "cmd.hpp"
#include "gedge/codec/write_latency.hpp"
#include "matrix_input.hpp"
#include "render/matrix_views.hpp"
#include "report.hpp"

namespace gedge::cli {
namespace {

constexpr Example kExamples[] = {
    {"gedge matrix diff monday.json tuesday.json", "What changed overnight:"},
    {"gedge matrix diff before.json after.json --rtt-stat p50 --noise",
     "Medians, and small moves too:"},
};
constexpr Page kPage{
    .name = "matrix diff",
    .summary = "Show what moved between two matrices",
    .usage = "BEFORE AFTER [--noise] [--rtt-stat STAT] [-o FORMAT] [FLAG]...",
    .description =
        "Compares every ordered pair by the number of `--rtt-stat`. A move is noise if it is at "
        "most three standard errors of the difference, as the number of samples and their spread "
        "(mdev, else what lies between p50 and p95) say; normal samples that did not move exceed "
        "that once in 370 pairs. Where the files say no spread, nobody knows, and the move counts.",
    .output =
        "A table: what changed, both times, the difference, and what noise explains; one line if "
        "nothing did. `json` and `yaml` print one object of kind MatrixDifference, noise included.",
    .examples = kExamples,
    .yes = "nothing moved beyond the noise",
    .no = "something moved, appeared or vanished",
    .see_also = "gedge-matrix-check(1) gedge-matrix-convert(1) gedge-matrix-show(1)",
};

struct DiffOptions : MatrixOptions {
  std::string before, after;
  bool noise = false;
};

Exit show_difference(Io& io, const DiffOptions& options, const MatrixDifference& difference) {
  if (options.output.format != Format::kTable) {
    io.out.write(write(difference, text_format(options.output.format)));
  } else if (!difference.differs() && (!options.noise || difference.pairs.empty())) {
    io.out.line("nothing moved beyond the noise");
  } else {
    const TableOptions table{false, !options.output.no_headers, options.output.sort_by, false};
    if (const Status printed = print_difference(io.out, difference, options.noise, table); !printed)
      return fail_usage(io, printed.error());
  }
  io.out.flush();
  return difference.differs() ? Exit::kNo : Exit::kYes;
}

Exit run_diff(const DiffOptions& options, Io& io) {
  if (options.before == "-" && options.after == "-")
    return fail_usage(io, invalid_input("standard input can be only one of the matrices"));
  ProgressLine progress(io.err, options.output.quiet, io.clock);
  Input inputs[2];
  for (std::size_t i = 0; i < 2; ++i) {
    MatrixOptions one = options;
    one.files = {i == 0 ? options.before : options.after};
    if (const auto stopped = read_matrix(io, one, progress, inputs[i])) return *stopped;
  }
  const MatrixDifference difference =
      diff_matrices({inputs[0].rtt, inputs[0].details}, {inputs[1].rtt, inputs[1].details});
  const Exit exit = show_difference(io, options, difference);
  if (exit == Exit::kUsage) return exit;
  if (!options.output.quiet) io.err.line(counted_differences(difference));
  std::vector<Warning> warnings = std::move(inputs[0].facts.warnings);
  const std::vector<Warning>& more = inputs[1].facts.warnings;
  warnings.insert(warnings.end(), more.begin(), more.end());
  report_input(io, warnings, {}, options.output);
  return exit;
}

void add_matrix_operand(FlagSet& flags, std::string name, std::string help, std::string& target) {
  flags.add({.name = name,
             .value = "FILE|DIR|-",
             .help = std::move(help),
             .live = Live::kFiles,
             .operand = true,
             .required = true},
            target);
}

Run add_diff(FlagSet& flags) {
  auto options = std::make_shared<DiffOptions>();
  add_matrix_operand(flags, "BEFORE", "Round-trip times as they were", options->before);
  add_matrix_operand(flags, "AFTER", "Round-trip times as they are", options->after);
  add_matrix_reading_flags(flags, *options);
  add_output_flags(flags, options->output, {"table", "json", "yaml"});
  flags.add({.name = "noise", .help = "Show moves that noise explains too"}, options->noise);
  add_live_flags(flags, options->input);
  add_limit_flags(flags, options->input);
  add_talk_flags(flags, options->output);
  return [options](Io& io) { return run_diff(*options, io); };
}

}  // namespace

Command matrix_diff_command() { return {&kPage, Group::kLatency, add_diff}; }

}  // namespace gedge::cli
