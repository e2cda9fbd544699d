// The tree of the best rows by Google Benchmark: what one placement costs it.
#include "plan/winner_tree.hpp"

#include <benchmark/benchmark.h>

#include <random>
#include <vector>

namespace gedge::bench {
namespace {

// One placement: a total changes, the best and the second best are read.
void winner_tree(benchmark::State& state) {
  const auto rows = static_cast<std::uint32_t>(state.range(0));
  std::vector<std::uint32_t> leaf_of(rows);
  std::vector<std::int64_t> totals(rows);
  std::mt19937 random(3);
  for (std::uint32_t i = 0; i < rows; ++i) {
    leaf_of[i] = i;
    totals[i] = static_cast<std::int64_t>(random() % 1'000);
  }
  const std::vector<std::uint64_t> ties;
  WinnerTree tree(leaf_of, ties);
  tree.build(totals);
  for (auto _ : state) {
    const BestTwo best = tree.best(totals);
    totals[raw(best.winner)] -= 7;
    tree.update(best.winner, totals[raw(best.winner)]);
    benchmark::DoNotOptimize(best.runner_up);
  }
  state.SetItemsProcessed(static_cast<std::int64_t>(state.iterations()));
}

}  // namespace
}  // namespace gedge::bench

int main(int argc, char** argv) {
  benchmark::RegisterBenchmark("winner_tree", gedge::bench::winner_tree)->Arg(5'000)->Arg(100'000);
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
}
