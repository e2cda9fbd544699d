// Kernels by Google Benchmark: resource scores as vectors and plain, and amounts.
//
// Every score kernel is first compared with its plain build; a difference ends the program.
#include <benchmark/benchmark.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <iterator>
#include <random>
#include <string_view>
#include <vector>

#include "bench/policy/plain_kernels.hpp"
#include "gedge/base/quantity.hpp"
#include "policy/score_kernels.hpp"

namespace gedge::bench {
namespace {

constexpr std::uint32_t kRows = 4096;  // columns that fit the second cache
constexpr std::uint32_t kBlock = 64;   // what the planner asks for at once

struct Data {
  std::vector<std::int64_t> cpu, cpu_used, memory, memory_used;
};

Data make_data() {
  std::mt19937_64 random(20261121);
  Data data;
  for (std::uint32_t i = 0; i < kRows; ++i) {
    data.cpu.push_back(static_cast<std::int64_t>(1'000 + random() % 64'000));
    data.cpu_used.push_back(static_cast<std::int64_t>(random() % 70'000));
    data.memory.push_back(static_cast<std::int64_t>((1 + random() % 512) << 30));
    data.memory_used.push_back(static_cast<std::int64_t>(random() % (std::uint64_t{512} << 30)));
  }
  return data;
}

const Data kData = make_data();

Columns cpu_at(std::uint32_t row) { return {&kData.cpu[row], &kData.cpu_used[row], 250}; }
Columns memory_at(std::uint32_t row) {
  return {&kData.memory[row], &kData.memory_used[row], std::int64_t{256} << 20};
}
ResourceBlock block_of(const Columns& columns) {
  return {columns.capacity, columns.requested, columns.pod, 1};
}

using Kernel = void (*)(std::uint32_t row, std::int64_t* out);
using Answers = std::vector<std::int64_t>;

void slack(std::uint32_t row, std::int64_t* out) { join_slack(block_of(cpu_at(row)), kBlock, out); }
void slack_plain(std::uint32_t row, std::int64_t* out) {
  plain_join_slack(cpu_at(row), kBlock, out);
}
void least(std::uint32_t row, std::int64_t* out) {
  add_least_allocated(block_of(memory_at(row)), kBlock, out);
}
void least_plain(std::uint32_t row, std::int64_t* out) {
  plain_least_allocated(memory_at(row), kBlock, out);
}
void balanced(std::uint32_t row, std::int64_t* out) {
  balanced_of_two(block_of(cpu_at(row)), block_of(memory_at(row)), kBlock, out);
}
void balanced_plain(std::uint32_t row, std::int64_t* out) {
  plain_balanced(cpu_at(row), memory_at(row), kBlock, out);
}

Answers answers(Kernel kernel) {
  Answers all(kRows, 0);
  for (std::uint32_t row = 0; row < kRows; row += kBlock) kernel(row, &all[row]);
  return all;
}

void compare(const char* name, Kernel one, Kernel other) {
  if (answers(one) == answers(other)) return;
  std::fprintf(stderr, "bench_kernels: %s differs from its plain build\n", name);
  std::exit(1);
}

// Nanoseconds a row.
void score(benchmark::State& state, Kernel kernel) {
  Answers all(kRows, 0);
  for (auto _ : state) {
    for (std::uint32_t row = 0; row < kRows; row += kBlock) kernel(row, &all[row]);
    benchmark::DoNotOptimize(all.data());
    benchmark::ClobberMemory();
  }
  state.SetItemsProcessed(static_cast<std::int64_t>(state.iterations()) * kRows);
}

using Amounts = std::array<std::string_view, 8>;
constexpr Amounts kCommon{"100m", "250m", "2", "128Mi", "1Gi", "64Gi", "1536Mi", "110"};
constexpr Amounts kRare{"0.5", "1.25", "1e3", "16777216Ki", "0.1Gi", "12E6", "2500000u", "500M"};

// Nanoseconds an amount are those of one pass by eight.
void quantities(benchmark::State& state, const Amounts& amounts, bool milli) {
  for (auto _ : state)
    for (const std::string_view amount : amounts)
      benchmark::DoNotOptimize(milli ? parse_milli(amount) : parse_units(amount));
  state.SetItemsProcessed(state.iterations() * std::ssize(amounts));
}

}  // namespace
}  // namespace gedge::bench

int main(int argc, char** argv) {
  using namespace gedge::bench;
  compare("join_slack", slack, slack_plain);
  compare("add_least_allocated", least, least_plain);
  compare("balanced_of_two", balanced, balanced_plain);
  benchmark::RegisterBenchmark("join_slack", score, slack);
  benchmark::RegisterBenchmark("join_slack plain", score, slack_plain);
  benchmark::RegisterBenchmark("least_allocated", score, least);
  benchmark::RegisterBenchmark("least_allocated plain", score, least_plain);
  benchmark::RegisterBenchmark("balanced", score, balanced);
  benchmark::RegisterBenchmark("balanced plain", score, balanced_plain);
  benchmark::RegisterBenchmark("parse_units", quantities, kCommon, false);
  benchmark::RegisterBenchmark("parse_milli", quantities, kCommon, true);
  benchmark::RegisterBenchmark("parse_milli rare forms", quantities, kRare, true);
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
}
