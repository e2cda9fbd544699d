// cmd_matrix_check.cpp - "gedge matrix check": what is odd about measured round-trip times.
#include <algorithm>
#include <limits>
#include <memory>

#include "cmd.hpp"
#include "gedge/codec/write_latency.hpp"
#include "matrix_input.hpp"
#include "render/matrix_views.hpp"
#include "render/numbers.hpp"
#include "report.hpp"

namespace gedge::cli {
namespace {

constexpr std::size_t kShownOfAKind = 20;  // on a terminal: what fits a screen
constexpr std::uint64_t kMostPercent = 1'000'000;

constexpr Example kExamples[] = {
    {"gedge matrix check rtt.json", "Everything that is odd:"},
    {"gedge matrix check rtt.json --only gap --only one-way", "Is every pair measured?"},
    {"gedge matrix check rtt.json --max-age 10m --now 2026-11-21T09:30:00Z",
     "What was measured too long ago:"},
};
constexpr Page kPage{
    .name = "matrix check",
    .summary = "Find gaps, contradictions and stale pairs",
    .usage =
        "[FILE]... [--only ODDITY]... [--tolerance PERCENT] [--at-least DURATION] "
        "[--cluster SOURCE]... [-o FORMAT] [FLAG]...",
    .description =
        "Looks for pairs that nobody measured (gap) or measured in one direction only (one-way), "
        "for directions that contradict each other (asymmetric), for pairs that a detour beats "
        "(triangle: the fastest detour is named, both sides count with their slower direction), "
        "for samples older than `--max-age` at `--now` (stale), and for pairs that are marked "
        "(suspicious).\n\n"
        "Asymmetry and triangles count where both the share of `--tolerance` and the time of "
        "`--at-least` are exceeded. Real networks have some triangles, because routes are not "
        "the shortest ways; many from one node mean that it measured something else.",
    .output =
        "One line if nothing is odd, else a table with one line a finding; on a terminal the "
        "first 20 of a kind, unless `-v 1` asks for all. `json` and `yaml` print one object of "
        "kind MatrixCheck.",
    .examples = kExamples,
    .yes = "nothing is odd",
    .no = "something is",
    .see_also = "gedge-matrix-convert(1) gedge-matrix-diff(1)",
};

struct MatrixCheckOptions : MatrixOptions {
  std::vector<std::string> only;
  std::uint64_t tolerance_percent = CheckOptions{}.tolerance_percent;
  Micros at_least = CheckOptions{}.at_least;
};

std::vector<Finding> findings_of(const MatrixCheckOptions& options, const Input& input) {
  const CheckOptions limits{static_cast<std::uint32_t>(options.tolerance_percent), options.at_least,
                            options.input.max_age, options.input.now};
  std::vector<Finding> findings = check_matrix(input.rtt, input.details, limits);
  if (!options.only.empty())
    std::erase_if(findings, [&](const Finding& finding) {
      return std::find(options.only.begin(), options.only.end(), to_string(finding.oddity)) ==
             options.only.end();
    });
  return findings;
}

Exit show_findings(Io& io, const MatrixCheckOptions& options, const Input& input,
                   const std::vector<Finding>& findings) {
  const bool every = options.output.verbosity > 0;
  if (options.output.format != Format::kTable) {
    io.out.write(write(input.rtt, findings, text_format(options.output.format)));
  } else if (findings.empty()) {
    io.out.line("nothing is odd: " + counted(input.rtt.size(), "name") + " checked");
  } else {
    const TableOptions table{false, !options.output.no_headers, options.output.sort_by, false};
    const std::size_t most = every ? std::numeric_limits<std::size_t>::max() : kShownOfAKind;
    if (const Status printed = print_findings(io.out, input.rtt, findings, most, table); !printed)
      return fail_usage(io, printed.error());
  }
  io.out.flush();
  return findings.empty() ? Exit::kYes : Exit::kNo;
}

Exit run_check(const MatrixCheckOptions& options, Io& io) {
  ProgressLine progress(io.err, options.output.quiet, io.clock);
  MatrixOptions reading = options;
  reading.input.max_age.reset();  // what is stale is a finding, not a gap
  Input input;
  if (options.input.max_age && !options.input.now) reading.input.max_age = options.input.max_age;
  if (const auto stopped = read_matrix(io, reading, progress, input)) return *stopped;
  progress.show("looking for detours", 0, 0);
  const std::vector<Finding> findings = findings_of(options, input);
  progress.erase();
  const Exit exit = show_findings(io, options, input, findings);
  if (exit == Exit::kUsage) return exit;
  if (!findings.empty() && !options.output.quiet)
    io.err.line(counted_findings(findings) + " among " + counted(input.rtt.size(), "name"));
  report_input(io, input.facts.warnings, input.facts.skipped, options.output);
  return exit;
}

Run add_check(FlagSet& flags) {
  auto options = std::make_shared<MatrixCheckOptions>();
  add_matrix_flags(flags, *options);
  flags.heading("What is odd");
  std::vector<std::string> oddities;
  for (std::size_t i = 0; i < kOddities; ++i)
    oddities.emplace_back(to_string(static_cast<Oddity>(i)));
  flags.add({.name = "only",
             .value = "ODDITY",
             .help = "Look for this kind only",
             .words = oddities,
             .shapes_answer = true},
            options->only);
  flags.add({.name = "tolerance",
             .value = "PERCENT",
             .help = "Contradictions of less are fine",
             .fallback = std::to_string(options->tolerance_percent),
             .shapes_answer = true},
            number_into(options->tolerance_percent, kMostPercent));
  flags.add({.name = "at-least",
             .value = "DURATION",
             .help = "Contradictions of less are fine too",
             .fallback = "1ms",
             .shapes_answer = true},
            duration_into(options->at_least, "at-least"));
  add_output_flags(flags, options->output, {"table", "json", "yaml"});
  add_limit_flags(flags, options->input);
  add_talk_flags(flags, options->output);
  return [options](Io& io) { return run_check(*options, io); };
}

}  // namespace

Command matrix_check_command() { return {&kPage, Group::kLatency, add_check}; }

}  // namespace gedge::cli
