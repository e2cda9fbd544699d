// cmd_matrix_complete.cpp - "gedge matrix complete": estimates of the pairs that nobody measured.
#include <cstdint>
#include <limits>
#include <memory>
#include <utility>

#include "cmd.hpp"
#include "gedge/codec/write_latency.hpp"
#include "gedge/latency/complete.hpp"
#include "matrix_input.hpp"
#include "render/numbers.hpp"
#include "report.hpp"

namespace gedge::cli {
namespace {

constexpr Example kExamples[] = {
    {"gedge matrix complete rtt.json > all.json", "Estimate what was not measured:"},
    {"gedge plan --cluster nodes.json --rtt all.json -f pods.yaml",
     "Budgets are compared with the upper bounds:"},
};
constexpr Page kPage{
    .name = "matrix complete",
    .summary = "Estimate unmeasured pairs, with bounds",
    .usage = "[FILE]... [-o FORMAT] [--seed N] [FLAG]...",
    .description =
        "Fills pairs that were measured in neither direction with estimates from those that were. "
        "About 16 measured pairs for each node are enough, chosen by chance, of a thousand.\n\n"
        "An estimate is marked as `estimated` and never passes for a measurement: budgets are "
        "compared with its upper bound, `upperUs`, and a later run estimates it anew. The bounds "
        "come from measured pairs that were left out on purpose; fewer than 5 % of pairs lie "
        "outside if chance chose what to measure.\n\n"
        "No estimate is made of a node with fewer than 4 measured pairs, between groups of nodes "
        "that no measured pair links and of pairs whose probes were all lost. Fewer than 100 "
        "measured pairs are too little to go by, and bad input.",
    .output =
        "The matrix with its estimates, in a format that keeps the marks. How many pairs were "
        "measured, estimated and left is on standard error.",
    .examples = kExamples,
    .yes = "the matrix is written",
    .see_also = "gedge-matrix-check(1) gedge-matrix-convert(1) gedge-plan(1)",
};

struct CompleteOptions : MatrixOptions {
  std::uint64_t seed = 0;
  RttOutput to = RttOutput::kJson;
};

Exit run_matrix_complete(const CompleteOptions& options, Io& io) {
  ProgressLine progress(io.err, options.output.quiet, io.clock);
  Input input;
  if (const auto stopped = read_matrix(io, options, progress, input)) return *stopped;
  CompletionOptions how;
  how.seed = options.seed;
  const auto completed = complete(input.rtt, input.details, how);
  if (!completed) return fail(io, completed.error());
  const WrittenRtt written =
      write_rtt(*completed, options.to, [&](std::string_view piece) { io.out.write(piece); });
  if (!written.errors.empty()) return fail(io, written.errors, options.output);
  io.out.flush();
  report_input(io, input.facts.warnings, input.facts.skipped, options.output);
  if (!options.output.quiet)
    io.err.line(counted(completed->measured, "pair") + " measured, " +
                std::to_string(completed->estimated) + " estimated, " +
                std::to_string(completed->unknown) + " unknown");
  return Exit::kYes;
}

Run add_matrix_complete(FlagSet& flags) {
  auto options = std::make_shared<CompleteOptions>();
  add_matrix_flags(flags, *options);
  flags.heading("What to write");
  // Those that say of an estimate that it is one.
  add_matrix_output_flag(flags, options->to,
                         {RttOutput::kJson, RttOutput::kYaml, RttOutput::kEdgeList});
  flags.add({.name = "seed",
             .value = "N",
             .help = "Where estimating starts from",
             .fallback = "0",
             .shapes_answer = true},
            number_into(options->seed, std::numeric_limits<std::uint64_t>::max()));
  add_live_flags(flags, options->input);
  add_limit_flags(flags, options->input);
  add_talk_flags(flags, options->output);
  return [options](Io& io) { return run_matrix_complete(*options, io); };
}

}  // namespace

Command matrix_complete_command() { return {&kPage, Group::kLatency, add_matrix_complete}; }

}  // namespace gedge::cli
