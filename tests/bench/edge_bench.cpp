// bench_edge DIRECTORY PLACEMENTS: the files of kubernetes-edge-scheduler's simulation through the
// library, with profile edge-scheduler: seconds of reading and of deciding inside one process.
//
// PLACEMENTS gets a line `WORKLOAD NODE` for each pod, `-` for none, to be compared with those of
// edge_baseline.py. Every figure of several rounds is printed, and the plan is verified:
//
//   choosing  what the simulation's loop does: each pod, in queue order, gets a node and is bound;
//             the cluster's columns were made before, as the simulation's objects are
//   deciding  a plan as a whole: columns, queue, choosing, decisions with their reports
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "bench/workloads.hpp"
#include "gedge/codec/edge_scheduler.hpp"
#include "gedge/codec/latency.hpp"
#include "gedge/codec/load.hpp"
#include "gedge/io/files.hpp"
#include "gedge/plan/engine.hpp"
#include "gedge/plan/planner.hpp"

namespace gedge::bench {
namespace {

constexpr int kRounds = 25;  // medians of seven moved twofold within minutes
constexpr std::uint64_t kMaxBytes = std::uint64_t{1} << 30;

struct Seconds {
  double wall = 0, cpu = 0;
};

class Stopwatch {
 public:
  Seconds lap() const {
    const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - start_;
    return {wall.count(), static_cast<double>(std::clock() - cpu_) / CLOCKS_PER_SEC};
  }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  std::clock_t cpu_ = std::clock();
};

struct Input {
  Facts facts;
  RttMatrix rtt;
};

[[noreturn]] void fail(const Errors& errors) {
  for (const Error& error : errors) std::fprintf(stderr, "bench_edge: %s\n", error.what.c_str());
  std::exit(1);
}

std::string bytes_of(DiskFiles& files, const std::string& path) {
  auto bytes = files.read(path, kMaxBytes);
  if (!bytes) fail({bytes.error()});
  return *std::move(bytes);
}

Input read(const std::string& directory) {
  DiskFiles files;
  const std::string nodes = bytes_of(files, directory + "/nodes.json");
  const std::string pods = bytes_of(files, directory + "/pods.yaml");
  const std::string metadata = bytes_of(files, directory + "/metadata.json");
  const std::string matrix = bytes_of(files, directory + "/matrix.txt");
  EdgeSchedulerNodes site = read_edge_scheduler_nodes({"nodes.json", nodes});
  if (!site.errors.empty()) fail(site.errors);
  FactsLoader loader;
  loader.add_nodes(std::move(site.nodes), "nodes.json");
  loader.add_manifests({"pods.yaml", pods});
  LoadResult result = loader.finish();
  if (!result.loaded) fail(result.errors);
  RttNames names = read_rtt_names({"metadata.json", metadata});
  if (!names.errors.empty()) fail(names.errors);
  RttOptions options;
  options.names = std::move(names.names);
  options.nodes = result.loaded->facts.nodes;
  RttReading reading = read_rtt({{{"matrix.txt", matrix}}}, options);
  if (!reading.errors.empty()) fail(reading.errors);
  return {std::move(result.loaded->facts), std::move(reading.matrix)};
}

void save(const Input& input, const Plan& plan, const std::string& path) {
  std::map<std::string, std::string> workload_of;
  for (const Pod& pod : input.facts.pods) workload_of[pod.name] = pod.workload_name;
  std::ofstream file(path);
  for (const Decision& decision : plan.decisions)
    file << workload_of[decision.pod] << ' ' << (decision.chosen ? decision.chosen->node : "-")
         << '\n';
}

/// Nodes by pod; kNoNode: none.
std::vector<NodeIndex> choose_all(ClusterState& cluster, Engine& engine) {
  std::vector<NodeIndex> chosen;
  chosen.reserve(cluster.pod_count());
  for (std::uint32_t i = 0; i < cluster.pod_count(); ++i) {
    const Choice& choice = engine.choose(PodIndex{i});
    if (choice.winner != kNoNode) cluster.bind(PodIndex{i}, choice.winner);
    chosen.push_back(choice.winner);
  }
  return chosen;
}

/// Times it; false where the plan has other nodes.
bool measure_choosing(const PlanRequest& request, const Plan& plan) {
  ClusterState cluster(*request.facts, *request.rtt);
  auto engine = Engine::make(cluster, request.profiles.front(), nullptr, request.seed);
  if (!engine) fail({engine.error()});
  const Stopwatch choosing;
  const std::vector<NodeIndex> chosen = choose_all(cluster, *engine);
  const Seconds chose = choosing.lap();
  std::printf("choosing wall %.5f cpu %.5f\n", chose.wall, chose.cpu);
  const auto is_chosen = [&](const Decision& decision, NodeIndex node) {
    if (!decision.chosen || node == kNoNode) return !decision.chosen && node == kNoNode;
    return cluster.node_name(node) == decision.chosen->node;
  };
  return std::equal(plan.decisions.begin(), plan.decisions.end(), chosen.begin(), chosen.end(),
                    is_chosen);
}

int measure(const std::string& directory, const std::string& placements) {
  const Stopwatch reading;
  const Input input = read(directory);
  const Seconds read_in = reading.lap();
  std::printf("reading wall %.4f cpu %.4f\n", read_in.wall, read_in.cpu);
  PlanRequest request;
  request.facts = &input.facts;
  request.rtt = &input.rtt;
  request.profiles = {*builtin_profile("edge-scheduler", Compat::k1_36)};
  for (int round = 0; round < kRounds; ++round) {
    const Stopwatch deciding;
    const auto plan = make_plan(request);
    const Seconds decided = deciding.lap();
    if (!plan) fail({plan.error()});
    std::printf("deciding wall %.5f cpu %.5f\n", decided.wall, decided.cpu);
    if (!measure_choosing(request, *plan))
      fail({{Errc::kInternal, "the plan has other nodes than its engine chose", {}, {}}});
    if (round > 0) continue;
    save(input, *plan, placements);
    std::printf("placed %zu of %zu, %s\n", plan->placed(), plan->decisions.size(),
                holds(input.facts, input.rtt, *plan) ? "verified" : "BREAKS A RULE");
  }
  return 0;
}

}  // namespace
}  // namespace gedge::bench

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fputs("usage: bench_edge DIRECTORY PLACEMENTS\n", stderr);
    return 2;
  }
  return gedge::bench::measure(argv[1], argv[2]);
}
