// Policy MachineFit: the planner against a slow, independent admission.
#include "gedge/policy/machine_fit.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <initializer_list>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "gedge/plan/planner.hpp"
#include "support/dice.hpp"
#include "support/machines.hpp"
#include "support/site_builder.hpp"
#include "support/slow_admission.hpp"

namespace gedge {
namespace {

using test::Cpus;
using test::Dice;
using test::make_machine;
using test::Shape;
using test::Site;
using test::SiteBuilder;
using test::SlowKubelet;

class Source final : public PolicySource {
 public:
  explicit Source(const NodeMachines& machines) : machines_(machines) {}
  std::unique_ptr<FilterPolicy> filter(std::string_view name) const override {
    return name == kMachineFit ? make_machine_filter(machines_) : nullptr;
  }
  std::unique_ptr<ScorePolicy> score(std::string_view name) const override {
    return name == kMachineFit ? make_machine_score(machines_) : nullptr;
  }

 private:
  const NodeMachines& machines_;
};

// Class Guaranteed, with these whole CPUs; 0: half a CPU.
void add_pod(SiteBuilder& builder, const std::string& name, const std::vector<int>& cpus,
             const std::string& bound = {}, const std::vector<std::uint64_t>& memory = {}) {
  auto& draft = builder.pod(name);
  draft.spec.containers.clear();
  for (std::size_t i = 0; i < cpus.size(); ++i) {
    Container container{"c" + std::to_string(i), "image", {}, {}, false};
    for (Resources* const resources : {&container.requests, &container.limits}) {
      resources->set(kCpu, cpus[i] == 0 ? 500 : cpus[i] * 1'000);
      resources->set(kMemory, memory.empty() ? 1 << 20 : static_cast<std::int64_t>(memory[i]));
    }
    draft.spec.containers.push_back(container);
  }
  if (!bound.empty()) draft.on(bound);
}

void add_node(SiteBuilder& builder, const std::string& name) {
  Resources& allocatable = builder.node(name).allocatable;
  allocatable.set(kCpu, 1'000'000);
  allocatable.set(kMemory, std::int64_t{1} << 40);
}

Kubelet kubelet_of(const Shape& shape, const KubeletRules& rules) {
  auto made = Kubelet::create(make_machine(shape), rules);
  REQUIRE_MESSAGE(made, (made ? "" : made.error().what));
  return *std::move(made);
}

KubeletRules rules_of(TopologyPolicy policy) {
  KubeletRules rules;
  rules.is_static = true;
  rules.topology.policy = policy;
  rules.reservation = {1, CpuSet{0}};
  return rules;
}

Plan plan_of(const Site& site, const Source* source) {
  PlanRequest request;
  request.facts = &site.facts;
  request.rtt = &site.matrix;
  Profile profile = *builtin_profile("kube", Compat::k1_36);
  if (source != nullptr) {
    profile.filters.push_back({std::string(kMachineFit), 1, {}});
    profile.scores.push_back({std::string(kMachineFit), 1, {}});
    request.modules = source;
  }
  request.profiles = {std::move(profile)};
  auto plan = make_plan(request);
  REQUIRE_MESSAGE(plan, (plan ? "" : plan.error().what));
  return *std::move(plan);
}

std::string placed(const Plan& plan) {
  std::string all;
  for (const Decision& decision : plan.decisions)
    all += decision.pod.str() + '=' + (decision.chosen ? decision.chosen->node.str() : "-") + ' ';
  return all;
}

struct Case {
  std::map<std::string, SlowKubelet> nodes;
  std::map<std::string, std::vector<int>> pods;
  std::map<std::string, std::vector<std::uint64_t>> memory;  // bytes of each container
};

Shape random_shape(Dice& dice) {
  Shape shape;
  shape.sockets = static_cast<int>(dice.between(1, 2));
  shape.nodes = static_cast<int>(dice.between(1, 2));
  shape.cores = 2 * static_cast<int>(dice.between(1, 2));
  shape.threads = static_cast<int>(dice.between(1, 2));
  return shape;
}

KubeletRules random_rules(Dice& dice) {
  KubeletRules rules = rules_of(dice.pick(
      std::vector{TopologyPolicy::kNone, TopologyPolicy::kBestEffort, TopologyPolicy::kRestricted,
                  TopologyPolicy::kSingleNumaNode, TopologyPolicy::kSingleNumaNode}));
  rules.topology.scope = dice.chance(50) ? TopologyScope::kPod : TopologyScope::kContainer;
  rules.cpu.full_pcpus_only = dice.chance(30);
  rules.cpu.distribute_cpus_across_numa = dice.chance(20);
  return rules;
}

}  // namespace

TEST_CASE("slow admission: vectors of a real kubelet's allocator, behind an open door") {
  Shape shape{.sockets = 2, .nodes = 1, .cores = 3, .threads = 2};
  shape.numbering = test::Numbering::kSocketsInTurn;
  const Machine machine = make_machine(shape);
  const auto first = [&](int cpus) {
    SlowKubelet kubelet(machine, rules_of(TopologyPolicy::kNone), {});
    return kubelet.admit({cpus})->front();
  };
  CHECK(first(1) == Cpus{0});  // V25
  CHECK(first(2) == Cpus{0, 6});
  CHECK(first(3) == Cpus{0, 2, 6});
  CHECK(first(6) == Cpus{0, 2, 4, 6, 8, 10});  // V26
  CHECK(first(7) == Cpus{0, 1, 2, 4, 6, 8, 10});
  KubeletRules across = rules_of(TopologyPolicy::kNone);  // V28
  across.cpu.full_pcpus_only = across.cpu.distribute_cpus_across_numa = true;
  CHECK(SlowKubelet(machine, across, {}).admit({8})->front() == Cpus{0, 1, 2, 3, 6, 7, 8, 9});
}

TEST_CASE("slow admission: memory of two nodes is nobody's alone") {
  Machine machine = make_machine({.sockets = 2, .nodes = 1, .cores = 4, .threads = 2});
  for (NumaNode& node : machine.numa_nodes) node.memory_bytes = 10;
  KubeletRules rules = rules_of(TopologyPolicy::kRestricted);
  rules.memory = {true, {{0, 2}}, std::nullopt};
  SlowKubelet kubelet(machine, rules, {0});
  CHECK(kubelet.admit({0}, {12}));       // of both: it fits into none
  CHECK_FALSE(kubelet.admit({0}, {3}));  // one node would do, were they not a group
  CHECK(kubelet.admit({1}, {0}));
  SlowKubelet other(machine, rules, {0});
  CHECK(other.admit({1}, {9}) == std::vector<Cpus>{{8}});
  CHECK_FALSE(other.admit({1}, {9}));  // 1 + 8 are free, but one of them gives alone
  CHECK(other.admit({1}, {8}));
}

TEST_CASE("slow admission: enough CPUs, and yet refused") {
  const Machine machine = make_machine({.sockets = 2, .nodes = 1, .cores = 4, .threads = 2});
  SlowKubelet kubelet(machine, rules_of(TopologyPolicy::kRestricted), {0, 1});
  CHECK(kubelet.admit({4}) == std::vector<Cpus>{{2, 3, 4, 5}});
  CHECK(kubelet.admit({4}) == std::vector<Cpus>{{8, 9, 10, 11}});
  CHECK_FALSE(kubelet.admit({6}));
  CHECK_FALSE(kubelet.admit({9}));
  CHECK(kubelet.admit({4, 0}) == std::vector<Cpus>{{12, 13, 14, 15}, {}});
}

TEST_CASE("MachineFit: what the kubelet refuses is placed elsewhere, in its words where nowhere") {
  SiteBuilder builder;
  add_node(builder, "a");
  add_node(builder, "b");
  add_pod(builder, "first", {5});
  add_pod(builder, "second", {5});
  add_pod(builder, "third", {5});
  NodeMachines machines;
  const Shape shape{.sockets = 2, .nodes = 1, .cores = 6};
  machines.add("a", kubelet_of(shape, rules_of(TopologyPolicy::kSingleNumaNode)));
  machines.add("b", kubelet_of({.sockets = 2, .nodes = 1, .cores = 4},
                               rules_of(TopologyPolicy::kSingleNumaNode)));
  const auto site = builder.build();
  const Source source(machines);
  const Plan plan = plan_of(*site, &source);
  CHECK(placed(plan) == "first=a second=a third=- ");
  CHECK(plan.decisions[2].message.str().find("TopologyAffinityError: Resources cannot be allocated "
                                             "with Topology locality") != std::string::npos);
}

TEST_CASE("MachineFit: what a state file holds is held, and its pods are not admitted twice") {
  SiteBuilder builder;
  add_node(builder, "a");
  add_pod(builder, "old", {4}, "a");
  add_pod(builder, "new", {3});
  for (const int held : {4, 6}) {
    Kubelet kubelet =
        kubelet_of({.sockets = 1, .nodes = 1, .cores = 8}, rules_of(TopologyPolicy::kNone));
    CpuAssignments state;
    state.pods["default/old"]["c0"] = CpuSet::range(1, held);
    state.shared = CpuSet::range(0, 7) - CpuSet::range(1, held);
    REQUIRE(kubelet.restore(state));
    NodeMachines machines;
    machines.add("a", std::move(kubelet));
    const auto site = builder.build();
    const Source source(machines);
    CHECK(placed(plan_of(*site, &source)) == (held == 4 ? "new=a " : "new=- "));
  }
}

TEST_CASE("MachineFit: without machine facts plans are as they were") {
  SiteBuilder builder;
  for (const char* const name : {"a", "b", "c"}) add_node(builder, name);
  for (int i = 0; i < 8; ++i) add_pod(builder, "p" + std::to_string(i), {i % 4, 2});
  const auto site = builder.build();
  const NodeMachines machines;
  const Source source(machines);
  const Plan with = plan_of(*site, &source), without = plan_of(*site, nullptr);
  CHECK(placed(with) == placed(without));
}

namespace {

constexpr std::uint64_t kGi = std::uint64_t{1} << 30;

struct Count {
  std::size_t refused = 0, admitted = 0;
};

void add_random_nodes(Dice& dice, bool with_memory, SiteBuilder& builder, Case& made,
                      NodeMachines& machines) {
  for (std::int64_t n = 0, nodes = dice.between(1, 3); n < nodes; ++n) {
    const std::string name = "n" + std::to_string(n);
    Machine machine = make_machine(random_shape(dice));
    KubeletRules rules = random_rules(dice);
    if (with_memory) {
      for (NumaNode& node : machine.numa_nodes)
        node.memory_bytes = static_cast<std::uint64_t>(dice.between(4, 8)) * kGi;
      rules.memory = {true, {{0, kGi}}, kGi};
      rules.is_static = true;
    }
    add_node(builder, name);
    auto kubelet = Kubelet::create(machine, rules);
    REQUIRE_MESSAGE(kubelet, (kubelet ? "" : kubelet.error().what));
    machines.add(name, *std::move(kubelet));
    made.nodes.emplace(name, SlowKubelet(machine, rules, {0}));
  }
}

void add_random_pods(Dice& dice, bool with_memory, SiteBuilder& builder, Case& made) {
  for (std::int64_t p = 0, pods = dice.between(1, 6); p < pods; ++p) {
    const std::string name = "p" + std::to_string(p);
    std::vector<int>& cpus = made.pods[name];
    std::vector<std::uint64_t>& memory = made.memory[name];
    for (std::int64_t c = dice.between(1, 2); c > 0; --c) {
      cpus.push_back(static_cast<int>(dice.between(0, with_memory ? 4 : 8)));
      memory.push_back(static_cast<std::uint64_t>(dice.between(1, with_memory ? 9 : 1)) * kGi);
    }
    add_pod(builder, name, cpus, {}, memory);
  }
}

void check_plan(const Plan& plan, Case& made, Count& count) {
  for (const Decision& decision : plan.decisions) {
    const std::vector<int>& cpus = made.pods.at(decision.pod.str());
    const std::vector<std::uint64_t>& memory = made.memory.at(decision.pod.str());
    std::set<std::string> would;
    for (const auto& [name, kubelet] : made.nodes)
      if (SlowKubelet(kubelet).admit(cpus, memory)) would.insert(name);
    std::size_t rejected = 0;
    for (const auto& [policy, nodes] : decision.rejected_by) rejected += nodes;
    CHECK(rejected == made.nodes.size() - would.size());
    CHECK(decision.chosen.has_value() == !would.empty());
    (would.empty() ? count.refused : count.admitted) += 1;
    if (!decision.chosen) continue;
    const std::string node = decision.chosen->node.str();
    REQUIRE(would.contains(node));
    CHECK(made.nodes.at(node).admit(cpus, memory));
  }
}

Count check_random_cases(std::uint64_t seed, bool with_memory) {
  Dice dice(seed);
  Count count;
  for (int round = 0; round < 1'000; ++round) {
    CAPTURE(round);
    SiteBuilder builder;
    Case made;
    NodeMachines machines;
    add_random_nodes(dice, with_memory, builder, made, machines);
    add_random_pods(dice, with_memory, builder, made);
    const auto site = builder.build();
    const Source source(machines);
    check_plan(plan_of(*site, &source), made, count);
  }
  return count;
}

}  // namespace

TEST_CASE("MachineFit: a thousand random cases, as a slow and independent admission says") {
  const Count count = check_random_cases(23, false);
  CHECK(count.refused > 300);
  CHECK(count.admitted > 1'000);
}

TEST_CASE("MachineFit: a thousand random cases with a memory manager, as the slow admission says") {
  const Count count = check_random_cases(29, true);
  CHECK(count.refused > 300);
  CHECK(count.admitted > 1'000);
}

}  // namespace gedge
