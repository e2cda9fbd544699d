// Pods that come one by one to a cluster that is followed, each with a claim of its own: processor
// microseconds a pod from the first news of it to the last, on 1,000 nodes with disks of their own.
// Events and questions are those of `gedge schedule --watch`: the claim, the pod, where it goes,
// what its claim gets; then the cluster says that the volume and the claim are bound, whether the
// pod still fits is asked, and the cluster says that it is bound. `bench_live_claims [quick]`
//
// One row a size, by how many pods with a bound claim each were there before. "Without": the same
// pods and events, but those of claims. The median of rounds.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <string>
#include <string_view>
#include <vector>

#include "bench/workloads.hpp"
#include "gedge/plan/live_cluster.hpp"
#include "gedge/policy/profile.hpp"

namespace gedge::bench {
namespace {

constexpr std::int64_t kGi = std::int64_t{1} << 30;
constexpr std::uint32_t kNodes = 1'000, kNewPods = 200;
constexpr int kRounds = 3;

PersistentVolume disk(const Facts& cluster, std::uint32_t number) {
  const Node& node = cluster.nodes[number % kNodes];
  PersistentVolume volume;
  volume.name = "disk-" + std::to_string(number);
  volume.storage_class = "local";
  volume.capacity_bytes = 10 * kGi;
  volume.access_modes = {"ReadWriteOnce"};
  volume.has_node_affinity = true;
  NodeSelectorTerm here;
  here.expressions.push_back(
      {"kubernetes.io/hostname", SelectorOp::kIn, {*node.labels.find("kubernetes.io/hostname")}});
  volume.node_terms.push_back(std::move(here));
  return volume;
}

PersistentVolumeClaim claim(std::uint32_t number) {
  PersistentVolumeClaim made;
  made.namespace_name = "default";
  made.name = "claim-" + std::to_string(number);
  made.storage_class = "local";
  made.request_bytes = 10 * kGi;
  made.access_modes = {"ReadWriteOnce"};
  return made;
}

Facts pod(const PodSpec& like, std::uint32_t number, bool with_claim) {
  Facts facts;
  facts.specs.push_back(like);
  if (with_claim) {
    PodVolume used;
    used.claim = claim(number).name;
    facts.specs.front().volumes = std::vector<PodVolume>{used};
  }
  Pod made;
  made.name = "pod-" + std::to_string(number);
  made.uid = made.name;
  made.workload_kind = "StatefulSet";
  made.workload_name = "pod";
  made.ordinal = number;
  facts.pods.push_back(std::move(made));
  return facts;
}

void bind(PersistentVolume& volume, PersistentVolumeClaim& wanted) {
  volume.claim_namespace = wanted.namespace_name;
  volume.claim_name = wanted.name;
  wanted.volume_name = volume.name;
}

void fail(const char* why) {
  std::fprintf(stderr, "%s\n", why);
  std::exit(1);
}

class Site {
 public:
  Site(std::uint32_t standing, bool with_claims)
      : with_claims_(with_claims), cluster_(options()), next_(standing) {
    facts_ = of_templates({kNodes, 1}, 1).facts;
    like_ = facts_.specs.front();
    Facts all;
    all.nodes = facts_.nodes;
    StorageClass local;
    local.name = "local";
    local.binding = VolumeBinding::kWaitForFirstConsumer;
    local.provisions = false;
    all.storage_classes.push_back(local);
    for (std::uint32_t i = 0; i < standing + 2 * kNewPods && with_claims; ++i) {
      all.volumes.push_back(disk(facts_, i));
      if (i >= standing) continue;
      all.claims.push_back(claim(i));
      bind(all.volumes.back(), all.claims.back());
    }
    cluster_.put(std::move(all));
    for (std::uint32_t i = 0; i < standing; ++i) {
      Facts one = pod(like_, i, with_claims);
      one.pods.front().bound_node = facts_.nodes[i % kNodes].name;
      cluster_.put(std::move(one));
    }
    come();
  }

  void come();
  std::uint64_t rebuilds() const { return cluster_.rebuilds(); }

 private:
  static LiveOptions options() {
    LiveOptions made;
    made.profiles = {*builtin_profile("kube", Compat::k1_36)};
    return made;
  }

  bool with_claims_;
  Facts facts_;
  PodSpec like_;
  LiveCluster cluster_;
  std::uint32_t next_;
};

void Site::come() {
  const std::uint32_t number = next_++;
  PersistentVolumeClaim wanted = claim(number);
  if (with_claims_) {
    Facts told;
    told.claims.push_back(wanted);
    cluster_.put(std::move(told));
  }
  cluster_.put(pod(like_, number, with_claims_));
  const PodName name{"default", "pod-" + std::to_string(number)};
  const auto decisions = cluster_.place(std::vector<PodName>{name});
  if (!decisions || decisions->empty() || !decisions->front().chosen) fail("a pod has no node");
  const SharedText node = decisions->front().chosen->node;
  if (with_claims_) {
    const std::vector<ClaimRequest> requests = cluster_.take_claims(name);
    if (requests.size() != 1 || requests.front().volume.empty()) fail("a claim has no volume");
    Facts told;
    const std::string& volume = requests.front().volume;
    told.volumes.push_back(
        disk(facts_, static_cast<std::uint32_t>(std::stoul(volume.substr(volume.find('-') + 1)))));
    told.claims.push_back(std::move(wanted));
    bind(told.volumes.back(), told.claims.back());
    cluster_.put(std::move(told));
    if (cluster_.volumes_of(name) != VolumesOfPod::kBound) fail("a pod lacks its volume");
    const auto fits = cluster_.still_fits(name);
    if (!fits || !*fits) fail("a pod does not fit any more");
  }
  Facts bound = pod(like_, number, with_claims_);
  bound.pods.front().bound_node = node;
  cluster_.put(std::move(bound));
}

double seconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

struct Cost {
  double us = 0;
  std::uint64_t rebuilds = 0;
};

Cost cost(std::uint32_t standing, bool with_claims, std::uint32_t pods) {
  std::vector<double> rounds;
  std::uint64_t rebuilds = 0;
  for (int round = 0; round < kRounds; ++round) {
    Site site(standing, with_claims);
    const std::uint64_t before = site.rebuilds();
    const double start = seconds();
    for (std::uint32_t i = 0; i < pods; ++i) site.come();
    rounds.push_back((seconds() - start) * 1e6 / pods);
    rebuilds = site.rebuilds() - before;
  }
  std::sort(rounds.begin(), rounds.end());
  return {rounds[rounds.size() / 2], rebuilds};
}

int run(bool quick) {
  std::vector<std::uint32_t> sizes{1'000};
  if (!quick) sizes = {1'000, 4'000, 16'000};
  for (const std::uint32_t standing : sizes) {
    const std::uint32_t pods = quick ? 20 : kNewPods;
    const Cost without = cost(standing, false, pods), with = cost(standing, true, pods);
    std::printf(
        "ROW|claims-live|a pod with a claim that comes to 1,000 nodes with %u such pods, from the "
        "first news of it to the last|none|none|%.0f us; %.0f without claims; %llu of %u made the "
        "state anew|for information\n",
        standing, with.us, without.us, static_cast<unsigned long long>(with.rebuilds), pods);
    std::fflush(stdout);
  }
  return 0;
}

}  // namespace
}  // namespace gedge::bench

int main(int argc, char** argv) {
  return gedge::bench::run(argc > 1 && std::string_view(argv[1]) == "quick");
}
