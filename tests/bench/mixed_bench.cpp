// O-8c: twenty kinds of pods, dealt round, on 5,000 nodes of 10 KB, while pods come and go; one pod
// in ten fits nowhere. No floor. `bench_mixed [quick]`
//
// Kinds differ in amounts, node selectors, tolerations, preferred and required terms towards other
// pods, spread constraints and ports. After every second placement a placed pod goes. Every 97th
// choice is compared with the scan of all nodes by an engine that was just made, which is not
// timed; a difference ends the program.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "bench/workloads.hpp"
#include "gedge/plan/engine.hpp"

namespace gedge::bench {
namespace {

constexpr std::uint32_t kKinds = 20;
constexpr std::string_view kZone = "topology.kubernetes.io/zone";
constexpr std::string_view kHostname = "kubernetes.io/hostname";

LabelSelector own_pods(const std::string& app) {
  LabelSelector selector;
  selector.requirements.push_back({"app", SelectorOp::kIn, {app}});
  return selector;
}

PodAffinityTerm term(const std::string& app, std::string_view key) {
  PodAffinityTerm made;
  made.selector = own_pods(app);
  made.topology_key = key;
  return made;
}

// Kinds 0 and 10 fit nowhere: one asks for more than any node has, one for a label no node has.
void constrain(PodSpec& spec, std::uint32_t kind) {
  const std::string app = "app-" + std::to_string(kind);
  switch (kind % 10) {
    case 0:
      if (kind == 0)
        spec.containers.edit().front().requests.set(kCpu, 1'000'000);
      else
        spec.node_selector.set("disk", "none");
      break;
    case 1:
      spec.node_selector.set("disk", "ssd");
      break;
    case 2:
      spec.tolerations.push_back({"dedicated", true, {}, {}});
      break;
    case 3:
      spec.preferred_anti_affinity.push_back({100, term(app, kHostname)});
      break;
    case 4:
      spec.preferred_affinity.push_back({50, term("app-5", kZone)});
      break;
    case 5:
      spec.required_anti_affinity.push_back(term(app, kHostname));
      break;
    case 6:
    case 7: {
      TopologySpread spread;
      spread.topology_key = kZone;
      spread.selector = own_pods(app);
      spread.hard = kind % 10 == 6;
      spread.max_skew = 5;
      spec.spread.push_back(std::move(spread));
      break;
    }
    case 8:
      spec.host_ports.push_back({"0.0.0.0", "TCP", static_cast<std::int32_t>(8000 + kind)});
      break;
    default:
      break;
  }
}

// What a kubelet reports of images, and labels as clouds put them on nodes.
void furnish(Node& node, std::uint32_t number) {
  for (std::uint32_t i = 0; i < 40; ++i) {
    const std::string name = "registry.example/team-" + std::to_string(i % 7) + "/service-" +
                             std::to_string(number % 5 * 40 + i);
    node.images.push_back({{name + "@sha256:" + std::string(64, 'a'), name + ":1.0"},
                           std::int64_t{20'000'000} + 3'000'000 * i});
  }
  for (std::uint32_t i = 0; i < 20; ++i)
    node.labels.set("cloud.example/attribute-" + std::to_string(i),
                    "value-" + std::to_string(number % (i + 1)));
  if (number % 3 == 0) node.labels.set("disk", "ssd");
  if (number % 11 == 0)
    node.taints.push_back({"dedicated", "batch", TaintEffect::kPreferNoSchedule});
}

Workload mixed(Size size) {
  Workload made = of_templates(size, kKinds);
  for (std::uint32_t i = 0; i < size.nodes; ++i) furnish(made.facts.nodes[i], i);
  for (std::uint32_t kind = 0; kind < kKinds; ++kind) {
    PodSpec& spec = made.facts.specs[kind];
    spec.containers.edit().front().image =
        "registry.example/team-" + std::to_string(kind % 7) + "/service-" + std::to_string(kind);
    constrain(spec, kind);
  }
  return made;
}

struct Tally {
  double seconds = 0;
  std::size_t placed = 0, unschedulable = 0, gone = 0, compared = 0, reason_bytes = 0;
};

Engine engine_for(const ClusterState& state) {
  auto engine = Engine::make(state, *builtin_profile("kube", Compat::k1_36), nullptr, 0);
  if (!engine) std::exit(1);
  return *std::move(engine);
}

void compare(const ClusterState& state, PodIndex pod, const Choice& choice, Tally& tally) {
  const Choice scan = to_choice(engine_for(state).evaluate(pod));
  ++tally.compared;
  const bool same_winner = scan.winner == choice.winner &&
                           (scan.winner == kNoNode || scan.winner_total == choice.winner_total);
  const bool same_runner_up =
      scan.runner_up == choice.runner_up &&
      (scan.runner_up == kNoNode || scan.runner_up_total == choice.runner_up_total);
  if (same_winner && same_runner_up && scan.rejected == choice.rejected) return;
  std::fprintf(stderr, "bench_mixed: pod %u: the choice is not that of the scan\n", raw(pod));
  std::exit(1);
}

Tally run(const Workload& workload) {
  Tally tally;
  std::clock_t start = std::clock();
  const auto lap = [&] {
    tally.seconds += static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
  };
  ClusterState state(workload.facts, workload.rtt);
  Engine engine = engine_for(state);
  std::mt19937 random(20261121);
  std::vector<PodIndex> running;
  for (std::uint32_t i = 0; i < workload.facts.pods.size(); ++i) {
    const PodIndex pod{i};
    const Choice& choice = engine.choose(pod);
    if (i % 97 == 0) {
      lap();
      compare(state, pod, choice, tally);
      start = std::clock();
    }
    if (choice.winner == kNoNode) {
      tally.reason_bytes += engine.fit_error(pod).size();
      ++tally.unschedulable;
      continue;
    }
    state.bind(pod, choice.winner);
    engine.follow();
    running.push_back(pod);
    if (++tally.placed % 2 != 0) continue;
    std::swap(running[random() % running.size()], running.back());
    state.unbind(running.back());
    engine.follow();
    running.pop_back();
    ++tally.gone;
  }
  lap();
  return tally;
}

}  // namespace
}  // namespace gedge::bench

int main(int argc, char** argv) {
  using namespace gedge::bench;
  const bool quick = argc > 1 && std::string_view(argv[1]) == "quick";
  const Size size{5'000, quick ? 4'000u : 20'000u};
  const Workload workload = mixed(size);
  std::vector<double> seconds;
  Tally tally;
  for (int round = 0; round < 3; ++round) {
    tally = run(workload);
    seconds.push_back(tally.seconds);
    std::printf("%.3f s\n", tally.seconds);
  }
  std::sort(seconds.begin(), seconds.end());
  std::printf(
      "ROW|O-8c|%u kinds of pods that come and go, %u nodes of 10 KB, %u pods: %zu placed, %zu "
      "fit nowhere (%zu bytes of reasons), %zu gone; %zu choices compared with the "
      "scan|none|100,000/s|%.0f/s; %.3f s "
      "(%.3f to %.3f)|%s\n",
      kKinds, size.nodes, size.pods, tally.placed, tally.unschedulable, tally.reason_bytes,
      tally.gone, tally.compared, size.pods / seconds[1], seconds[1], seconds.front(),
      seconds.back(), size.pods / seconds[1] >= 100'000 ? "aim met" : "aim MISSED, no floor");
}
