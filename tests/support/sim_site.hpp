// support/sim_site.hpp - small clusters for tests of who acts in them.
#pragma once

#include <string>
#include <vector>

#include "gedge/sim/world.hpp"

namespace gedge::test {

inline constexpr Nanos kSecond{1'000'000'000};

inline Node sim_node(const std::string& name) {
  Node node;
  node.name = name;
  node.labels.set("kubernetes.io/hostname", name);
  node.allocatable.set("cpu", 4'000);
  node.allocatable.set("pods", 10);
  return node;
}

inline PodSpec sim_spec() {
  PodSpec spec;
  spec.scheduler_name = "gedge";
  spec.labels.set("app", "web");
  Container container;
  container.name = "c";
  container.requests.set("cpu", 500);
  spec.containers = std::vector<Container>{container};
  for (const char* key : {"node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable"})
    spec.tolerations.push_back({key, true, {}, TaintEffect::kNoExecute});
  return spec;
}

/// Replicas of one workload; of a Pod, one.
inline void add_pods(Facts& facts, const std::string& kind, const std::string& name, int count) {
  const SpecIndex spec{static_cast<std::uint32_t>(facts.specs.size())};
  facts.specs.push_back(sim_spec());
  for (int i = 0; i < count; ++i) {
    Pod pod;
    pod.name = kind == "Pod" ? name : name + "-" + std::to_string(i);
    pod.workload_kind = kind;
    pod.workload_name = name;
    pod.ordinal = i;
    pod.spec = spec;
    facts.pods.push_back(pod);
  }
}

/// "n0" to "n2", and nothing on them.
inline Facts three_nodes() {
  Facts facts;
  for (int i = 0; i < 3; ++i) facts.nodes.push_back(sim_node("n" + std::to_string(i)));
  return facts;
}

/// "web-0@n1 web-1@-", in name order.
inline std::string where(const SimWorld& world) {
  std::string out;
  for (const auto& [name, known] : world.cluster().pods()) {
    if (!out.empty()) out += ' ';
    out +=
        name.name.str() + '@' + (known.pod.bound_node.empty() ? "-" : known.pod.bound_node.str());
    if (known.pod.terminating) out += '!';
    if (known.pod.phase == PodPhase::kRunning) out += '+';
  }
  return out;
}

inline void put_on(SimWorld& world, const std::string& pod, const std::string& node) {
  world.bind({0, {"default", pod}, {}, node});
}

}  // namespace gedge::test
