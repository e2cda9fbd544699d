// Pods that each have a claim of their own: no two are alike to whoever looks at volumes. Processor
// seconds from facts to plan, on 1,000 nodes, by what the claims find. `bench_claims [quick]`
//
//   without      the same pods, without claims
//   provisioned  a class that makes volumes in some zones
//   zones        volumes of zones, as many as pods
//   disks        disks of single nodes, as many as pods
//   two disks    two claims a pod, of one class
//   sizes        disks of many sizes, and claims for as many
//
// One line a kind and size: KIND PODS SECONDS... Every plan is verified, and every pod has a node.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "bench/workloads.hpp"
#include "gedge/plan/planner.hpp"

namespace gedge::bench {
namespace {

constexpr std::int64_t kGi = std::int64_t{1} << 30;
constexpr std::uint32_t kNodes = 1'000, kTemplates = 4, kZones = 10;
constexpr int kRounds = 3;

struct Kind {
  std::string_view name;
  std::uint32_t claims = 1;  // of a pod
  enum class Volumes : std::uint8_t { kNone, kOfZones, kOfNodes } volumes = Volumes::kNone;
  bool sizes_differ = false;
};

void add_class(Facts& facts, bool provisions) {
  StorageClass storage;
  storage.name = "waits";
  storage.binding = VolumeBinding::kWaitForFirstConsumer;
  storage.provisions = provisions;
  for (std::uint32_t zone = 0; zone < kZones - 2; ++zone) {
    NodeSelectorTerm here;
    here.expressions.push_back(
        {"topology.kubernetes.io/zone", SelectorOp::kIn, {"zone-" + std::to_string(zone)}});
    storage.allowed_topologies.push_back(std::move(here));
  }
  facts.storage_classes.push_back(std::move(storage));
}

void add_volume(Facts& facts, const Kind& kind, std::uint32_t number, std::int64_t bytes) {
  const Node& node = facts.nodes[number % kNodes];
  const std::string key = kind.volumes == Kind::Volumes::kOfNodes ? "kubernetes.io/hostname"
                                                                  : "topology.kubernetes.io/zone";
  PersistentVolume volume;
  volume.name = "volume-" + std::to_string(facts.volumes.size());
  volume.storage_class = "waits";
  volume.capacity_bytes = bytes;
  volume.access_modes = {"ReadWriteOnce"};
  volume.has_node_affinity = true;
  NodeSelectorTerm here;
  here.expressions.push_back({key, SelectorOp::kIn, {*node.labels.find(key)}});
  volume.node_terms.push_back(std::move(here));
  facts.volumes.push_back(std::move(volume));
}

// Every pod has a spec of its own, which names its claims.
void add_claims(Facts& facts, const Kind& kind) {
  std::mt19937 random(20261122);
  const auto bytes = [&] {
    return kGi * (kind.sizes_differ ? static_cast<std::int64_t>(1 + random() % 5'000) : 10);
  };
  const std::vector<PodSpec> templates = facts.specs;
  facts.specs.clear();
  for (std::uint32_t i = 0; i < facts.pods.size(); ++i) {
    PodSpec spec = templates[raw(facts.pods[i].spec)];
    std::vector<PodVolume> used;
    for (std::uint32_t c = 0; c < kind.claims; ++c) {
      PersistentVolumeClaim claim;
      claim.namespace_name = "default";
      claim.name = "claim-" + std::to_string(c) + "-of-" + facts.pods[i].name;
      claim.storage_class = "waits";
      claim.request_bytes = bytes();
      claim.access_modes = {"ReadWriteOnce"};
      used.push_back({"data", claim.name, false});
      facts.claims.push_back(std::move(claim));
      if (kind.volumes != Kind::Volumes::kNone)
        add_volume(facts, kind, i + c * 7, kind.sizes_differ ? 5'000 * kGi + bytes() : 10 * kGi);
    }
    spec.volumes = used;
    facts.pods[i].spec = SpecIndex{i};
    facts.specs.push_back(std::move(spec));
  }
}

Workload workload_of(const Kind& kind, std::uint32_t pods) {
  Workload made = of_templates({kNodes, pods}, kTemplates);
  if (kind.claims == 0) return made;
  add_class(made.facts, kind.volumes == Kind::Volumes::kNone);
  add_claims(made.facts, kind);
  return made;
}

// The median of a few plans.
double measure(const Kind& kind, std::uint32_t pods) {
  const Workload workload = workload_of(kind, pods);
  PlanRequest request;
  request.facts = &workload.facts;
  request.rtt = &workload.rtt;
  request.profiles = {*builtin_profile("kube", Compat::k1_36)};
  std::vector<double> all;
  std::printf("%-12s %6u", std::string(kind.name).c_str(), pods);
  for (int round = 0; round < kRounds; ++round) {
    const std::clock_t start = std::clock();
    const auto plan = make_plan(request);
    all.push_back(static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC);
    if (!plan || plan->placed() != pods || !holds(workload.facts, workload.rtt, *plan)) {
      std::fprintf(stderr, "bench_claims: %s: not every pod is placed, or a rule is broken\n",
                   std::string(kind.name).c_str());
      std::exit(1);
    }
    std::printf(" %.4f", all.back());
  }
  std::printf("\n");
  std::fflush(stdout);
  std::sort(all.begin(), all.end());
  return all[kRounds / 2];
}

void report(const Kind& kind, std::uint32_t few, std::uint32_t many, double without) {
  const double least = measure(kind, few), most = measure(kind, many);
  const double slope = std::log(most / least) / std::log(double(many) / few);
  std::printf(
      "ROW|claims|%s: pods with %u claims each of their own, 1,000 nodes, %u and %u pods|"
      "none|none|%.0f and %.0f pods/s, growth %.2f; %.1f times the pods without claims|"
      "for information\n",
      std::string(kind.name).c_str(), kind.claims, few, many, few / least, many / most, slope,
      most / without);
}

}  // namespace
}  // namespace gedge::bench

int main(int argc, char** argv) {
  using namespace gedge::bench;
  using Volumes = Kind::Volumes;
  const bool quick = argc > 1 && std::string_view(argv[1]) == "quick";
  const std::uint32_t few = 4'000, many = quick ? 8'000 : 16'000;
  const double without = measure({"without", 0, Volumes::kNone, false}, many);
  for (const Kind& kind :
       {Kind{"provisioned", 1, Volumes::kNone, false}, Kind{"zones", 1, Volumes::kOfZones, false},
        Kind{"disks", 1, Volumes::kOfNodes, false}, Kind{"two disks", 2, Volumes::kOfNodes, false},
        Kind{"sizes", 1, Volumes::kOfNodes, true}})
    report(kind, few, many, without);
}
