#include "gedge/pin/pin_check.hpp"

#include <doctest/doctest.h>

#include <cstddef>
#include <initializer_list>
#include <string>
#include <vector>

namespace gedge {
namespace {

const CpuSet kAll = CpuSet::range(0, 7);

// 10 holds CPUs 2-3 and has a child, 11; 20 is somebody else; 2 is the kernel's.
SeenMachine machine() {
  SeenMachine seen;
  seen.online = kAll;
  seen.processes = {{{1, 1}, 0, false, "init", "/", {kAll}},
                    {{2, 1}, 0, true, "ksoftirqd/2", "/", {{2}}},
                    {{10, 5}, 1, false, "encode", "/", {{2, 3}, {2, 3}}},
                    {{11, 6}, 10, false, "helper", "/", {{3}}},
                    {{20, 7}, 1, false, "shell", "/a/b", {kAll}}};
  return seen;
}

CpuAssignments ledger() {
  CpuAssignments made;
  made.pods["10-5"]["run"] = {2, 3};
  made.shared = kAll - CpuSet{2, 3};
  return made;
}

std::vector<std::string> faults_of(const SeenMachine& seen, const CpuAssignments& held = ledger()) {
  const PinCheck check = check_pins(held, seen);
  REQUIRE(check.pins.size() == 1);
  std::vector<std::string> texts;
  for (const PinFault& fault : check.pins.front().faults)
    texts.push_back(std::string(word_of(fault.kind)) + ": " + fault.detail);
  CHECK(check.all_true() == texts.empty());
  return texts;
}

using Texts = std::vector<std::string>;

}  // namespace

TEST_CASE("check: a pin that is true, children and threads of the kernel are no strangers") {
  const PinCheck check = check_pins(ledger(), machine());
  CHECK(check.all_true());
  REQUIRE(check.pins.size() == 1);
  CHECK(check.pins[0].holder == "process 10");
  CHECK(check.pins[0].name == "encode");
  CHECK(check.pins[0].threads == 2);
  CHECK(check.pins[0].cpus == CpuSet{2, 3});
}

TEST_CASE("check: a control group that cannot be seen is said to be so, and how to free it") {
  CpuAssignments held;
  held.pods["group-4-4026532281"]["/a/b"] = {2, 3};
  SeenMachine seen = machine();
  seen.processes.push_back({{30, 8}, 1, false, "bound", "/", {{2}}});
  seen.unseen = {"group-4-4026532281"};
  const Texts faults = faults_of(seen, held);
  REQUIRE(faults.size() == 1);  // who is bound there may be its own
  CHECK(faults[0].starts_with("unseen: in here it cannot be seen: "));
  CHECK(faults[0].find("`gedge pin apply --undo --cgroup /a/b`") != std::string::npos);
  CHECK(check_pins(held, seen).pins[0].holder == "control group /a/b");
}

TEST_CASE("check: nobody may run beside one that is isolated, but what it began and the kernel") {
  SeenMachine seen = machine();
  seen.isolated = {"10-5"};
  CHECK(faults_of(seen) == Texts{"strangers: 2 threads of others, of init (1) first"});
  for (const std::size_t other : {0U, 4U}) seen.processes[other].masks = {kAll - CpuSet{2, 3}};
  CHECK(faults_of(seen).empty());
  CHECK(check_pins(ledger(), seen).pins[0].is_isolated);
}

TEST_CASE("check: a thread that somebody moved, one CPU too many is enough") {
  SeenMachine seen = machine();
  seen.processes[2].masks[1] = {2};
  CHECK(faults_of(seen).empty());
  seen.processes[2].masks[1] = {2, 4};
  CHECK(faults_of(seen) == Texts{"moved: 1 of 2 threads may run on 2,4"});
}

TEST_CASE("check: a CPU that was switched off") {
  SeenMachine seen = machine();
  seen.online.remove(3);
  seen.processes[2].masks = {{2}, {2}};
  CHECK(faults_of(seen) == Texts{"offline: CPUs 3 are offline"});
}

TEST_CASE("check: others who are bound to the same CPUs") {
  SeenMachine seen = machine();
  seen.processes[4].masks = {{3}, {2, 3}, {1, 2}};
  CHECK(faults_of(seen) == Texts{"strangers: 2 threads of others, of shell (20) first"});
  seen.processes[4].parent = 11;  // a grandchild
  CHECK(faults_of(seen).empty());
  seen.processes[4].parent = 20;  // its own parent: read while it changed
  CHECK(faults_of(seen).size() == 1);
}

TEST_CASE("check: a control group that somebody widened") {
  SeenMachine seen = machine();
  CpuAssignments held;
  held.pods["group-9"]["/a"] = {0, 1};
  seen.groups["/a"] = {0, 1};
  seen.processes[4].masks = {{0, 1}};
  CHECK(faults_of(seen, held).empty());
  CHECK(check_pins(held, seen).pins[0].holder == "control group /a");
  CHECK(check_pins(held, seen).pins[0].threads == 1);
  seen.groups["/a"] = {0, 1, 2};
  CHECK(faults_of(seen, held) == Texts{"moved: the group may run on 0-2"});
  seen.groups["/a"] = {0, 1};
  seen.processes[4].group = "/ab";
  CHECK(faults_of(seen, held) == Texts{"strangers: 1 thread of others, of shell (20) first"});
}

TEST_CASE("check: an entry of somebody else is shown and not judged") {
  CpuAssignments held;
  held.pods["web"]["main"] = {99};
  const PinCheck check = check_pins(held, machine());
  CHECK(check.all_true());
  CHECK(check.pins[0].holder == "web");
  CHECK(check.pins[0].cpus == CpuSet{99});
}

}  // namespace gedge
