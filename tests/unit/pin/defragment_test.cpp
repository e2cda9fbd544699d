#include "gedge/pin/defragment.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <initializer_list>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "support/dice.hpp"
#include "support/machines.hpp"

namespace gedge {
namespace {

using test::Dice;
using test::make_machine;
using test::Shape;

KubeletRules rules_with(const CpuSet& reserved) {
  KubeletRules rules;
  rules.is_static = true;
  rules.needs_reservation = false;
  rules.reservation = {reserved.size(), reserved};
  return rules;
}

using Held = std::map<std::string, CpuAssignments::OfPod>;

Kubelet kubelet_with(const Machine& machine, const KubeletRules& rules, const Held& held) {
  auto kubelet = Kubelet::create(machine, rules);
  REQUIRE(kubelet);
  CpuAssignments assignments{machine.cpu_set(), held};
  for (const auto& [pod, containers] : held)
    for (const auto& [name, cpus] : containers) assignments.shared -= cpus;
  REQUIRE(kubelet->restore(std::move(assignments)));
  return *std::move(kubelet);
}

// By the plainest definition: one look at each CPU.
WholeUnits counted(const Machine& machine, const CpuSet& reserved, const CpuSet& held) {
  WholeUnits whole;
  for (const NumaNode& node : machine.numa_nodes) {
    int open = 0, taken = 0;
    node.cpus.for_each([&](int cpu) {
      open += reserved.contains(cpu) ? 0 : 1;
      taken += held.contains(cpu) ? 1 : 0;
    });
    if (open > 0 && taken == 0) ++whole.nodes;
  }
  for (const Cpu& first : machine.cpus) {
    if (first.core != first.id) continue;
    bool whole_core = true;
    for (const Cpu& cpu : machine.cpus)
      if (cpu.core == first.id && (held.contains(cpu.id) || reserved.contains(cpu.id)))
        whole_core = false;
    if (whole_core) ++whole.cores;
  }
  return whole;
}

CpuSet held_by(const Kubelet& kubelet) {
  CpuSet held;
  for (const auto& [pod, containers] : kubelet.cpus().assignments().pods)
    for (const auto& [name, cpus] : containers) held |= cpus;
  return held;
}

// The pod ends and comes again; false where it is refused.
bool restart(Kubelet& kubelet, const std::string& uid) {
  PodCpus pod{uid, {}};
  for (const auto& [name, cpus] : kubelet.cpus().assignments().pods.at(uid))
    pod.containers.push_back({name, ContainerRole::kApp, cpus.size()});
  kubelet.remove(pod);
  return !kubelet.admit(pod).refusal;
}

struct Best {
  WholeUnits whole;
  std::size_t restarts = 0;
};

// Every series of at most `length` restarts, of whichever pods in whichever order.
void try_all(const Machine& machine, const CpuSet& reserved, const Kubelet& kubelet,
             std::size_t length, std::size_t done, Best& best) {
  const WholeUnits whole = counted(machine, reserved, held_by(kubelet));
  if (whole > best.whole || (whole == best.whole && done < best.restarts)) best = {whole, done};
  if (done == length) return;
  for (const auto& [uid, containers] : kubelet.cpus().assignments().pods) {
    Kubelet next = kubelet;
    if (restart(next, uid)) try_all(machine, reserved, next, length, done + 1, best);
  }
}

void check_series(const Machine& machine, const CpuSet& reserved, Kubelet kubelet,
                  const Defragmentation& found) {
  for (const Restart& each : found.restarts) {
    const auto before = kubelet.cpus().assignments().pods.at(each.pod);
    REQUIRE(restart(kubelet, each.pod));
    for (const RestartedContainer& container : each.containers) {
      CHECK(before.at(container.container) == container.from);
      CHECK(kubelet.cpus().assignments().pods.at(each.pod).at(container.container) == container.to);
    }
    CHECK(each.free == counted(machine, reserved, held_by(kubelet)));
  }
  CHECK(found.after == counted(machine, reserved, held_by(kubelet)));
}

const Shape kTwoNodes{.sockets = 2, .nodes = 1, .cores = 4, .threads = 2};

}  // namespace

TEST_CASE("defragment: one restart closes the gap, and the pod of the lowest uid is taken") {
  const Machine machine = make_machine(kTwoNodes);
  const Kubelet kubelet =
      kubelet_with(machine, rules_with({}), {{"a", {{"c", {0}}}}, {"b", {{"c", {2}}}}});
  const Defragmentation found = defragment(kubelet);
  CHECK(found.total == WholeUnits{2, 8});
  CHECK(found.now == WholeUnits{1, 6});
  CHECK(found.possible == WholeUnits{1, 7});
  CHECK(found.after == WholeUnits{1, 7});
  CHECK(found.is_proven);
  REQUIRE(found.restarts.size() == 1);
  CHECK(found.restarts[0] == Restart{"a", {{"c", {0}, {3}}}, {1, 7}});
}

TEST_CASE("defragment: a NUMA node comes back where pods move over") {
  const Machine machine = make_machine(kTwoNodes);
  const Kubelet kubelet =
      kubelet_with(machine, rules_with({0, 1}),
                   {{"a", {{"c", {2, 3}}}}, {"b", {{"c", {8, 9}}}}, {"d", {{"c", {10, 11}}}}});
  const Defragmentation found = defragment(kubelet);
  CHECK(found.total == WholeUnits{2, 7});
  CHECK(found.now == WholeUnits{0, 4});
  CHECK(found.possible == WholeUnits{1, 4});
  CHECK(found.after == found.possible);
  check_series(machine, {0, 1}, kubelet, found);
}

TEST_CASE("defragment: nothing to do, and nothing held at all") {
  const Machine machine = make_machine(kTwoNodes);
  const Kubelet packed =
      kubelet_with(machine, rules_with({0}), {{"a", {{"c", {2, 3}}}}, {"b", {{"c", {4, 5}}}}});
  const Defragmentation found = defragment(packed);
  CHECK(found.restarts.empty());
  CHECK(found.now == found.after);
  CHECK(found.after == WholeUnits{1, 5});
  const Defragmentation empty = defragment(kubelet_with(machine, rules_with({0}), {}));
  CHECK(empty.now == empty.possible);
  CHECK(empty.now == WholeUnits{2, 7});
}

TEST_CASE("defragment: containers of a pod that hold the same CPUs count as one") {
  const Machine machine = make_machine(kTwoNodes);
  const Kubelet kubelet = kubelet_with(
      machine, rules_with({}),
      {{"a", {{"app", {0, 2}}, {"init", {0, 2, 4}}, {"side", {6}}}}, {"b", {{"c", {8}}}}});
  const Defragmentation found = defragment(kubelet);
  CHECK(found.possible == WholeUnits{1, 5});  // five CPUs, not eight
  REQUIRE_FALSE(found.restarts.empty());
  for (const Restart& each : found.restarts)
    if (each.pod == "a") {
      REQUIRE(each.containers.size() == 2);
      CHECK(each.containers[0].container == "app+init");
      CHECK(each.containers[0].to.size() == 3);
    }
}

TEST_CASE("defragment: where the search comes to its bound it says so") {
  const Machine machine = make_machine(kTwoNodes);
  const Held held{{"a", {{"c", {0}}}}, {"b", {{"c", {2}}}}, {"d", {{"c", {12}}}}};
  const Kubelet kubelet = kubelet_with(machine, rules_with({}), held);
  const Defragmentation none = defragment(kubelet, 0);
  CHECK_FALSE(none.is_proven);
  CHECK(none.restarts.empty());
  CHECK(none.after == none.now);
  CHECK(none.possible == WholeUnits{1, 6});
  const Defragmentation all = defragment(kubelet);
  CHECK(all.is_proven);
  CHECK(all.after == all.possible);
}

namespace {

struct Case {
  Shape shape;
  KubeletRules rules;
  Held held;
};

Case random_case(Dice& dice) {
  Case made;
  made.shape = {.sockets = 1 + static_cast<int>(dice.below(2)),
                .nodes = 1,
                .cores = 2 + static_cast<int>(dice.below(3)),
                .threads = 1 + static_cast<int>(dice.below(2)),
                .numbering = static_cast<test::Numbering>(dice.below(3))};
  const Machine machine = make_machine(made.shape);
  made.rules = rules_with(dice.below(2) == 0 ? CpuSet{} : CpuSet{0});
  if (dice.below(4) == 0) made.rules.topology.policy = TopologyPolicy::kSingleNumaNode;
  if (dice.below(4) == 0) made.rules.form = KubeletForm::k1_20;
  if (dice.below(4) == 0) made.rules.cpu.distribute_cpus_across_numa = true;
  std::vector<int> open = (machine.cpu_set() - made.rules.reservation.cpus).list();
  const std::size_t pods = 1 + dice.below(4);
  for (std::size_t pod = 0; pod < pods; ++pod) {
    CpuAssignments::OfPod containers;
    const std::size_t count = 1 + dice.below(2);
    for (std::size_t c = 0; c < count; ++c) {
      CpuSet cpus;
      for (std::size_t wanted = 1 + dice.below(3); wanted > 0 && open.size() > 1; --wanted) {
        const std::size_t at = dice.below(open.size());
        cpus.add(open[at]);
        open.erase(open.begin() + static_cast<std::ptrdiff_t>(at));
      }
      if (!cpus.empty()) containers["c" + std::to_string(c)] = cpus;
    }
    if (!containers.empty()) made.held["pod" + std::to_string(pod)] = containers;
  }
  return made;
}

// The most that any way of holding as many CPUs leaves, NUMA nodes and cores each by itself.
WholeUnits most_of_any(const Machine& machine, const CpuSet& reserved, int held) {
  const std::vector<int> open = (machine.cpu_set() - reserved).list();
  WholeUnits most;
  for (unsigned mask = 0; mask < 1U << open.size(); ++mask) {
    if (std::popcount(mask) != held) continue;
    CpuSet taken;
    for (std::size_t i = 0; i < open.size(); ++i)
      if ((mask >> i & 1U) != 0) taken.add(open[i]);
    const WholeUnits whole = counted(machine, reserved, taken);
    most.nodes = std::max(most.nodes, whole.nodes);
    most.cores = std::max(most.cores, whole.cores);
  }
  return most;
}

}  // namespace

TEST_CASE("defragment: as good as every series there is, and as short") {
  constexpr std::size_t kLongest = 4;
  Dice dice(23);
  int recovered = 0;
  for (int round = 0; round < 200; ++round) {
    const Case made = random_case(dice);
    CAPTURE(round);
    CAPTURE(made.shape.text());
    const Machine machine = make_machine(made.shape);
    const CpuSet& reserved = made.rules.reservation.cpus;
    const Kubelet kubelet = kubelet_with(machine, made.rules, made.held);
    const Defragmentation found = defragment(kubelet);
    REQUIRE(found.is_proven);
    CHECK(found.now == counted(machine, reserved, held_by(kubelet)));
    CHECK(found.total == counted(machine, reserved, {}));
    CHECK(found.possible == most_of_any(machine, reserved, held_by(kubelet).size()));
    check_series(machine, reserved, kubelet, found);
    Best best{found.now, 0};
    try_all(machine, reserved, kubelet, kLongest, 0, best);
    if (found.restarts.size() <= kLongest) {
      CHECK(best.whole == found.after);
      CHECK(best.restarts == found.restarts.size());
    } else {
      CHECK(best.whole < found.after);
    }
    recovered += found.restarts.empty() ? 0 : 1;
  }
  CHECK(recovered > 40);
}

}  // namespace gedge
