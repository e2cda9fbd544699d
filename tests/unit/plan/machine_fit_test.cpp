// Policy MachineFit: the planner against a slow, independent admission.
#include "gedge/policy/machine_fit.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <initializer_list>
#include <map>
#include <memory>
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
             const std::string& bound = {}) {
  auto& draft = builder.pod(name);
  draft.spec.containers.clear();
  for (std::size_t i = 0; i < cpus.size(); ++i) {
    Container container{"c" + std::to_string(i), "image", {}, {}, false};
    for (Resources* const resources : {&container.requests, &container.limits}) {
      resources->set(kCpu, cpus[i] == 0 ? 500 : cpus[i] * 1'000);
      resources->set(kMemory, 1 << 20);
    }
    draft.spec.containers.push_back(container);
  }
  if (!bound.empty()) draft.on(bound);
}

void add_node(SiteBuilder& builder, const std::string& name) {
  builder.node(name).allocatable.set(kCpu, 1'000'000);
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

TEST_CASE("MachineFit: a thousand random cases, as a slow and independent admission says") {
  Dice dice(23);
  std::size_t refused = 0, admitted = 0;
  for (int round = 0; round < 1'000; ++round) {
    CAPTURE(round);
    SiteBuilder builder;
    Case made;
    NodeMachines machines;
    const std::int64_t nodes = dice.between(1, 3), pods = dice.between(1, 6);
    for (std::int64_t n = 0; n < nodes; ++n) {
      const std::string name = "n" + std::to_string(n);
      const Shape shape = random_shape(dice);
      const KubeletRules rules = random_rules(dice);
      add_node(builder, name);
      machines.add(name, kubelet_of(shape, rules));
      made.nodes.emplace(name, SlowKubelet(make_machine(shape), rules, {0}));
    }
    for (std::int64_t p = 0; p < pods; ++p) {
      const std::string name = "p" + std::to_string(p);
      std::vector<int>& cpus = made.pods[name];
      for (std::int64_t c = dice.between(1, 2); c > 0; --c)
        cpus.push_back(static_cast<int>(dice.between(0, 8)));
      add_pod(builder, name, cpus);
    }
    const auto site = builder.build();
    const Source source(machines);
    for (const Decision& decision : plan_of(*site, &source).decisions) {
      const std::vector<int>& cpus = made.pods.at(decision.pod.str());
      std::set<std::string> would;
      for (const auto& [name, kubelet] : made.nodes)
        if (SlowKubelet(kubelet).admit(cpus)) would.insert(name);
      std::size_t rejected = 0;
      for (const auto& [policy, count] : decision.rejected_by) rejected += count;
      CHECK(rejected == made.nodes.size() - would.size());
      CHECK(decision.chosen.has_value() == !would.empty());
      (would.empty() ? refused : admitted) += 1;
      if (!decision.chosen) continue;
      const std::string node = decision.chosen->node.str();
      REQUIRE(would.contains(node));
      CHECK(made.nodes.at(node).admit(cpus));
    }
  }
  CHECK(refused > 300);
  CHECK(admitted > 1'000);
}

}  // namespace gedge
