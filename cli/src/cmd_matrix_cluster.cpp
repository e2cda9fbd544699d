// cmd_matrix_cluster.cpp - "gedge matrix cluster": names that are all within a radius, as groups.
#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

#include "cmd.hpp"
#include "gedge/base/duration.hpp"
#include "gedge/codec/write_clusters.hpp"
#include "gedge/verify/clusters.hpp"
#include "matrix_input.hpp"
#include "render/cluster_view.hpp"
#include "report.hpp"

namespace gedge::cli {
namespace {

constexpr Example kExamples[] = {
    {"gedge matrix cluster rtt.csv --within 10ms", "Groups whose pairs are all within 10 ms:"},
    {"gedge matrix cluster rtt.csv --layers --within 10ms",
     "What kubernetes-edge-scheduler makes of the same radius:"},
};
constexpr Page kPage{
    .name = "matrix cluster",
    .summary = "Group nodes that are all within a radius of one another",
    .usage = "[FILE]... [--within DURATION] [--layers] [-o FORMAT] [FLAG]...",
    .description =
        "Any two nodes of a cluster are within the radius in both directions; of a pair of which "
        "one direction was measured, that one counts, and a pair that nobody measured is never "
        "within it. To find the fewest clusters is hard: these are few, and standard error says "
        "below which number no cover can get.\n\n"
        "A cluster can stand for the radius of each of its nodes, but nodes near both of two "
        "clusters are in one of them only. What is lost in this way is said too.\n\n"
        "`--layers` shows the index of kubernetes-edge-scheduler instead: the delays at which "
        "being within them is an equivalence, so that nothing is lost. With `--within`, the "
        "clusters that it builds for that radius on the layer below, along largest cliques.",
    .output =
        "A table with one line a cluster, or a layer. `json` and `yaml` print one object of "
        "kind LatencyClusters or LatencyLayers.",
    .examples = kExamples,
    .yes = "the clusters are found",
    .see_also = "gedge-hint(1) gedge-matrix-centers(1) gedge-matrix-convert(1)",
};

struct ClusterOptions : MatrixOptions {
  std::optional<Rtt> within;
  bool layers = false;
};

FlagSet::Take radius_into(std::optional<Rtt>& target) {
  return [&target](const std::string& text) -> Status {
    const auto micros = parse_duration(text, Rounding::kDown);
    if (!micros)
      return invalid_input("'" + text + "' is no duration for '--within'", {},
                           "write for example `10ms`, `800us` or `1.5s`");
    target = Rtt{static_cast<std::uint32_t>(std::min<std::int64_t>(*micros, kMaxRtt.us))};
    return {};
  };
}

TableOptions table_options(const OutputOptions& output) {
  return {.wide = false, .headers = !output.no_headers, .sort_by = output.sort_by};
}

Exit show_layers(Io& io, const ClusterOptions& options, const RttMatrix& matrix) {
  const DelayLayers index(matrix);
  std::vector<DelayLayers::Layer> layers;
  for (const Rtt delay : index.delays()) layers.push_back(index.below(delay));
  if (options.output.format != Format::kTable) {
    io.out.write(write(matrix, layers, text_format(options.output.format)));
    return Exit::kYes;
  }
  const Status printed = print_layers(io.out, layers, table_options(options.output));
  return printed ? Exit::kYes : fail_usage(io, printed.error());
}

ClusterReport report_layer(const RttMatrix& matrix, Rtt within) {
  DelayLayers::Layer layer = DelayLayers(matrix).within(within);
  ClusterReport report = report_clusters(matrix, within, std::move(layer.clusters));
  report.layer = layer.delay;
  report.is_exact = layer.is_exact;
  return report;
}

Exit show_clusters(Io& io, const ClusterOptions& options, const RttMatrix& matrix) {
  const Rtt within = *options.within;
  const ClusterReport index = report_layer(matrix, within);
  ClusterReport report = index;
  if (!options.layers) {
    CliqueCover cover = cover_within(matrix, within);
    report = report_clusters(matrix, within, std::move(cover.clusters));
    report.at_least = cover.at_least;
  }
  if (const auto wrong = verify_clusters(matrix, within, report.clusters); !wrong.empty())
    return fail(io, Error{Errc::kInternal, wrong.front(), {}, {}});
  if (options.output.format != Format::kTable) {
    io.out.write(write(matrix, report, index, text_format(options.output.format)));
    return Exit::kYes;
  }
  const Status printed = print_clusters(io.out, matrix, report, table_options(options.output));
  if (!printed) return fail_usage(io, printed.error());
  io.out.flush();
  if (!options.output.quiet) print_clusters_summary(io.err, matrix, report, index);
  return Exit::kYes;
}

Exit run_cluster(const ClusterOptions& options, Io& io) {
  if (!options.within && !options.layers)
    return fail_usage(io, invalid_input("no radius", {}, "name one: `--within 10ms`"));
  ProgressLine progress(io.err, options.output.quiet, io.clock);
  Input input;
  if (const auto stopped = read_matrix(io, options, progress, input)) return *stopped;
  const Exit exit =
      options.within ? show_clusters(io, options, input.rtt) : show_layers(io, options, input.rtt);
  io.out.flush();
  if (exit == Exit::kYes)
    report_input(io, input.facts.warnings, input.facts.skipped, options.output);
  return exit;
}

Run add_cluster(FlagSet& flags) {
  auto options = std::make_shared<ClusterOptions>();
  add_matrix_flags(flags, *options);
  flags.heading("What to look for");
  flags.add({.name = "within",
             .value = "DURATION",
             .help = "Largest RTT inside a cluster",
             .shapes_answer = true},
            radius_into(options->within));
  flags.add({.name = "layers", .help = "Cluster as kubernetes-edge-scheduler does"},
            options->layers);
  add_output_flags(flags, options->output, {"table", "json", "yaml"});
  add_live_flags(flags, options->input);
  add_limit_flags(flags, options->input);
  add_talk_flags(flags, options->output);
  return [options](Io& io) { return run_cluster(*options, io); };
}

}  // namespace

Command matrix_cluster_command() { return {&kPage, Group::kLatency, add_cluster}; }

}  // namespace gedge::cli
