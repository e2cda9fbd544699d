// support/meddled_site.hpp - a small cluster in which somebody else is at work, and what must hold
// in it.
#pragma once

#include <doctest/doctest.h>

#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

#include "gedge/plan/live_cluster.hpp"
#include "gedge/plan/planner.hpp"
#include "gedge/policy/profile.hpp"
#include "gedge/sim/cluster.hpp"
#include "support/dice.hpp"

namespace gedge::test {

inline constexpr int kNodes = 6, kPods = 24;

inline Node make_node(int i) {
  Node node;
  node.name = "n" + std::to_string(i);
  node.labels.set("kubernetes.io/hostname", node.name.str());
  node.labels.set("zone", i % 2 == 0 ? "a" : "b");
  node.allocatable.set("cpu", 2'000);
  node.allocatable.set("memory", std::int64_t{4} << 30);
  node.allocatable.set("pods", 5);
  return node;
}

inline Pod make_pod(int i) {
  Pod pod;
  pod.name = "p" + std::to_string(i);
  pod.workload_name = pod.name;
  pod.workload_kind = "Pod";
  pod.priority = i % 3;
  return pod;
}

inline PodSpec make_spec(int i) {
  PodSpec spec;
  spec.scheduler_name = "gedge";
  spec.labels.set("app", "web" + std::to_string(i % 3));
  Container container;
  container.name = "c";
  container.requests.set("cpu", 300 + 200 * (i % 4));
  container.requests.set("memory", std::int64_t{256} << 20);
  spec.containers = std::vector<Container>{container};
  if (i % 5 == 0) {
    PodAffinityTerm term;
    term.topology_key = "kubernetes.io/hostname";
    term.selector.requirements.push_back({"app", SelectorOp::kIn, {spec.labels.find("app")[0]}});
    spec.required_anti_affinity = std::vector<PodAffinityTerm>{term};
  }
  return spec;
}

inline LiveCluster make_live() {
  LiveOptions options;
  options.profiles = {*builtin_profile("kube", Compat::k1_20)};
  return LiveCluster(std::move(options));
}

/// All nodes, and half of the pods.
inline void fill(SimCluster& server) {
  for (int i = 0; i < kNodes; ++i) server.create(make_node(i));
  for (int i = 0; i < kPods / 2; ++i) server.create(make_pod(i), make_spec(i));
}

/// Somebody does something.
inline void meddle(SimCluster& server, Dice& dice) {
  const int i = static_cast<int>(dice.below(kPods)), n = static_cast<int>(dice.below(kNodes));
  const PodName pod{"default", "p" + std::to_string(i)};
  switch (dice.below(10)) {
    case 0:
    case 1:
    case 2:
    case 3:
      server.create(make_pod(i), make_spec(i));
      break;
    case 4:
      server.remove_pod(pod);
      break;
    case 5:
      if (server.remove_pod(pod)) server.create(make_pod(i), make_spec(i));
      break;
    case 6:
      if (const auto at = server.pods().find(pod);
          at != server.pods().end() && !at->second.pod.bound_node.empty())
        server.finish(pod);
      break;
    case 7: {
      Node node = make_node(n);
      node.unschedulable = dice.chance(30);
      server.change(std::move(node));
      break;
    }
    case 8: {
      // Its pods go with it, as the controller of a cloud has it.
      const std::string name = "n" + std::to_string(n);
      std::vector<PodName> here;
      for (const auto& [of, known] : server.pods())
        if (known.pod.bound_node == name) here.push_back(of);
      for (const PodName& of : here) server.remove_pod(of);
      server.remove_node(name);
      break;
    }
    default:
      server.create(make_node(n));
      break;
  }
}

/// What a node has more than it takes, though nobody but a scheduler binds; empty: nothing.
inline std::string too_much(const SimCluster& server, const std::string& name) {
  const auto node = server.nodes().find(name);
  if (node == server.nodes().end()) return {};
  std::int64_t cpu = 0, pods = 0;
  for (const auto& [of, known] : server.pods()) {
    if (known.pod.bound_node != name || known.pod.phase == PodPhase::kSucceeded) continue;
    cpu += known.spec.containers.begin()->requests.amount("cpu");
    ++pods;
  }
  if (cpu <= 2'000 && pods <= 5) return {};
  return name + " has " + std::to_string(pods) + " pods of " + std::to_string(cpu) + "m";
}

/// What a plan says of the pods that wait.
inline Result<Plan> plan_of_rest(const SimCluster& server) {
  PlanRequest request;
  const Facts left = server.list();
  const RttMatrix rtt;
  request.facts = &left;
  request.rtt = &rtt;
  request.profiles = {*builtin_profile("kube", Compat::k1_20)};
  request.profiles.front().scheduler_name = "gedge";
  return make_plan(request);
}

/// Plays runs with the seeds from `first` on, until one fails; GEDGE_SEED replays one, and
/// GEDGE_SIM_RUNS says how many. `take` sees each. False: it was a replay.
template <typename Run, typename Take>
bool play_seeds(std::uint64_t first, std::uint64_t runs, int steps, Take&& take) {
  const char* const only = std::getenv("GEDGE_SEED");
  const char* const many = std::getenv("GEDGE_SIM_RUNS");
  if (only != nullptr)
    runs = 1;
  else if (many != nullptr)
    runs = std::strtoull(many, nullptr, 10);
  for (std::uint64_t i = 0; i < runs; ++i) {
    const std::uint64_t seed = only == nullptr ? first + i : std::strtoull(only, nullptr, 10);
    Run run(seed);
    for (int step = 0; step < steps && run.failures.empty(); ++step) run.step();
    if (run.failures.empty()) run.calm_down();
    REQUIRE_MESSAGE(run.failures.empty(), "seed ", seed, ": ", run.failures.front());
    take(run);
  }
  return only == nullptr;
}

}  // namespace gedge::test
