// What policies remember, kept up by on_pod, against the same policy prepared anew.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "gedge/policy/profile.hpp"
#include "support/random_site.hpp"

using namespace gedge;
using namespace gedge::test;

namespace {

constexpr std::uint64_t kFirstSeed = 20'000;
constexpr std::size_t kSites = 300, kSteps = 20, kSamples = 3;

constexpr std::array<std::string_view, 6> kFilters{"PodTopologySpread", "InterPodAffinity",
                                                   "VolumeBinding",     "VolumeZone",
                                                   "DelayBudget",       "GpuShare"};
constexpr std::array<std::string_view, 4> kScores{"PodTopologySpread", "InterPodAffinity",
                                                  "LatencySlack", "SelectorSpread"};

// Disks on single nodes, and pods that wait for one.
void add_disks(Dice& dice, Facts& facts) {
  StorageClass disks;
  disks.name = "disk";
  disks.binding = VolumeBinding::kWaitForFirstConsumer;
  disks.provisions = false;
  facts.storage_classes.push_back(disks);
  for (const Node& node : facts.nodes) {
    PersistentVolume volume;
    volume.name = "disk-of-" + node.name;
    volume.storage_class = disks.name;
    volume.capacity_bytes = dice.between(1, 3);
    volume.has_node_affinity = dice.chance(70);
    NodeSelectorTerm here;
    here.expressions.push_back({"kubernetes.io/hostname", SelectorOp::kIn, {node.name}});
    volume.node_terms = {here};
    if (dice.chance(40)) volume.labels.set("topology.kubernetes.io/zone", "z1");
    facts.volumes.push_back(volume);
  }
  for (std::size_t i = 0; i < facts.specs.size(); ++i) {
    if (!dice.chance(50)) continue;
    PersistentVolumeClaim claim;
    claim.name = "claim-" + std::to_string(i);
    claim.storage_class = disks.name;
    claim.request_bytes = dice.between(1, 3);
    facts.specs[i].volumes = {{"disk", claim.name, false}};
    for (const char* space : {"default", "prod"}) {
      claim.namespace_name = space;
      facts.claims.push_back(claim);
    }
  }
}

// The random sites know no GPU cards, few disks and few pods on their way out.
void season(Dice& dice, Facts& facts) {
  if (dice.chance(50)) add_disks(dice, facts);
  for (Node& node : facts.nodes)
    if (dice.chance(70)) node.allocatable.set("alibabacloud.com/gpu-count", dice.between(1, 4));
  for (PodSpec& spec : facts.specs) {
    if (!dice.chance(60)) continue;
    const bool whole = dice.chance(20);
    spec.annotations.set("alibabacloud.com/gpu-count", whole ? "2" : "1");
    spec.annotations.set("alibabacloud.com/gpu-milli",
                         whole ? "1000" : std::to_string(100 * dice.between(1, 9)));
  }
  for (Pod& pod : facts.pods) pod.terminating = pod.terminating || dice.chance(10);
}

/// One policy, remembering one class.
struct Watched {
  std::string name;
  std::unique_ptr<FilterPolicy> filter;
  std::unique_ptr<ScorePolicy> score;
  std::unique_ptr<ClassState> state;
  PodIndex pod = kNoPod;
  std::vector<std::int64_t> before{};  // its answers before the last change

  const Policy& policy() const {
    return filter ? static_cast<const Policy&>(*filter) : static_cast<const Policy&>(*score);
  }
  /// One number a row: 0 or 1 for filters.
  std::vector<std::int64_t> answers(const ClassContext& context, ClassState* with) const {
    const ClusterState& cluster = context.cluster;
    const Rows rows{0, static_cast<std::uint32_t>(cluster.slots())};
    std::vector<std::int64_t> out(cluster.slots(), 0);
    if (filter) {
      NodeMask mask = cluster.alive();
      filter->filter(context, with, rows, mask, nullptr);
      mask.for_each([&](NodeIndex n) { out[raw(n)] = 1; });
    } else {
      score->on_feasible(with, context, cluster.alive());
      score->score(context, with, rows, out);
    }
    return out;
  }
};

std::vector<Watched> watch(Dice& dice, const ClusterState& cluster, Compat compat) {
  std::vector<Watched> all;
  PolicyArgs args;
  args.hard_pod_affinity_weight = dice.between(0, 5);
  for (std::size_t i = 0; i < kSamples; ++i) {
    const PodIndex pod{static_cast<std::uint32_t>(dice.below(cluster.pod_count()))};
    for (const std::string_view name : kFilters) {
      auto made = make_filter(name, args, compat);
      REQUIRE(made);
      all.push_back({"filter " + std::string(name), *std::move(made), nullptr, nullptr, pod, {}});
    }
    for (const std::string_view name : kScores) {
      if (name == "SelectorSpread" && compat != Compat::k1_20) continue;
      auto made = make_score(name, args, compat);
      REQUIRE(made);
      all.push_back({"score " + std::string(name), nullptr, *std::move(made), nullptr, pod, {}});
    }
  }
  for (Watched& w : all) {
    const ClassContext context{cluster, cluster.pod_facts(w.pod), cluster.joint_group(w.pod)};
    w.state = w.policy().prepare(context);
    if (w.state) w.before = w.answers(context, w.state.get());
  }
  return all;
}

/// Binds, unbinds or tries and takes back one pod.
void change(Dice& dice, ClusterState& cluster) {
  const PodIndex pod{static_cast<std::uint32_t>(dice.below(cluster.pod_count()))};
  const NodeIndex node{static_cast<std::uint32_t>(dice.below(cluster.slots()))};
  if (cluster.is_placed(pod))
    cluster.unbind(pod);
  else
    cluster.bind(pod, node);
}

/// Whether the policy listens to anything that the pod says.
bool hears(const Watched& w, const ClassContext& context, PodIndex pod) {
  std::vector<Topic> topics;
  w.policy().listen(context, *w.state, topics);
  const auto said = context.cluster.topics(context.cluster.pod_facts(pod));
  return std::any_of(said.begin(), said.end(), [&](Topic topic) {
    return std::find(topics.begin(), topics.end(), topic) != topics.end();
  });
}

/// The rows that the filter's mask leaves, as its answers.
std::vector<std::int64_t> unbarred(const Watched& w, const ClusterState& cluster) {
  std::vector<std::int64_t> out(cluster.slots(), 0);
  const NodeMask* barred = w.filter->barred(w.state.get());
  cluster.alive().for_each([&](NodeIndex n) {
    if (barred == nullptr || !barred->test(n)) out[raw(n)] = 1;
  });
  return out;
}

/// Answers that a change altered, by policy.
using Tally = std::map<std::string, std::size_t>;

/// Tells `w` of the last change and compares it with a fresh state.
void follow(Watched& w, const ClusterState& cluster, const Change& last, Tally& tally) {
  const ClassContext context{cluster, cluster.pod_facts(w.pod), cluster.joint_group(w.pod)};
  const std::unique_ptr<ClassState> fresh = w.policy().prepare(context);
  CHECK((fresh == nullptr) == (w.state == nullptr));
  if (!w.state) return;
  Touched touched{NodeMask(cluster.slots()), false};
  if (hears(w, context, last.pod))
    w.policy().on_pod(*w.state, context, last.pod, last.node,
                      last.kind == Change::Kind::kBind ? 1 : -1, touched);
  const std::vector<std::int64_t> now = w.answers(context, w.state.get());
  CHECK(now == w.answers(context, fresh.get()));
  const bool has_mask = w.filter && w.filter->keeps_barred();
  if (has_mask) CHECK(now == unbarred(w, cluster));
  for (std::uint32_t row = 0; row < cluster.slots(); ++row) {
    if (now[row] == w.before[row]) continue;
    ++tally[w.name];
    CHECK((has_mask || touched.all || touched.rows.test(NodeIndex{row}) ||
           NodeIndex{row} == last.node));
  }
  w.before = now;
}

void check_site(std::uint64_t seed, Tally& tally) {
  Dice dice(seed);
  RandomSite site = make_random_site(dice, {true});
  if (site.facts.pods.empty() || site.facts.nodes.empty()) return;
  season(dice, site.facts);
  const Compat compat = dice.chance(40) ? Compat::k1_20 : Compat::k1_36;
  ClusterState cluster(site.facts, site.rtt, {compat, site.rtt_by});
  for (std::uint32_t i = 0; i < cluster.pod_count(); ++i)
    if (dice.chance(20)) cluster.set_joint_group(PodIndex{i}, 7);
  std::vector<Watched> all = watch(dice, cluster, compat);
  for (std::size_t step = 0; step < kSteps; ++step) {
    const ClusterState::Mark mark = cluster.mark();
    change(dice, cluster);
    for (Watched& w : all) {
      INFO("step " << step << ", " << w.name);
      follow(w, cluster, cluster.since(cluster.epoch() - 1).front(), tally);
    }
    if (!dice.chance(25)) continue;
    cluster.undo(mark);
    for (Watched& w : all) {
      INFO("undo of step " << step << ", " << w.name);
      follow(w, cluster, cluster.since(cluster.epoch() - 1).front(), tally);
    }
  }
}

}  // namespace

TEST_CASE("policies that were told of every bind and unbind answer as if prepared anew") {
  Tally tally;
  for (std::uint64_t seed = kFirstSeed; seed < kFirstSeed + kSites; ++seed) {
    INFO("seed " << seed);
    check_site(seed, tally);
  }
  MESSAGE("seeds " << kFirstSeed << " to " << kFirstSeed + kSites - 1);
  CHECK(tally.size() == kFilters.size() + kScores.size());
  for (const auto& entry : tally) {
    MESSAGE(entry.first << ": " << entry.second << " changes");
    CHECK_MESSAGE(entry.second >= 20, entry.first << " hardly moved");
  }
}
