// cmd_matrix_show.cpp - "gedge matrix show": round-trip times as people look at them.
#include <array>
#include <memory>
#include <utility>

#include "cmd.hpp"
#include "gedge/codec/write_latency.hpp"
#include "matrix_input.hpp"
#include "render/heat_map.hpp"
#include "report.hpp"
#include "term/text.hpp"

namespace gedge::cli {
namespace {

constexpr Example kExamples[] = {
    {"gedge matrix show rtt.json", "Numbers if they fit the terminal, else shades:"},
    {"gedge matrix show ping-logs/ -o svg > rtt.svg", "A drawing for a report:"},
    {"gedge matrix show rtt.csv -o png > rtt.png", "The same where only pixels are taken:"},
    {"gedge matrix show --cluster synthetic:nodes=12", "Without any file:"},
};
constexpr Page kPage{
    .name = "matrix show",
    .summary = "Show round-trip times as numbers or as a heat map",
    .usage = "[FILE]... [-o FORMAT] [--rtt-stat STAT] [--cluster SOURCE]... [FLAG]...",
    .description =
        "Rows are where the time was measured from, columns what it was measured to. Without `-o`, "
        "prints the numbers if they fit the terminal or go to a pipe, and a map of shades "
        "otherwise. Shades split the times that occur at round numbers, evenly on a logarithmic "
        "scale; where names are more than fit, a cell stands for several and shows their median.",
    .output =
        "`table`: a square of durations. `map`: shades, letters where there is no colour. `svg`: a "
        "drawing. `png`: the same in pixels; libpng draws it, and no terminal is sent it. `json` "
        "and `yaml`: one object of kind LatencyMatrix. In all of them, what "
        "nobody measured is marked as such, and so are estimates (~) and suspicious pairs (!).",
    .examples = kExamples,
    .yes = "the matrix is shown",
    .see_also =
        "gedge-matrix-check(1) gedge-matrix-convert(1) gedge-matrix-diff(1) "
        "gedge-measure(1)",
};

enum class Look : std::uint8_t { kAuto, kTable, kMap, kSvg, kPng, kJson, kYaml };
constexpr std::array<std::pair<std::string_view, Look>, 7> kLooks{{{"auto", Look::kAuto},
                                                                   {"table", Look::kTable},
                                                                   {"map", Look::kMap},
                                                                   {"svg", Look::kSvg},
                                                                   {"png", Look::kPng},
                                                                   {"json", Look::kJson},
                                                                   {"yaml", Look::kYaml}}};

struct ShowMatrixOptions : MatrixOptions {
  Look look = Look::kAuto;
};

Status show(Io& io, const ShowMatrixOptions& options, const Input& input) {
  const bool headers = !options.output.no_headers;
  switch (options.look) {
    case Look::kAuto:
      if (rtt_table_fits(io.out, input.rtt, input.details, headers))
        print_rtt_table(io.out, input.rtt, input.details, headers);
      else
        print_heat_map(io.out, input.rtt, input.details);
      break;
    case Look::kTable:
      print_rtt_table(io.out, input.rtt, input.details, headers);
      break;
    case Look::kMap:
      print_heat_map(io.out, input.rtt, input.details);
      break;
    case Look::kSvg:
      io.out.write(heat_svg(input.rtt, input.details));
      break;
    case Look::kPng: {
      const auto picture = heat_png(input.rtt, input.details);
      if (!picture) return picture.error();
      io.out.write(*picture);
      break;
    }
    case Look::kJson:
    case Look::kYaml:
      io.out.write(write(input.rtt, input.details,
                         options.look == Look::kJson ? TextFormat::kJson : TextFormat::kYaml));
      break;
  }
  return {};
}

Exit run_show(const ShowMatrixOptions& options, Io& io) {
  if (options.look == Look::kPng && io.out.is_terminal())
    return fail_usage(io, invalid_input("a terminal cannot show a PNG file", {},
                                        "send it to one: `-o png > rtt.png`"));
  ProgressLine progress(io.err, options.output.quiet, io.clock);
  Input input;
  if (const auto stopped = read_matrix(io, options, progress, input)) return *stopped;
  if (const Status shown = show(io, options, input); !shown) return fail(io, shown.error());
  io.out.flush();
  report_input(io, input.facts.warnings, input.facts.skipped, options.output);
  return Exit::kYes;
}

Run add_show(FlagSet& flags) {
  auto options = std::make_shared<ShowMatrixOptions>();
  add_matrix_flags(flags, *options);
  flags.heading("How to show it");
  std::vector<std::string> words;
  for (const auto& [word, look] : kLooks) words.emplace_back(word);
  flags.add({.name = "output",
             .letter = 'o',
             .value = "FORMAT",
             .help = join_words(words, ", ", " or "),
             .fallback = "auto",
             .words = words},
            [options](const std::string& text) {
              for (const auto& [word, look] : kLooks)
                if (word == text) options->look = look;
              return Status{};
            });
  flags.add({.name = "no-headers", .help = "Leave out the header line"},
            options->output.no_headers);
  add_live_flags(flags, options->input);
  add_limit_flags(flags, options->input);
  add_talk_flags(flags, options->output);
  return [options](Io& io) { return run_show(*options, io); };
}

}  // namespace

Command matrix_show_command() { return {&kPage, Group::kLatency, add_show}; }

}  // namespace gedge::cli
