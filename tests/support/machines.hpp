// support/machines.hpp - machines of any shape, made from a few numbers.
#pragma once

#include <string>
#include <vector>

#include "gedge/pin/machine.hpp"

namespace gedge::test {

enum class Numbering {
  kSiblingsTogether,  // 0 and 1 are one core
  kSiblingsApart,     // all first threads, then all second ones
  kSocketsInTurn,     // cpu c lies on socket c mod sockets
};

struct Shape {
  int sockets = 1;
  int nodes = 1;    // NUMA nodes a socket; 0: one for all sockets
  int cores = 4;    // a socket
  int threads = 1;  // a core
  Numbering numbering = Numbering::kSiblingsTogether;
  int caches = 1;        // last-level caches a socket
  int frugal_cores = 0;  // of each socket's, the last ones; they have one thread
  std::vector<int> offline = {};

  std::string text() const;
};

Machine make_machine(const Shape& shape);

/// More than forty: one to eight NUMA nodes, one, two and four threads a core, cores of two kinds,
/// CPUs that are offline.
std::vector<Shape> many_shapes();

/// A machine as hwloc writes it; of CPUs 0 to 31.
std::string hwloc_xml(const Machine& machine);

}  // namespace gedge::test
