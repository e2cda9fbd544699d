#include "gedge/pin/pin_ledger.hpp"

#include <doctest/doctest.h>

#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

namespace gedge {
namespace {

// Two sockets that are NUMA nodes, four cores each, two threads a core: 0-7 and 8-15.
Machine machine() {
  Machine made;
  for (int cpu = 0; cpu < 16; ++cpu)
    made.cpus.push_back({cpu, cpu & ~1, cpu / 8, cpu / 8, cpu / 8, -1});
  for (int node = 0; node < 2; ++node) {
    const CpuSet cpus = CpuSet::range(8 * node, 8 * node + 7);
    made.numa_nodes.push_back({node, 0, cpus});
    made.caches.push_back({3, 0, cpus});
  }
  return made;
}

const CpuSet kAll = CpuSet::range(0, 15);

}  // namespace

TEST_CASE("holders: a number and a start, and nothing else") {
  CHECK(holder_name(ProcessId{4711, 99}) == "4711-99");
  CHECK(holder_process("4711-99") == ProcessId{4711, 99});
  for (const char* const other :
       {"", "-", "4711", "4711-", "-4711-9", "0-9", "4711-9x", " 4711-9", "04711-9", "web-0",
        "99999999999-1", "4711-99999999999999999999999"})
    CHECK_FALSE(holder_process(other));
}

TEST_CASE("holders: a control group by its number, and by its namespace where it has one") {
  const GroupId plain{"/a", 4711}, inner{"/a", 4711, 4'026'532'281};
  CHECK(holder_name(plain) == "group-4711");
  CHECK(holder_name(inner) == "group-4711-4026532281");
  for (const GroupId& group : {plain, inner})
    CHECK(holder_of(holder_name(group), {{"/a", {0}}}) == PinHolder(group));
  for (const char* const other : {"group-", "group-x", "group-1-", "group-1-x", "group-1-0",
                                  "group-1x2", "group-01", "group-1-2-3"})
    CHECK_FALSE(holder_of(other, {{"/a", {0}}}));
}

TEST_CASE("a grant: written down, and not given again") {
  CpuAssignments ledger;
  const auto first = grant(ledger, machine(), kAll, {4, {}, {}}, ProcessId{1, 1});
  const auto second = grant(ledger, machine(), kAll, {8, {}, {}}, ProcessId{2, 1});
  REQUIRE(first);
  REQUIRE(second);
  CHECK(first->cpus == CpuSet{0, 1, 2, 3});
  CHECK(second->cpus == CpuSet::range(8, 15));  // a whole socket
  CHECK(second->nodes == std::vector<int>{1});
  CHECK(ledger.shared == CpuSet::range(4, 7));
  const CpuAssignments before = ledger;
  const auto third = grant(ledger, machine(), kAll, {5, {}, {}}, ProcessId{3, 1});
  REQUIRE_FALSE(third);
  CHECK(third.error().what == "5 CPUs wanted, but only 4 of 16 CPUs free: 4-7");
  CHECK(ledger == before);
  give_back(ledger, ProcessId{2, 1});
  settle_shared(ledger, kAll);
  CHECK(ledger.shared == CpuSet::range(4, 15));
}

TEST_CASE("a grant: shared CPUs are those that nobody holds, and are not written down") {
  CpuAssignments ledger;
  REQUIRE(grant(ledger, machine(), kAll, {8, {}, {}}, ProcessId{1, 1}));
  const CpuAssignments before = ledger;
  CpuAsk ask;
  ask.mode = PinMode::kShared;
  ask.shared = CpuSet::range(6, 9);
  const auto some = grant(ledger, machine(), kAll, ask, ProcessId{2, 1});
  REQUIRE(some);
  CHECK(some->cpus == CpuSet{8, 9});
  CHECK(some->nodes == std::vector<int>{1});
  CHECK_FALSE(some->exclusive);
  ask.shared = CpuSet{3, 4};
  const auto none = grant(ledger, machine(), kAll, ask, ProcessId{2, 1});
  REQUIRE_FALSE(none);
  CHECK(none.error().what == "CPUs 3-4 are held by others, there is none to share");
  ask.shared = CpuSet{8, 12, 16};
  const auto other = grant(ledger, machine(), CpuSet::range(8, 11), ask, ProcessId{2, 1});
  REQUIRE_FALSE(other);
  CHECK(other.error().what == "CPUs 12,16 may not be used, only 8-11");
  CHECK(ledger == before);
}

TEST_CASE("a grant: preferred is exclusive where it can be, and shared else") {
  CpuAssignments ledger;
  CpuAsk ask{6, {}, TopologyPolicy::kSingleNumaNode};
  ask.mode = PinMode::kPreferred;
  for (const int first : {0, 8}) {
    const auto own = grant(ledger, machine(), kAll, ask, ProcessId{first + 1, 1});
    REQUIRE(own);
    CHECK(own->exclusive);
    CHECK(own->cpus == CpuSet::range(first, first + 5));
  }
  const CpuAssignments before = ledger;
  ask.cpus = 3;  // free are two of each node
  const auto apart = grant(ledger, machine(), kAll, ask, ProcessId{3, 1});
  REQUIRE(apart);
  CHECK_FALSE(apart->exclusive);
  CHECK(apart->cpus == CpuSet{6, 7, 14, 15});
  CHECK(apart->nodes == std::vector<int>{0, 1});
  CHECK(ledger == before);
  ask.options.full_pcpus_only = ask.options.distribute_cpus_across_cores = true;
  const auto wrong = grant(ledger, machine(), kAll, ask, ProcessId{3, 1});
  REQUIRE_FALSE(wrong);
  CHECK(wrong.error().code == Errc::kInvalidInput);
  ask.options = {};
  REQUIRE(grant(ledger, machine(), kAll, {4, {}, {}}, ProcessId{4, 1}));
  CHECK_FALSE(grant(ledger, machine(), kAll, ask, ProcessId{3, 1}));
}

TEST_CASE("a grant: near to a device, as far as it can be had or as a policy says") {
  Machine with = machine();
  with.devices = {
      {DeviceKind::kGpu, "card0", "0000:04:00.0", CpuSet::range(0, 7), {"0000:00", "01"}},
      {DeviceKind::kGpu, "card1", "0000:84:00.0", CpuSet::range(8, 15), {"0000:80", "81"}},
      {DeviceKind::kNetwork, "eth0", "0000:85:00.0", CpuSet::range(8, 15), {"0000:80", "81"}}};
  const auto ask = [](int cpus, std::vector<DeviceWish> near, TopologyPolicy policy) {
    return CpuAsk{cpus, {}, policy, std::move(near)};
  };
  const std::vector<DeviceWish> both{device_wish("gpu"), device_wish("network")};
  CpuAssignments ledger;
  const auto first =
      grant(ledger, with, kAll, ask(2, both, TopologyPolicy::kNone), ProcessId{1, 1});
  REQUIRE(first);
  CHECK(first->cpus == CpuSet{8, 9});
  CHECK(first->near == DeviceChoice{{1, 2}, 2});
  const auto full =
      grant(ledger, with, kAll, ask(6, {device_wish("card1")}, TopologyPolicy::kRestricted),
            ProcessId{2, 1});
  REQUIRE(full);
  CHECK(full->cpus == CpuSet::range(10, 15));
  CHECK_FALSE(
      grant(ledger, with, kAll, ask(1, both, TopologyPolicy::kSingleNumaNode), ProcessId{3, 1}));
  const auto far = grant(ledger, with, kAll, ask(1, both, TopologyPolicy::kNone), ProcessId{3, 1});
  REQUIRE(far);
  CHECK(far->cpus == CpuSet{0});
  const auto none = grant(ledger, with, kAll, ask(1, {device_wish("eth7")}, TopologyPolicy::kNone),
                          ProcessId{4, 1});
  REQUIRE_FALSE(none);
  CHECK(none.error().what == "this machine has no device 'eth7'");
  CHECK(none.error().hint == "it has card0, card1, eth0");
}

TEST_CASE("a grant: CPUs that may not be used do not hide where a device is") {
  Machine with = machine();
  with.devices = {{DeviceKind::kGpu, "card0", "0000:04:00.0", CpuSet::range(0, 7), {"0000:00"}}};
  CpuAssignments ledger;
  const CpuAsk ask{1, {}, TopologyPolicy::kSingleNumaNode, {device_wish("gpu")}};
  CHECK_FALSE(grant(ledger, with, CpuSet::range(8, 15), ask, ProcessId{1, 1}));
  CHECK(grant(ledger, with, CpuSet{7, 8}, ask, ProcessId{1, 1})->cpus == CpuSet{7});
}

TEST_CASE("a grant: only of what may be used") {
  CpuAssignments ledger;
  const CpuSet allowed{1, 3, 9, 11};
  const auto got = grant(ledger, machine(), allowed, {3, {}, {}}, ProcessId{1, 1});
  REQUIRE(got);
  CHECK(got->cpus.is_subset_of(allowed));
  CHECK(ledger.shared == kAll - got->cpus);
  CHECK(grant(ledger, machine(), allowed, {5, {}, {}}, ProcessId{2, 1}).error().what ==
        "5 CPUs wanted, but only 4 CPUs may be used: 1,3,9,11");
  const Machine seen = machine_within(machine(), allowed);
  CHECK(seen.cpus[0].core == 1);
  CHECK(seen.numa_nodes[1].cpus == CpuSet{9, 11});
}

TEST_CASE("a grant: refused as the kubelet would") {
  CpuAssignments ledger;
  CpuAsk whole{3, {}, {}};
  whole.options.full_pcpus_only = true;
  CHECK(grant(ledger, machine(), kAll, whole, ProcessId{1, 1})
            .error()
            .what.find("SMT Alignment Error") == 0);
  const CpuAsk near{9, {}, TopologyPolicy::kSingleNumaNode};
  const auto apart = grant(ledger, machine(), kAll, near, ProcessId{1, 1});
  REQUIRE_FALSE(apart);
  CHECK(apart.error().code == Errc::kDenied);
  CHECK(apart.error().what == "Resources cannot be allocated with Topology locality");
  CHECK(ledger == CpuAssignments{});
}

TEST_CASE("a grant: on a machine of many NUMA nodes, whose sets nobody could go through") {
  Machine many;
  for (int node = 0; node < 48; ++node) {
    many.cpus.push_back({node, node, 0, node, node, -1});
    many.numa_nodes.push_back({node, 0, CpuSet{node}});
  }
  CpuAssignments ledger;
  const auto got = grant(ledger, many, many.cpu_set(), {3, {}, {}}, ProcessId{1, 1});
  REQUIRE(got);
  CHECK(got->cpus == CpuSet{0, 1, 2});
  const CpuAsk near{1, {}, TopologyPolicy::kBestEffort};
  const auto apart = grant(ledger, many, many.cpu_set(), near, ProcessId{2, 1});
  REQUIRE_FALSE(apart);
  CHECK(apart.error().code == Errc::kDenied);
  CHECK(apart.error().what.find("at most 8 NUMA nodes, and this one has 48") != std::string::npos);
}

TEST_CASE("reclaim: what the dead held, while entries that name no process stay") {
  CpuAssignments ledger;
  ledger.pods["1-1"]["run"] = {0};
  ledger.pods["2-2"]["run"] = {1};
  ledger.pods["web"]["main"] = {2};
  const PinHolder alive = ProcessId{2, 2};
  reclaim(ledger, [&alive](const PinHolder& holder) { return holder == alive; });
  CHECK(ledger.pods.size() == 2);
  CHECK_FALSE(ledger.pods.contains("1-1"));
}

}  // namespace gedge
