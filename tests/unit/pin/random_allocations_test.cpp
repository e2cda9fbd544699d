// Machines of many shapes, a thousand random sequences each: see support/cpu_walk.hpp.
#include <doctest/doctest.h>

#include <vector>

#include "support/cpu_walk.hpp"
#include "support/machines.hpp"

namespace gedge {

TEST_CASE("random allocations: on every shape of machine nothing is given out twice") {
  const std::vector<test::Shape> all = test::many_shapes();
  CHECK(all.size() >= 40);
  for (const test::Shape& shape : all) {
    CAPTURE(shape.text());
    test::walk_all(test::make_machine(shape));
  }
}

}  // namespace gedge
