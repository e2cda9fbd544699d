#include "render/machine_view.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

namespace gedge::cli {
namespace {

// Four NUMA nodes of one core each.
Machine machine_of(std::vector<std::uint32_t> distances) {
  Machine machine;
  for (int id = 0; id < 4; ++id) {
    machine.cpus.push_back({id, id, id / 2, id, -1, -1});
    machine.numa_nodes.push_back({id, 0, {id}});
  }
  machine.distances = std::move(distances);
  return machine;
}

std::string shown(const Machine& machine) {
  Stream out = Stream::in_memory();
  print_machine(out, machine, {}, true);
  return out.text();
}

}  // namespace

TEST_CASE("a machine as a tree: what memory of other NUMA nodes costs each") {
  const std::string tree =
      shown(machine_of({10, 21, 31, 31, 21, 10, 31, 31, 31, 31, 10, 22, 31, 31, 22, 10}));
  CHECK(tree.find("NUMA node 0\t0\t-\t21 to 1, 31 to 2-3\n") != std::string::npos);
  CHECK(tree.find("NUMA node 2\t2\t-\t22 to 3, 31 to 0-1\n") != std::string::npos);
}

TEST_CASE("a machine as a tree: distances that nobody knows are not made up") {
  CHECK(shown(machine_of({})).find(" to ") == std::string::npos);
  CHECK(shown(machine_of({10, 21, 21, 10})).find(" to ") == std::string::npos);
}

}  // namespace gedge::cli
