// cmd_matrix_check.cpp - "gedge matrix check": what is odd about measured round-trip times.
#include <algorithm>
#include <limits>
#include <memory>
#include <numeric>

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
        "the shortest ways; many from one node mean that it measured something else. Among more "
        "than 4,600 "
        "names, detours are looked for through some of them only; standard error says how many.",
    .output =
        "One line if nothing is odd, else a table with one line a finding; on a terminal the "
        "first 20 of a kind, unless `-v 1` asks for all. `json` and `yaml` print one object of "
        "kind MatrixCheck. Of each kind the first million are listed, and all are counted.",
    .examples = kExamples,
    .yes = "nothing is odd",
    .no = "something is",
    .see_also =
        "gedge-matrix-complete(1) gedge-matrix-convert(1) gedge-matrix-diff(1) "
        "gedge-matrix-show(1)",
};

struct MatrixCheckOptions : MatrixOptions {
  std::vector<std::string> only;
  std::uint64_t tolerance_percent = CheckOptions{}.tolerance_percent;
  Micros at_least = CheckOptions{}.at_least;
};

MatrixCheck check_of(const MatrixCheckOptions& options, const Input& input) {
  CheckOptions limits;
  limits.tolerance_percent = static_cast<std::uint32_t>(options.tolerance_percent);
  limits.at_least = options.at_least;
  limits.max_age = options.input.max_age;
  limits.now = options.input.now;
  for (std::size_t i = 0; i < kOddities && !options.only.empty(); ++i)
    limits.wanted[i] = std::find(options.only.begin(), options.only.end(),
                                 to_string(static_cast<Oddity>(i))) != options.only.end();
  return check_matrix(input.rtt, input.details, limits);
}

Exit show_check(Io& io, const MatrixCheckOptions& options, const Input& input,
                const MatrixCheck& check) {
  const bool every = options.output.verbosity > 0;
  if (options.output.format != Format::kTable) {
    io.out.write(write(input.rtt, check, text_format(options.output.format)));
  } else if (!check.is_odd()) {
    io.out.line("nothing is odd: " + counted(input.rtt.size(), "name") + " checked");
  } else {
    const TableOptions table{false, !options.output.no_headers, options.output.sort_by, false};
    const std::size_t most = every ? std::numeric_limits<std::size_t>::max() : kShownOfAKind;
    if (const Status printed = print_findings(io.out, input.rtt, check.findings, most, table);
        !printed)
      return fail_usage(io, printed.error());
  }
  io.out.flush();
  return check.is_odd() ? Exit::kNo : Exit::kYes;
}

// How much there is, and what was not looked at or not listed.
void report_check(Io& io, const Input& input, const MatrixCheck& check) {
  const std::uint64_t all =
      std::accumulate(check.counts.begin(), check.counts.end(), std::uint64_t{0});
  const std::size_t names = input.rtt.size();
  if (all > 0) io.err.line(counted_findings(check) + " among " + counted(names, "name"));
  if (check.vias > 0 && check.vias < names)
    io.err.line("detours were looked for through " + std::to_string(check.vias) + " of " +
                counted(names, "name") + " only");
  if (check.findings.size() < all)
    io.err.line("the answer holds the first " + std::to_string(CheckOptions{}.most_of_a_kind) +
                " of a kind");
}

Exit run_check(const MatrixCheckOptions& options, Io& io) {
  ProgressLine progress(io.err, options.output.quiet, io.clock);
  MatrixOptions reading = options;
  reading.input.max_age.reset();  // what is stale is a finding, not a gap
  Input input;
  if (options.input.max_age && !options.input.now) reading.input.max_age = options.input.max_age;
  if (const auto stopped = read_matrix(io, reading, progress, input)) return *stopped;
  progress.show("looking for detours", 0, 0);
  const MatrixCheck check = check_of(options, input);
  progress.erase();
  const Exit exit = show_check(io, options, input, check);
  if (exit == Exit::kUsage) return exit;
  if (!options.output.quiet) report_check(io, input, check);
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
  add_live_flags(flags, options->input);
  add_limit_flags(flags, options->input);
  add_talk_flags(flags, options->output);
  return [options](Io& io) { return run_check(*options, io); };
}

}  // namespace

Command matrix_check_command() { return {&kPage, Group::kLatency, add_check}; }

}  // namespace gedge::cli
