// Replicas that follow those who ask, beside an even spread of as many: p95 of the RTT of users on
// three sites with a hot spot that moves, 30 seeds, every replica placed by the planner.
// `bench_scale_sites [quick]`.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "gedge/control/planned_room.hpp"
#include "gedge/policy/profile.hpp"
#include "support/hot_spot.hpp"

namespace gedge::bench {
namespace {

using test::HotSpot;

// Three nodes a site, eight replicas each.
Facts nodes_and_pods() {
  Facts facts;
  facts.files.emplace_back();
  for (std::size_t site = 0; site < HotSpot::kSites; ++site)
    for (int i = 0; i < 3; ++i) {
      Node node;
      node.name = "site-" + std::to_string(site) + "-node-" + std::to_string(i);
      node.labels.set("topology.kubernetes.io/zone", "site-" + std::to_string(site));
      node.labels.set("kubernetes.io/hostname", node.name.str());
      node.allocatable.set("cpu", 8 * HotSpot::kBase);
      node.allocatable.set("pods", 110);
      facts.nodes.push_back(std::move(node));
    }
  PodSpec spec;
  Container container;
  container.name = "main";
  container.requests.set("cpu", HotSpot::kBase);
  spec.containers = std::vector<Container>{container};
  facts.specs.push_back(std::move(spec));
  Pod pod;
  pod.name = "web-0";
  pod.workload_kind = "Deployment";
  pod.workload_name = "web";
  facts.pods.push_back(std::move(pod));
  return facts;
}

LoadRun play(const HotSpot& spot, SiteChoice choice) {
  const auto edge = builtin_profile("edge", Compat::k1_36);
  LiveOptions options;
  options.profiles = {*edge};
  auto room =
      PlannedRoom::make(nodes_and_pods(), {}, std::move(options), spot.setting(choice).autoscaler);
  return spot.play(choice, *room);
}

double milliseconds(Rtt rtt) { return rtt.us / 1'000.0; }

struct Interval {
  double mean = 0, half = 0;  ///< 95 %, Student's t
};

Interval interval_of(const std::vector<double>& values) {
  const auto count = static_cast<double>(values.size());
  double sum = 0, squares = 0;
  for (const double value : values) sum += value;
  const double mean = sum / count;
  for (const double value : values) squares += (value - mean) * (value - mean);
  const double t = values.size() >= 30 ? 2.045 : 2.776;  // 29 and 4 degrees of freedom
  return {mean, t * std::sqrt(squares / (count - 1) / count)};
}

void run(int seeds, std::int32_t full_percent) {
  std::vector<double> gains, gained_means;
  std::string losers;
  double seconds_ratio = 0;
  int moves = 0;
  std::printf("replicas that take %d %% of their target\n", full_percent);
  for (int seed = 0; seed < seeds; ++seed) {
    const HotSpot spot(static_cast<std::uint64_t>(seed), full_percent);
    const LoadRun follows = play(spot, SiteChoice::kDemand), even = play(spot, SiteChoice::kSpread);
    const UserRtts &near = follows.sites->users, &far = even.sites->users;
    const double p95 = milliseconds(near.quantile(0.95)), other = milliseconds(far.quantile(0.95));
    const double ratio = static_cast<double>(follows.replica_seconds) /
                         static_cast<double>(std::max<std::int64_t>(even.replica_seconds, 1));
    std::printf(
        "seed %2d  p95 %6.2f ms, even spread %6.2f ms  mean %5.2f, %5.2f  replica-seconds %.4f of "
        "the other's, short %lld s, %lld s  %d moves\n",
        seed, p95, other, milliseconds(near.mean()), milliseconds(far.mean()), ratio,
        static_cast<long long>(follows.short_seconds), static_cast<long long>(even.short_seconds),
        follows.sites->moves);
    gains.push_back(other - p95);
    gained_means.push_back(milliseconds(far.mean()) - milliseconds(near.mean()));
    seconds_ratio = std::max(seconds_ratio, std::abs(ratio - 1));
    moves += follows.sites->moves;
    if (p95 >= other) losers += (losers.empty() ? "" : ", ") + std::to_string(seed);
  }
  const Interval p95 = interval_of(gains), mean = interval_of(gained_means);
  std::printf("p95 lower by %.2f ms +- %.2f (95 %%), mean by %.2f ms +- %.2f; %d moves\n", p95.mean,
              p95.half, mean.mean, mean.half, moves);
  std::printf("seeds that are not better: %s\n", losers.empty() ? "none" : losers.c_str());
  std::printf(
      "ROW|H-7|p95 of user RTT on three sites, a hot spot that moves, %d seeds, replicas that "
      "take "
      "%d %% of their target: how much lower where replicas follow the demand than with as many "
      "spread evenly, users at the nearest that has room either way (replica-seconds differ by "
      "%.2f %% at most); seeds that are not better: %s|above 0|-|%.2f ms (95 %%: %.2f to "
      "%.2f)|%s\n",
      seeds, full_percent, 100 * seconds_ratio, losers.empty() ? "none" : losers.c_str(), p95.mean,
      p95.mean - p95.half, p95.mean + p95.half, p95.mean > p95.half ? "floor met" : "MISSED");
}

}  // namespace
}  // namespace gedge::bench

int main(int count, char** words) {
  const bool quick = count > 1 && std::string_view(words[1]) == "quick";
  for (const int full_percent : {125, 100}) gedge::bench::run(quick ? 5 : 30, full_percent);
  return 0;
}
