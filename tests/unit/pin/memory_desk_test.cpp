#include "gedge/pin/memory_desk.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "gedge/pin/admission.hpp"
#include "support/machines.hpp"

namespace gedge {
namespace {

using test::make_machine;

constexpr NumaMask kNone = 0, kFirst = 1, kSecond = 2, kBoth = 3;

// NUMA nodes of 10 bytes each, 2 of the first one reserved: 8 and 10 are to be had.
Machine machine(int nodes = 2) {
  Machine made = make_machine({.sockets = nodes, .nodes = 1, .cores = 4, .threads = 2});
  for (NumaNode& node : made.numa_nodes) node.memory_bytes = 10;
  return made;
}

const MemoryRules kRules{true, {{0, 2}}, 2};

MemoryDesk desk(int nodes = 2) {
  auto made = MemoryDesk::create(machine(nodes), kRules);
  REQUIRE_MESSAGE(made, (made ? "" : made.error().what));
  return *std::move(made);
}

CpuRequest part(std::string name, std::uint64_t bytes, ContainerRole role = ContainerRole::kApp) {
  return {std::move(name), role, 0, {}, bytes};
}

PodCpus pod(const std::string& uid, std::vector<CpuRequest> parts) {
  return {uid, std::move(parts)};
}

PodCpus one(const std::string& uid, std::uint64_t bytes) { return pod(uid, {part("c", bytes)}); }

// The nodes that it got; none where it was refused, with the words in `why`.
NumaMask take(MemoryDesk& desk, const PodCpus& pod, NumaHint hint = {},
              std::string* why = nullptr) {
  for (const CpuRequest& request : pod.containers)
    if (const auto refused = desk.allocate(pod, request, hint)) {
      if (why != nullptr) *why = refused->message;
      return kNone;
    }
  return desk.held_by(pod.uid, pod.containers.back().container).value_or(kNone);
}

std::vector<NumaHint> hints(const MemoryDesk& desk, std::uint64_t bytes) {
  const PodCpus asked = one("asks", bytes);
  return desk.hints(asked, asked.containers[0]).value_or(std::vector<NumaHint>{});
}

}  // namespace

TEST_CASE(
    "memory: hints are sets of nodes with enough, preferred the smallest that could ever do") {
  MemoryDesk made = desk();
  CHECK(hints(made, 5) == std::vector<NumaHint>{{kFirst, true}, {kSecond, true}, {kBoth, false}});
  CHECK(hints(made, 9) == std::vector<NumaHint>{{kSecond, true}, {kBoth, false}});
  CHECK(hints(made, 18) == std::vector<NumaHint>{{kBoth, true}});
  CHECK_FALSE(made.hints(one("a", 19)));  // nobody is told: it is refused when it is to be given
  CHECK_FALSE(made.hints(one("a", 0)));
  CHECK(take(made, one("a", 6), {kFirst, true}) == kFirst);
  CHECK(hints(made, 3) == std::vector<NumaHint>{{kSecond, true}});  // the first gives alone now
  CHECK_FALSE(made.hints(one("b", 11)));
}

TEST_CASE("memory: nodes that gave together give to nobody else until all came back") {
  MemoryDesk made = desk(3);  // 8, 10 and 10
  CHECK(take(made, one("a", 12), {kBoth, false}) == kBoth);
  CHECK(hints(made, 5) == std::vector<NumaHint>{{NumaMask{4}, true}, {kBoth, false}});
  CHECK(hints(made, 15) == std::vector<NumaHint>{});
  CHECK(take(made, one("b", 6), {kBoth, false}) == kBoth);
  CHECK(hints(made, 1) == std::vector<NumaHint>{{NumaMask{4}, true}});
  made.release("a", "c");
  CHECK(hints(made, 12) == std::vector<NumaHint>{{kBoth, true}});
  made.release("b", "c");
  CHECK(hints(made, 15) == hints(desk(3), 15));
  CHECK(hints(made, 5) == hints(desk(3), 5));
  made.release("b", "c");  // again: nothing happens
  CHECK(hints(made, 5) == hints(desk(3), 5));
}

TEST_CASE("memory: without a hint the best one is taken, and one that is too small is widened") {
  MemoryDesk made = desk();
  CHECK(take(made, one("a", 9)) == kSecond);
  CHECK(take(made, one("b", 7)) == kFirst);
  std::string why;
  CHECK(take(made, one("c", 2), {}, &why) == kNone);
  CHECK(why ==
        "Allocate failed due to [memorymanager] failed to get the default NUMA affinity, no NUMA "
        "nodes with enough memory is available, which is unexpected");
  made = desk();
  CHECK(take(made, one("a", 12), {kFirst, true}) == kBoth);
  made = desk();
  CHECK(take(made, one("a", 9), {kFirst, true}, &why) == kNone);  // the second would do alone
  CHECK(why.find("failed to find the extended preferred hint") != std::string::npos);
  CHECK(take(made, one("a", 9), {kFirst, false}) == kBoth);
  // One node alone with enough is taken, though it is of a group: upstream looks no further.
  CHECK(take(made, one("b", 3), {kSecond, false}) == kSecond);
  made = desk();
  CHECK(take(made, one("a", 1), {kFirst, true}) == kFirst);
  CHECK(take(made, one("b", 5), {kBoth, false}, &why) == kNone);
  CHECK(why.find("preferred hint violates NUMA node allocation") != std::string::npos);
  CHECK(take(made, one("b", 9), {kFirst, false}, &why) == kNone);
  CHECK(why.find("failed to find NUMA nodes to extend") != std::string::npos);
}

TEST_CASE("memory: what an init container had is there for the next, a sidecar keeps its own") {
  MemoryDesk made = desk();
  const PodCpus web = pod("web", {part("i", 7, ContainerRole::kInit),
                                  part("s", 1, ContainerRole::kSidecar), part("a", 6)});
  CHECK(web.most_memory() == 7);
  CHECK(take(made, web, {kFirst, true}) == kFirst);
  CHECK(hints(made, 8) == std::vector<NumaHint>{{kSecond, true}});
  CHECK(take(made, one("b", 1), {kFirst, true}) == kFirst);  // 8 - 7
  made.release("web", "i");                                  // all that it had is used again
  CHECK_FALSE(made.allocate(one("c", 10), part("c", 10), {kSecond, true}));
  CHECK(hints(made, 1).empty());
  made.release("web", "a");
  made.release("web", "s");
  CHECK(hints(made, 7) == std::vector<NumaHint>{{kFirst, true}});
}

TEST_CASE("memory: a kubelet that would not start says why") {
  const auto why = [](const MemoryRules& rules, const Machine& on) {
    const auto made = MemoryDesk::create(on, rules);
    return made ? std::string() : made.error().what;
  };
  CHECK(why({}, Machine()).empty());
  CHECK(why({true, {}, std::nullopt}, machine()) ==
        "[memorymanager] you should specify the system reserved memory");
  CHECK(why({true, {{2, 1}}, 1}, machine()) ==
        "the reserved memory configuration references a NUMA node 2 that does not exist on this "
        "machine");
  CHECK(why({true, {{0, 1}, {1, 2}}, 4}, machine()) ==
        "the total amount \"3\" of type \"memory\" is not equal to the value \"4\" determined by "
        "Node Allocatable feature");
  CHECK(why({true, {{0, 11}}, 11}, machine()) == "NUMA node 0 has 10 bytes, and 11 are reserved");
  CHECK(why({true, {{0, 1}}, std::nullopt}, machine()).empty());
}

namespace {

// As a kubelet writes it after `a` took 12 of nodes 0 and 1 together: 8 and 4 of 8 and 10.
MemoryAssignments both_taken() {
  MemoryAssignments held;
  held.nodes[0] = {1, {{"memory", {10, 2, 8, 8, 0}}}, {0, 1}};
  held.nodes[1] = {1, {{"memory", {10, 0, 10, 4, 6}}}, {0, 1}};
  held.pods["a"]["c"] = {{{0, 1}, "memory", 12}};
  return held;
}

std::string why_not(const MemoryAssignments& held) {
  MemoryDesk made = desk();
  const std::vector<NumaHint> before = hints(made, 5);
  const Status restored = made.restore(held);
  if (restored) return "";
  CHECK(hints(made, 5) == before);
  CHECK(restored.error().code == Errc::kConflict);
  return restored.error().what;
}

}  // namespace

TEST_CASE("memory: goes on from the state of a kubelet") {
  MemoryDesk made = desk();
  CHECK(take(made, one("a", 12), {kBoth, false}) == kBoth);
  MemoryDesk restored = desk();
  REQUIRE(restored.restore(both_taken()));
  CHECK(restored.held_by("a", "c") == kBoth);
  for (std::uint64_t bytes = 1; bytes <= 10; ++bytes)
    CHECK(hints(restored, bytes) == hints(made, bytes));
  CHECK(hints(restored, 6) == std::vector<NumaHint>{{kBoth, false}});
  CHECK(hints(restored, 7).empty());
  restored.release("a", "c");
  CHECK(hints(restored, 5) == hints(desk(), 5));
  CHECK(why_not({}).empty());
}

TEST_CASE("memory: huge pages take memory away, and hold their NUMA node") {
  MemoryAssignments held;
  held.nodes[0] = {0, {{"memory", {10, 2, 8, 0, 8}}}, {0}};
  held.nodes[1] = {2, {{"memory", {10, 0, 4, 3, 1}}, {"hugepages-2Mi", {6, 0, 6, 2, 4}}}, {1}};
  held.pods["a"]["c"] = {{{1}, "memory", 3}, {{1}, "hugepages-2Mi", 2}};
  MemoryDesk made = desk();
  REQUIRE(made.restore(held));
  CHECK(hints(made, 1) == std::vector<NumaHint>{{kFirst, true}, {kSecond, true}});
  CHECK(hints(made, 2) == std::vector<NumaHint>{{kFirst, true}});
  CHECK(hints(made, 9).empty());  // both would do, but the second gives alone
  made.release("a", "c");
  CHECK(hints(made, 9) == std::vector<NumaHint>{{kBoth, true}});
}

TEST_CASE("memory: a state of another machine, or that does not add up, is refused") {
  const std::string differs =
      "[memorymanager] the expected machine state is different from the real one";
  CHECK(why_not(both_taken()).empty());
  const auto with = [](auto change) {
    MemoryAssignments held = both_taken();
    change(held);
    return why_not(held);
  };
  CHECK(with([](auto& held) { held.nodes.erase(1); }) == differs);
  CHECK(with([](auto& held) { held.nodes[0].tables.clear(); }) == differs);
  CHECK(with([](auto& held) { held.nodes[0].tables["memory"].total = 11; }) == differs);
  CHECK(with([](auto& held) { held.nodes[0].tables["memory"].system_reserved = 1; }) == differs);
  CHECK(with([](auto& held) { held.nodes[1].tables["memory"].allocatable = 9; }) == differs);
  CHECK(with([](auto& held) { held.nodes[1].tables["memory"].free = 5; }) == differs);
  CHECK(with([](auto& held) { held.nodes[1].tables["hugepages-1Gi"].total = 11; }) == differs);
  CHECK(with([](auto& held) { held.nodes[0].assignments = 2; }) == differs);
  CHECK(with([](auto& held) { held.nodes[0].cells = {0}; }) == differs);
  CHECK(with([](auto& held) { held.pods.clear(); }) == differs);
  CHECK(with([](auto& held) {
          held.pods["a"]["c"][0].nodes = {0, 7};
        }).find("(pod: a, container: c) the memory assignment uses the NUMA") != std::string::npos);
  CHECK(with([](auto& held) { held.nodes.clear(); }).find("can not be empty") != std::string::npos);
}

TEST_CASE("memory: the topology manager hears of it, and a refused pod leaves nothing behind") {
  KubeletRules rules;
  rules.memory = kRules;
  rules.topology.policy = TopologyPolicy::kSingleNumaNode;
  for (const bool with_cpus : {false, true}) {
    rules.is_static = with_cpus;
    rules.reservation = {1, CpuSet{0}};
    auto made = Kubelet::create(machine(), rules);
    REQUIRE(made);
    const auto admit = [&](const std::string& uid, int cpus, std::uint64_t bytes) {
      return made->admit(pod(uid, {{"c", ContainerRole::kApp, cpus, {}, bytes}}));
    };
    CHECK(admit("wide", 2, 12).refusal->reason == "TopologyAffinityError");
    const PinAnswer first = admit("first", 2, 9);
    REQUIRE_FALSE(first.refusal);
    CHECK(first.containers[0].memory == kSecond);
    if (with_cpus) CHECK(first.containers[0].cpus == CpuSet{8, 9});
    CHECK(admit("much", 2, 30).refusal->reason == "UnexpectedAdmissionError");
    const PinAnswer second = admit("second", 2, 8);
    REQUIRE_FALSE(second.refusal);
    CHECK(second.containers[0].memory == kFirst);
    made->remove(one("first", 9));
    CHECK_FALSE(admit("third", 2, 10).refusal);
  }
}

}  // namespace gedge
