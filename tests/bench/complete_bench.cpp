// Completion of matrices against Vivaldi on the same hidden pairs, and what lying agents achieve.
// `bench_complete [quick]`. Published measurements are read from GEDGE_DATA_DIR.
#include <algorithm>
#include <cstdio>
#include <ctime>
#include <string>
#include <string_view>
#include <vector>

#include "gedge/codec/latency.hpp"
#include "gedge/latency/complete.hpp"
#include "gedge/latency/vet.hpp"
#include "support/estimate_errors.hpp"
#include "support/latency_space.hpp"
#include "support/lying_agents.hpp"
#include "support/paths.hpp"
#include "support/read_files.hpp"
#include "support/vivaldi.hpp"

namespace gedge::bench {
namespace {

using namespace gedge::test;
namespace fs = std::filesystem;

double seconds_since(std::clock_t start) {
  return static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
}

const char* verdict(double value, double floor, double aim) {
  return value <= aim ? "aim met" : value <= floor ? "floor met" : "MISSED";
}

void print(const char* name, const RelativeErrors& errors, double seconds) {
  std::printf("  %-22s median %6.2f %%  p90 %7.2f %%  p99 %7.1f %%  %.2f s\n", name,
              100 * errors.median, 100 * errors.p90, 100 * errors.p99, seconds);
}

struct Measured {
  RelativeErrors own, springs;  ///< the better of two Vivaldis, number by number
  Coverage coverage;
  double seconds = 0;
};

bool measure(const std::string& what, const RttMatrix& truth, std::size_t shown_each,
             std::uint64_t seed, Measured& found) {
  const RttMatrix shown = show_some(truth, shown_each, seed);
  const std::vector<Cell> cells = hidden_cells(truth, shown);
  std::printf("%s: %zu names, %zu pairs shown of each, %zu cells hidden\n", what.c_str(),
              truth.size(), shown_each, cells.size());
  const std::clock_t start = std::clock();
  const auto completion = complete(shown, {});
  found.seconds = seconds_since(start);
  if (!completion) return false;
  found.own = errors_of(truth, cells, *completion);
  print("complete", found.own, found.seconds);
  found.springs = {1e9, 1e9, 1e9};
  for (const std::size_t rounds : {50U, 500U}) {
    Vivaldi how;
    how.rounds = rounds;
    const std::clock_t begin = std::clock();
    const RttMatrix estimates = vivaldi(shown, how);
    const double seconds = seconds_since(begin);
    const RelativeErrors errors = errors_of(truth, cells, estimates);
    print(rounds == 50 ? "Vivaldi, 50 rounds" : "Vivaldi, 500 rounds", errors, seconds);
    found.springs.median = std::min(found.springs.median, errors.median);
    found.springs.p90 = std::min(found.springs.p90, errors.p90);
  }
  found.coverage = coverage_of(truth, cells, *completion);
  std::printf(
      "  inside the bounds %.2f %%, above %.2f %%, below %.2f %%; upper bound / estimate "
      "%.2f (median)\n",
      100 * found.coverage.inside, 100 * found.coverage.above, 100 * found.coverage.below,
      found.coverage.median_upper);
  return true;
}

/// Rows of the worst of several runs.
void rows(const char* what, const std::vector<Measured>& runs) {
  double median = 0, p90 = 0, inside = 1;
  for (const Measured& run : runs) {
    median = std::max(median, run.own.median / run.springs.median);
    p90 = std::max(p90, run.own.p90 / run.springs.p90);
    inside = std::min(inside, run.coverage.inside);
  }
  std::printf(
      "ROW|R-7|%s: median and p90 against Vivaldi's, the worst of %zu|1x, 0.87x|-|%.2fx, "
      "%.2fx|%s\n",
      what, runs.size(), median, p90, median <= 1 && p90 <= 0.87 ? "floor met" : "MISSED");
  std::printf("ROW|R-7|%s: hidden pairs within their bounds, the worst of %zu|95 %%|-|%.2f %%|%s\n",
              what, runs.size(), 100 * inside, inside >= 0.95 ? "floor met" : "MISSED");
}

void published() {
  const auto data = public_data_dir();
  if (!data) {
    std::printf("ROW|R-7|Seattle, WonderNetwork|-|-|GEDGE_DATA_DIR is not set|not measured\n");
    return;
  }
  RttOptions seconds;
  seconds.unit = TimeUnit::kSecond;
  for (int i = 0; i < 99; ++i) seconds.names.push_back("s" + std::to_string(100 + i));
  std::vector<Measured> runs;
  for (const fs::path& frame : files_of(*data / "rtt/seattle-99-nodes"))
    measure(frame.filename().string(), read_rtt_files({frame}, seconds).matrix, 16, 1,
            runs.emplace_back());
  rows("Seattle, 16 pairs of each of 99 nodes", runs);
  const RttMatrix wonder = read_rtt_files(files_of(*data / "rtt/wondernetwork-2018"), {}).matrix;
  runs.clear();
  for (const std::uint64_t seed : {1U, 2U, 3U, 4U, 5U})
    measure("WonderNetwork", wonder, 16, seed, runs.emplace_back());
  rows("WonderNetwork, 16 pairs of each of 248 names", runs);
}

void space(bool quick) {
  std::vector<Measured> runs;
  for (const std::size_t each : {8U, 16U, 32U, 64U}) {
    Measured run;
    measure("M-viv", make_latency_space({}), each, 7, run);
    if (each == 16) runs.push_back(run);
  }
  const Measured& mark = runs.front();
  std::printf(
      "ROW|R-7|M-viv, 16 of 1,000: median / p90 relative error|3.8 %% / 11 %%|3.0 %% / "
      "8 %%|%.2f %% / %.2f %%|%s\n",
      100 * mark.own.median, 100 * mark.own.p90,
      verdict(std::max(mark.own.median / 0.038, mark.own.p90 / 0.11), 1,
              std::max(0.030 / 0.038, 0.08 / 0.11)));
  std::printf("ROW|R-7|M-viv, 16 of 1,000: processor time|3 s|1 s|%.2f s|%s\n", mark.seconds,
              verdict(mark.seconds, 3, 1));
  for (const std::uint64_t seed : {1U, 2U, 3U}) {
    LatencySpace other;
    other.seed = seed;
    measure("M-viv, another seed", make_latency_space(other), 16, seed, runs.emplace_back());
  }
  rows("M-viv, 16 of 1,000", runs);
  if (quick) return;
  LatencySpace large;
  large.nodes = 5000;
  Measured run;
  measure("M-viv of 5,000", make_latency_space(large), 32, 7, run);
  std::printf(
      "ROW|R-8|M-viv, 32 of 5,000: processor time|15 s|5 s|%.1f s; median / p90 %.2f %% / "
      "%.2f %%|%s\n",
      run.seconds, 100 * run.own.median, 100 * run.own.p90, verdict(run.seconds, 15, 5));
}

struct Choices {
  double naive = 0, vetted = 0, seconds = 0;
};

Choices choices(const std::vector<Lie>& how, std::uint64_t seeds) {
  Choices found;
  for (std::uint64_t seed = 0; seed < seeds; ++seed) {
    const Reports all = make_reports(100, 20, how, seed);
    const std::clock_t start = std::clock();
    const VettedReports vetted = vet_reports(all.reports, 0);
    found.seconds += seconds_since(start) / static_cast<double>(seeds);
    const auto completion = complete(vetted.matrix, {});
    const double share = 1 / static_cast<double>(seeds);
    found.naive += share * wrong_choices(all.truth, average(all.reports));
    found.vetted +=
        share * wrong_choices(all.truth,
                              completion ? completion->for_budgets(vetted.matrix) : vetted.matrix);
  }
  return found;
}

void lies(bool quick) {
  const std::uint64_t seeds = quick ? 20 : 200;
  std::printf(
      "20 of 100 agents lie, %zu seeds: share of nodes whose chosen nearest node is wrong\n",
      static_cast<std::size_t>(seeds));
  const auto line = [&](const std::string& name, const std::vector<Lie>& how) {
    const Choices found = choices(how, seeds);
    std::printf(
        "  %-14s averages %6.2f %%  vetted and completed %5.2f %%  ratio 1/%.1f  vetting "
        "%.4f s\n",
        name.c_str(), 100 * found.naive, 100 * found.vetted, found.naive / found.vetted,
        found.seconds);
    std::printf(
        "ROW|B8|20 of 100 agents report %s, %zu seeds: wrong choices of a node, against "
        "averages|1/5|-|%.2f %%, %.2f %%: 1/%.1f|%s\n",
        name.c_str(), static_cast<std::size_t>(seeds), 100 * found.vetted, 100 * found.naive,
        found.naive / found.vetted, 5 * found.vetted < found.naive ? "floor met" : "MISSED");
  };
  for (const Lie lie : kLies) line(std::string(to_string(lie)), {lie});
  line("each its own lie", {std::begin(kLies), std::end(kLies)});
}

}  // namespace
}  // namespace gedge::bench

int main(int argc, char** argv) {
  const bool quick = argc > 1 && std::string_view(argv[1]) == "quick";
  gedge::bench::space(quick);
  gedge::bench::published();
  gedge::bench::lies(quick);
}
