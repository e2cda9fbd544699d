// cmd_matrix_centers.cpp - "gedge matrix centers": where to put k services.
#include <memory>
#include <utility>

#include "cmd.hpp"
#include "gedge/codec/write_clusters.hpp"
#include "matrix_input.hpp"
#include "render/cluster_view.hpp"
#include "render/numbers.hpp"
#include "report.hpp"

namespace gedge::cli {
namespace {

constexpr Example kExamples[] = {
    {"gedge matrix centers rtt.csv -k 3", "Three nodes, so that every node is near one of them:"},
};
constexpr Page kPage{
    .name = "matrix centers",
    .summary = "Find the nodes to put services on, near to all others",
    .usage = "[FILE]... -k N [--goal GOAL] [-o FORMAT] [FLAG]...",
    .description =
        "Chooses N nodes so that the largest RTT from any node to the nearest of them is small, or "
        "the mean of them with `--goal mean`. The larger direction of a pair counts. A node "
        "without a measured RTT to any center is out of reach, never near: fewer of those win over "
        "shorter RTTs.\n\n"
        "Farthest first, then covers with smaller radii, then exchanges of single centers as long "
        "as one helps. Where all pairs are measured and obey the triangle inequality, the radius "
        "is at most twice the smallest that there is. RTTs seldom obey it, so standard error says "
        "what is proven for this matrix: the radius that no N centers can go below.",
    .output =
        "A table with one line a center and, without a center, the nodes that are out of "
        "reach. `json` and `yaml` print one object of kind LatencyCenters; `name` prints "
        "`node/NAME` of the centers.",
    .examples = kExamples,
    .yes = "every node has a measured RTT to a center",
    .no = "some have none",
    .see_also = "gedge-matrix-cluster(1) gedge-matrix-convert(1)",
};

struct CentersOptions : MatrixOptions {
  std::uint64_t count = 0;
  CentersGoal goal = CentersGoal::kRadius;
};

Exit show_centers(Io& io, const CentersOptions& options, const RttMatrix& matrix,
                  const Centers& centers) {
  const OutputOptions& output = options.output;
  if (output.format == Format::kJson || output.format == Format::kYaml) {
    io.out.write(write(matrix, centers, options.goal, text_format(output.format)));
  } else {
    const Status printed = print_centers(io.out, matrix, centers,
                                         {.headers = !output.no_headers,
                                          .sort_by = output.sort_by,
                                          .names = output.format == Format::kName});
    if (!printed) return fail_usage(io, printed.error());
    io.out.flush();
    if (!output.quiet) print_centers_summary(io.err, centers);
  }
  if (!output.quiet && matrix.names().size() < options.count)
    io.err.line("each of the " + counted(matrix.names().size(), "node") +
                " is a center: there are no " + std::to_string(options.count));
  return centers.cost.unreached == 0 ? Exit::kYes : Exit::kNo;
}

Exit run_centers(const CentersOptions& options, Io& io) {
  if (options.count == 0)
    return fail_usage(io, invalid_input("no number of centers", {}, "name one: `-k 3`"));
  ProgressLine progress(io.err, options.output.quiet, io.clock);
  Input input;
  if (const auto stopped = read_matrix(io, options, progress, input)) return *stopped;
  const Centers centers =
      find_centers(input.rtt, static_cast<std::uint32_t>(options.count), options.goal);
  const Exit exit = show_centers(io, options, input.rtt, centers);
  io.out.flush();
  if (exit != Exit::kUsage)
    report_input(io, input.facts.warnings, input.facts.skipped, options.output);
  return exit;
}

Run add_centers(FlagSet& flags) {
  constexpr std::uint64_t kMostCenters = 1'000'000;
  auto options = std::make_shared<CentersOptions>();
  add_matrix_flags(flags, *options);
  flags.heading("What to look for");
  flags.add({.name = "count",
             .letter = 'k',
             .value = "N",
             .help = "How many centers",
             .shapes_answer = true},
            number_into(options->count, kMostCenters, 1));
  flags.add({.name = "goal",
             .value = "GOAL",
             .help = "What is to be small: radius or mean",
             .fallback = "radius",
             .words = {"radius", "mean"},
             .shapes_answer = true},
            [options](const std::string& text) {
              options->goal = text == "mean" ? CentersGoal::kMean : CentersGoal::kRadius;
              return Status{};
            });
  add_output_flags(flags, options->output, {"table", "json", "yaml", "name"});
  add_live_flags(flags, options->input);
  add_limit_flags(flags, options->input);
  add_talk_flags(flags, options->output);
  return [options](Io& io) { return run_centers(*options, io); };
}

}  // namespace

Command matrix_centers_command() { return {&kPage, Group::kLatency, add_centers}; }

}  // namespace gedge::cli
