// bench_plan FILE [COMPAT]: reads a cluster through the library and plans it with profile kube:
// processor seconds of reading, and of deciding several times. The plan is verified.
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <string>

#include "bench/workloads.hpp"
#include "gedge/codec/load.hpp"
#include "gedge/codec/write.hpp"
#include "gedge/io/files.hpp"
#include "gedge/plan/planner.hpp"

namespace gedge::bench {
namespace {

constexpr int kRounds = 7;
constexpr std::uint64_t kMaxBytes = std::uint64_t{4} << 30;

double seconds_since(std::clock_t start) {
  return static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
}

[[noreturn]] void fail(const Error& error) {
  std::fprintf(stderr, "bench_plan: %s\n", error.what.c_str());
  std::exit(1);
}

Facts read(const std::string& path, Compat compat) {
  DiskFiles files;
  auto bytes = files.read(path, kMaxBytes);
  if (!bytes) fail(bytes.error());
  FactsLoader loader({"default", compat, kMaxBytes});
  loader.add_cluster({path, *bytes});
  LoadResult result = loader.finish();
  if (!result.loaded) fail(result.errors.front());
  return std::move(result.loaded->facts);
}

int measure(const std::string& path, Compat compat) {
  const std::clock_t reading = std::clock();
  const Facts facts = read(path, compat);
  std::printf("reading %.4f\n", seconds_since(reading));
  const RttMatrix rtt;
  PlanRequest request;
  request.facts = &facts;
  request.rtt = &rtt;
  request.profiles = {*builtin_profile("kube", compat)};
  for (int round = 0; round < kRounds; ++round) {
    const std::clock_t deciding = std::clock();
    const auto plan = make_plan(request);
    const double seconds = seconds_since(deciding);
    if (!plan) fail(plan.error());
    std::printf("deciding %.6f\n", seconds);
    if (round == 0)
      std::printf("placed %zu of %zu, %s\n", plan->placed(), plan->decisions.size(),
                  holds(facts, rtt, *plan, compat) ? "verified" : "BREAKS A RULE");
  }
  return 0;
}

}  // namespace
}  // namespace gedge::bench

int main(int argc, char** argv) {
  const auto compat = gedge::parse_compat(argc > 2 ? argv[2] : "1.36");
  if (argc < 2 || !compat) {
    std::fputs("usage: bench_plan FILE [COMPAT]\n", stderr);
    return 2;
  }
  return gedge::bench::measure(argv[1], *compat);
}
