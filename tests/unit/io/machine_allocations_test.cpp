// The machines that hwloc tells of, from its XML and from its one-line descriptions: each is what
// was described, and a thousand random sequences of allocations hold on it (support/cpu_walk.hpp).
#include <doctest/doctest.h>

#include <algorithm>
#include <initializer_list>
#include <map>
#include <string>
#include <vector>

#include "gedge/io/files.hpp"
#include "gedge/io/machine_facts.hpp"
#include "support/cpu_walk.hpp"
#include "support/folder.hpp"
#include "support/machines.hpp"

namespace gedge {
namespace {

Machine read(const std::string& source) {
  DiskFiles files;
  auto machine = read_machine(source, files);
  REQUIRE_MESSAGE(machine, (machine ? "" : machine.error().what));
  return *std::move(machine);
}

struct Described {
  std::string text;
  int cpus, cores, nodes;
};

// Numbers of CPUs as firmware gives them: `indexes` has the threads of a core apart, or the sockets
// in turn.
const std::vector<Described> kDescriptions{
    {"pack:1 l3:1 core:8 pu:1", 8, 8, 1},
    {"pack:1 l3:2 core:4 pu:2", 16, 8, 1},
    {"pack:1 core:4 pu:4", 16, 4, 1},
    {"pack:2 core:3 pu:2", 12, 6, 1},
    {"pack:2 l3:1 core:4 pu:2(indexes=8*2:1*8)", 16, 8, 1},
    {"pack:2 [numa] l3:1 core:4 pu:2", 16, 8, 2},
    {"pack:2 [numa] l3:2 core:2 pu:2(indexes=pack:core:pu)", 16, 8, 2},
    {"pack:2 numa:2 l3:1 core:3 pu:2", 24, 12, 4},
    {"pack:1 numa:4 core:2 pu:2(indexes=8*2:1*8)", 16, 8, 4},
    {"pack:4 [numa] core:2 pu:4", 32, 8, 4},
    {"pack:4 numa:2 l3:1 core:2 pu:1", 16, 16, 8},
    {"pack:8 [numa] core:2 pu:2", 32, 16, 8},
    {"pack:2 numa:4 core:1 pu:4", 32, 8, 8},
};

}  // namespace

TEST_CASE("machine allocations: hwloc's XML of every shape of machine") {
  const test::Folder folder;
  const std::vector<test::Shape> all = test::many_shapes();
  CHECK(all.size() >= 40);
  for (const test::Shape& shape : all) {
    CAPTURE(shape.text());
    const Machine made = test::make_machine(shape);
    const Machine machine = read(folder.put("machine.xml", test::hwloc_xml(made)));
    REQUIRE(machine.cpus == made.cpus);
    REQUIRE(machine.offline == made.offline);
    REQUIRE(machine.numa_nodes.size() == made.numa_nodes.size());
    for (std::size_t i = 0; i < made.numa_nodes.size(); ++i) {
      REQUIRE(machine.numa_nodes[i].id == made.numa_nodes[i].id);
      REQUIRE(machine.numa_nodes[i].cpus == made.numa_nodes[i].cpus);
    }
    test::walk_all(machine);
  }
}

TEST_CASE("machine allocations: hwloc's one-line descriptions") {
  for (const Described& described : kDescriptions) {
    CAPTURE(described.text);
    const Machine machine = read("synthetic:" + described.text);
    std::map<int, int> cores;
    for (const Cpu& cpu : machine.cpus) ++cores[cpu.core];
    REQUIRE(static_cast<int>(machine.cpus.size()) == described.cpus);
    REQUIRE(static_cast<int>(cores.size()) == described.cores);
    REQUIRE(static_cast<int>(machine.numa_nodes.size()) == described.nodes);
    test::walk_all(machine);
  }
}

}  // namespace gedge
