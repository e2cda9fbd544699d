// How the time of a plan grows: one line `LADDER SIZE SECONDS...` a size, processor seconds from
// facts to plan, every plan verified. `bench_growth [quick]`: fewer sizes.
//
//   pods       10 templates on 20,000 nodes
//   own        the same on 5,000 nodes, every pod with a label of its own
//   nodes      50,000 pods of 8 templates
//   different  2,000 pods that all differ, by nodes
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <string_view>
#include <vector>

#include "bench/workloads.hpp"
#include "gedge/plan/planner.hpp"

namespace gedge::bench {
namespace {

constexpr double kEnough = 0.3;  // seconds: what takes less is done several times
constexpr int kMostRounds = 9;

bool all_hold(const Workload& workload, const Plan& plan) {
  return plan.placed() == plan.decisions.size() && holds(workload.facts, workload.rtt, plan);
}

void measure(const char* ladder, std::uint32_t size, const Workload& workload) {
  PlanRequest request;
  request.facts = &workload.facts;
  request.rtt = &workload.rtt;
  request.profiles = {*builtin_profile("kube", Compat::k1_36)};
  std::printf("%s %u", ladder, size);
  double total = 0;
  for (int round = 0; round < kMostRounds && (round < 2 || total < kEnough); ++round) {
    const std::clock_t start = std::clock();
    const auto plan = make_plan(request);
    const double seconds = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
    if (!plan || (round == 0 && !all_hold(workload, *plan))) {
      std::fprintf(stderr, "bench_growth: %s %u breaks a rule\n", ladder, size);
      std::exit(1);
    }
    total += seconds;
    std::printf(" %.5f", seconds);
  }
  std::printf("\n");
  std::fflush(stdout);
}

}  // namespace
}  // namespace gedge::bench

int main(int argc, char** argv) {
  using namespace gedge::bench;
  const bool quick = argc > 1 && std::string_view(argv[1]) == "quick";
  const std::uint32_t most_pods = quick ? 100'000 : 1'000'000,
                      most_nodes = quick ? 20'000 : 100'000;
  const std::vector<std::uint32_t> sizes{1'000,  2'000,   5'000,   10'000,  20'000,
                                         50'000, 100'000, 200'000, 500'000, 1'000'000};
  for (const std::uint32_t pods : sizes)
    if (pods <= most_pods) measure("pods", pods, of_templates({20'000, pods}, 10));
  for (const std::uint32_t pods : sizes)
    if (pods <= most_nodes) measure("own", pods, with_own_labels(of_templates({5'000, pods}, 10)));
  for (const std::uint32_t nodes : sizes)
    if (nodes <= most_nodes) measure("nodes", nodes, of_templates({nodes, 50'000}, 8));
  for (const std::uint32_t nodes : sizes)
    if (nodes <= most_nodes) measure("different", nodes, all_different({nodes, 2'000}));
}
