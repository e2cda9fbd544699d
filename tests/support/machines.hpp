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

}  // namespace gedge::test
