// Decisions per second by kind of workload: facts in memory to plan, the cluster's state built and
// every pod decided, without reading and writing. Every plan is checked by the verifier; one that
// breaks a rule scores nothing.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bench/workloads.hpp"
#include "gedge/plan/planner.hpp"

namespace gedge::bench {
namespace {

// Of the processor: planning has one thread, and neighbours on the machine do not count.
double seconds_since(std::clock_t start) {
  return static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
}

PlanRequest request_for(const Workload& workload, const char* profile) {
  PlanRequest request;
  request.facts = &workload.facts;
  request.rtt = &workload.rtt;
  request.profiles = {*builtin_profile(profile, Compat::k1_36)};
  return request;
}

double seconds_of(const PlanRequest& request, std::optional<Plan>& plan) {
  const std::clock_t start = std::clock();
  auto made = make_plan(request);
  const double seconds = seconds_since(start);
  if (!made) std::exit(1);
  plan = *std::move(made);
  return seconds;
}

void measure(const char* what, const Workload& workload, const char* profile, int rounds) {
  const PlanRequest request = request_for(workload, profile);
  std::vector<double> times;
  std::size_t placed = 0;
  bool good = true;
  for (int round = 0; round < rounds; ++round) {
    std::optional<Plan> plan;
    times.push_back(seconds_of(request, plan));
    placed = plan->placed();
    if (round == 0) good = holds(workload.facts, workload.rtt, *plan);
  }
  std::sort(times.begin(), times.end());
  const double median = times[times.size() / 2];
  const std::size_t pods = workload.facts.pods.size();
  std::printf("%-34s %7zu nodes %8zu pods %8zu placed  %8.3f s (%.3f to %.3f)  %10.0f /s%s\n", what,
              workload.facts.nodes.size(), pods, placed, median, times.front(), times.back(),
              good ? static_cast<double>(pods) / median : 0.0, good ? "" : "  BREAKS A RULE");
  std::fflush(stdout);
}

// One plan for every line that is read, so that two programs can plan in turn.
void answer(const Workload& workload, const char* profile) {
  const PlanRequest request = request_for(workload, profile);
  std::optional<Plan> plan;
  seconds_of(request, plan);
  std::puts(holds(workload.facts, workload.rtt, *plan) ? "verified" : "BREAKS A RULE");
  std::fflush(stdout);
  for (int byte = std::getchar(); byte != EOF; byte = std::getchar()) {
    if (byte != '\n') continue;
    std::printf("%.6f\n", seconds_of(request, plan));
    std::fflush(stdout);
  }
}

}  // namespace
}  // namespace gedge::bench

// `bench_decision [large|in-turn] [TEXT]`: only workloads whose name has TEXT. `large`: the sizes
// of the goals, which take minutes where a workload is slow. `in-turn`: says whether the plan
// holds, then plans once for each line that it reads, and prints the seconds.
int main(int argc, char** argv) {
  using namespace gedge::bench;
  const std::vector<std::string_view> words(argv + 1, argv + argc);
  const bool large = !words.empty() && words.front() == "large";
  const bool in_turn = !words.empty() && words.front() == "in-turn";
  const std::string_view text = words.size() > (large || in_turn ? 1 : 0) ? words.back() : "";
  const auto run = [&](std::string_view what, const char* profile, int rounds, auto make) {
    if (what.find(text) == std::string_view::npos) return;
    if (in_turn)
      answer(make(), profile);
    else
      measure(what.data(), make(), profile, rounds);
  };
  const Size services{5'000, large ? 20'000u : 4'000u};
  run("O-5 kube, 10 templates", "kube", 3, [] { return of_templates({5'000, 50'000}, 10); });
  run("O-8b kube, all different", "kube", 3, [&] {
    return all_different({5'000, large ? 20'000u : 4'000u});
  });
  run("O-8 edge, all different, bounded", "edge", 3, [&] {
    return all_different_bounded({large ? 10'000u : 2'000u, large ? 20'000u : 4'000u});
  });
  run("O-8a 100 services, grouped", "kube", 3,
      [&] { return spread_services(services, 100, Order::kGrouped); });
  run("O-8a 100 services, interleaved", "kube", 3,
      [&] { return spread_services(services, 100, Order::kInterleaved); });
  run("O-8a 1000 services, interleaved", "kube", 3,
      [&] { return spread_services(services, 1000, Order::kInterleaved); });
}
