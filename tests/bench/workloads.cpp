#include "bench/workloads.hpp"

#include <algorithm>
#include <cstdlib>
#include <random>
#include <utility>
#include <vector>

#include "gedge/verify/verify.hpp"

namespace gedge::bench {
namespace {

constexpr std::int64_t kMi = std::int64_t{1} << 20;
constexpr std::string_view kHostname = "kubernetes.io/hostname";
constexpr std::string_view kZone = "topology.kubernetes.io/zone";

std::string numbered(std::string_view prefix, std::uint32_t number) {
  std::string digits = std::to_string(number);
  return std::string(prefix) + std::string(7 - std::min<std::size_t>(7, digits.size()), '0') +
         digits;
}

void add_nodes(Facts& facts, std::uint32_t count) {
  for (std::uint32_t i = 0; i < count; ++i) {
    Node node;
    node.name = numbered("node-", i);
    node.labels.set(kHostname, node.name);
    node.labels.set(kZone, "zone-" + std::to_string(i % 10));
    const std::int64_t size = 1 + i % 3;
    node.allocatable = {{std::string(kCpu), 16'000 * size},
                        {std::string(kMemory), 64 * 1024 * kMi * size},
                        {std::string(kPods), 110}};
    facts.nodes.push_back(std::move(node));
  }
}

PodSpec spec_of(std::int64_t milli, std::int64_t bytes) {
  PodSpec spec;
  Container container;
  container.name = "main";
  container.image = "app:1";
  container.requests = {{std::string(kCpu), milli}, {std::string(kMemory), bytes}};
  spec.containers.push_back(std::move(container));
  return spec;
}

// Bare pods: the order of their numbers is the order of the plan.
void add_pod(Facts& facts, std::uint32_t number, SpecIndex spec) {
  Pod pod;
  pod.name = numbered("pod-", number);
  pod.spec = spec;
  pod.workload_kind = "Pod";
  pod.workload_name = pod.name;
  pod.ordinal = number;
  facts.pods.push_back(std::move(pod));
}

SpecIndex add_spec(Facts& facts, PodSpec spec) {
  facts.specs.push_back(std::move(spec));
  return SpecIndex{static_cast<std::uint32_t>(facts.specs.size() - 1)};
}

void finish(Facts& facts) {
  facts.files.emplace_back();
  facts.namespaces.push_back({"default", {}});
}

}  // namespace

Workload of_templates(Size size, std::uint32_t templates) {
  Workload made;
  add_nodes(made.facts, size.nodes);
  for (std::uint32_t t = 0; t < templates; ++t) {
    PodSpec spec = spec_of(100 + 50 * t, (128 + 64 * t) * kMi);
    spec.labels.set("app", "app-" + std::to_string(t));
    add_spec(made.facts, std::move(spec));
  }
  for (std::uint32_t i = 0, next = 0; i < size.pods;
       ++i, next = next + 1 < templates ? next + 1 : 0)
    add_pod(made.facts, i, SpecIndex{next});
  finish(made.facts);
  return made;
}

Workload with_own_labels(Workload made) {
  for (Pod& pod : made.facts.pods)
    pod.extra_labels.set("statefulset.kubernetes.io/pod-name", pod.name);
  return made;
}

Workload all_different(Size size) {
  Workload made;
  add_nodes(made.facts, size.nodes);
  std::mt19937 random(20261121);
  for (std::uint32_t i = 0; i < size.pods; ++i) {
    const auto milli = static_cast<std::int64_t>(50 + random() % 2000);
    const auto mebibytes = static_cast<std::int64_t>(64 + random() % 8192);
    PodSpec spec = spec_of(milli, mebibytes * kMi + i);
    add_pod(made.facts, i, add_spec(made.facts, std::move(spec)));
  }
  finish(made.facts);
  return made;
}

Workload all_different_bounded(Size size) {
  constexpr std::uint32_t kSite = 50;
  Workload made = all_different(size);
  std::vector<std::string> names;
  for (const Node& node : made.facts.nodes) names.push_back(node.name);
  made.rtt = RttMatrix(names);
  std::mt19937 random(7);
  std::vector<std::pair<int, int>> sites(size.nodes / kSite + 1);
  for (auto& site : sites)
    site = {static_cast<int>(random() % 1000), static_cast<int>(random() % 1000)};
  for (std::uint32_t a = 0; a < size.nodes; ++a)
    for (std::uint32_t b = 0; b < size.nodes; ++b) {
      const auto& from = sites[a / kSite];
      const auto& to = sites[b / kSite];
      const int distance = std::abs(from.first - to.first) + std::abs(from.second - to.second);
      const int us = a == b ? 0 : 200 + 20 * distance;
      made.rtt.set(NameIndex{a}, NameIndex{b}, Rtt{static_cast<std::uint32_t>(us)});
    }
  made.rtt.note_symmetry();
  for (PodSpec& spec : made.facts.specs) {
    DelayBudget budget;
    budget.from = budget.name = names[random() % names.size()];
    budget.kind = PeerKind::kNode;
    budget.limit_us = static_cast<std::int64_t>(2'000 + random() % 8'000);
    spec.budgets.push_back(std::move(budget));
  }
  return made;
}

Workload spread_services(Size size, std::uint32_t services, Order order) {
  Workload made;
  add_nodes(made.facts, size.nodes);
  for (std::uint32_t s = 0; s < services; ++s) {
    PodSpec spec = spec_of(100, 128 * kMi);
    const std::string app = "service-" + std::to_string(s);
    spec.labels.set("app", app);
    LabelSelector own;
    own.requirements.push_back({"app", SelectorOp::kIn, {app}});
    PodAffinityTerm apart;
    apart.selector = own;
    apart.topology_key = kHostname;
    spec.required_anti_affinity.push_back(std::move(apart));
    TopologySpread zones;
    zones.topology_key = kZone;
    zones.selector = own;
    spec.spread.push_back(std::move(zones));
    add_spec(made.facts, std::move(spec));
  }
  const std::uint32_t each = size.pods / std::max(services, 1U);
  const bool grouped = order == Order::kGrouped;
  const std::uint32_t turns = grouped ? services : each, of_each = grouped ? each : services;
  std::uint32_t number = 0;
  for (std::uint32_t turn = 0; turn < turns; ++turn)
    for (std::uint32_t i = 0; i < of_each; ++i)
      add_pod(made.facts, number++, SpecIndex{grouped ? turn : i});
  finish(made.facts);
  return made;
}

bool holds(const Facts& facts, const RttMatrix& rtt, const Plan& plan, Compat compat) {
  VerifyInput input{facts, rtt, "", compat, {}, false};
  for (const Decision& decision : plan.decisions)
    if (decision.chosen)
      input.placements.push_back({decision.namespace_name, decision.pod, decision.chosen->node});
  return verify(input).empty();
}

}  // namespace gedge::bench
