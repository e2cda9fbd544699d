#include "matrix_input.hpp"

#include <algorithm>

#include "choices.hpp"
#include "report.hpp"
#include "term/text.hpp"

namespace gedge::cli {
namespace {

constexpr Words<RttOutput, 6> kOutputs{{{"json", RttOutput::kJson},
                                        {"yaml", RttOutput::kYaml},
                                        {"csv", RttOutput::kSquareCsv},
                                        {"edges", RttOutput::kEdgeList},
                                        {"plain", RttOutput::kPlain},
                                        {"diktyo", RttOutput::kNetworkTopology}}};

void add_node_flag(FlagSet& flags, MatrixOptions& options) {
  flags.add({.name = "cluster",
             .value = "SOURCE",
             .help = "Nodes: live, a file, a directory or synthetic:...",
             .live = Live::kFiles,
             .shapes_answer = true},
            options.input.cluster);
}

}  // namespace

void add_matrix_flags(FlagSet& flags, MatrixOptions& options) {
  flags.add({.name = "FILE",
             .value = "FILE|DIR|-",
             .help = "Round-trip times; a later one wins",
             .live = Live::kFiles,
             .operand = true},
            options.files);
  flags.heading("How to read it");
  add_rtt_flags(flags, options.input);
  add_node_flag(flags, options);
}

void add_matrix_reading_flags(FlagSet& flags, MatrixOptions& options) {
  flags.heading("How to read them");
  add_rtt_meaning_flags(flags, options.input);
  add_node_flag(flags, options);
}

void add_matrix_output_flag(FlagSet& flags, RttOutput& to, const std::vector<RttOutput>& knows) {
  std::vector<std::string> words;
  for (const auto& [word, output] : kOutputs)
    if (std::find(knows.begin(), knows.end(), output) != knows.end()) words.emplace_back(word);
  flags.add({.name = "output",
             .letter = 'o',
             .value = "FORMAT",
             .help = join_words(words, ", ", " or "),
             .fallback = words.front(),
             .words = words},
            word_into(kOutputs, to));
}

std::optional<Exit> read_matrix(Io& io, const MatrixOptions& options, ProgressLine& progress,
                                Input& input) {
  if (const Status ages = check_ages(options.input); !ages) return fail_usage(io, ages.error());
  InputOptions sources = options.input;
  sources.rtt.insert(sources.rtt.end(), options.files.begin(), options.files.end());
  InputReader reader(io, sources, Compat::k1_36, progress);
  reader.needs_no_nodes();
  reader.keep_details();
  auto read = reader.read();
  progress.erase();
  if (!read) return fail(io, reader.take_errors(), options.output);
  if (read->rtt.empty()) {
    const std::string hint = "name a file of them; `-` is standard input";
    if (sources.rtt.empty() && sources.cluster.empty())
      return fail_usage(io, invalid_input("no round-trip times", {}, hint));
    return fail(io, invalid_input("no round-trip times in what was read", {}, hint));
  }
  input = *std::move(read);
  return std::nullopt;
}

}  // namespace gedge::cli
