// O-7: 100,000 nodes and 1,000,000 pods of 8 templates, profile kube: processor seconds from facts
// to plan, and the peak memory of the process, facts included, before anything is verified.
// `bench_largest [quick]`: a tenth of it.
#include <sys/resource.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <string_view>
#include <vector>

#include "bench/workloads.hpp"
#include "gedge/plan/planner.hpp"

namespace gedge::bench {
namespace {

constexpr double kFloorSeconds = 4, kAimSeconds = 2, kFloorMiB = 1024, kAimMiB = 512;

double peak_mib() {
  rusage used{};
  getrusage(RUSAGE_SELF, &used);
  return static_cast<double>(used.ru_maxrss) / 1024;
}

const char* verdict(double seconds, double peak) {
  if (seconds <= kAimSeconds && peak <= kAimMiB) return "aim met";
  if (seconds <= kFloorSeconds && peak <= kFloorMiB) return "floor met";
  return "MISSED";
}

void measure(Size size) {
  const Workload workload = of_templates(size, 8);
  std::printf("facts made, peak %.0f MiB\n", peak_mib());
  PlanRequest request;
  request.facts = &workload.facts;
  request.rtt = &workload.rtt;
  request.profiles = {*builtin_profile("kube", Compat::k1_36)};
  std::vector<double> seconds;
  double peak = 0;
  std::size_t placed = 0;
  for (int round = 0; round < 3; ++round) {
    const std::clock_t start = std::clock();
    const auto plan = make_plan(request);
    seconds.push_back(static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC);
    peak = peak_mib();
    std::printf("planned in %.3f s, peak %.0f MiB\n", seconds.back(), peak);
    if (round < 2) continue;
    placed = plan->placed();
    if (!holds(workload.facts, workload.rtt, *plan)) {
      std::fprintf(stderr, "bench_largest: the plan breaks a rule\n");
      std::exit(1);
    }
  }
  std::sort(seconds.begin(), seconds.end());
  std::printf(
      "ROW|O-7|kube, %u nodes, %u pods, 8 templates, decision phase; %zu placed, verified|"
      "4 s; 1 GiB|2 s; 512 MiB|%.2f s (%.2f to %.2f); peak %.0f MiB of the process, facts "
      "included|%s\n",
      size.nodes, size.pods, placed, seconds[1], seconds.front(), seconds.back(), peak,
      verdict(seconds[1], peak));
}

}  // namespace
}  // namespace gedge::bench

int main(int argc, char** argv) {
  const bool quick = argc > 1 && std::string_view(argv[1]) == "quick";
  gedge::bench::measure(quick ? gedge::bench::Size{10'000, 100'000}
                              : gedge::bench::Size{100'000, 1'000'000});
}
