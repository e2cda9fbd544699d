#include "gedge/pin/pin_record.hpp"

#include <doctest/doctest.h>

#include <initializer_list>
#include <map>
#include <string>

namespace gedge {

TEST_CASE("nice values: as high as the levels of the CPUs ask, and never lower than before") {
  const std::map<std::string, NiceLevel> levels{{"1-1", {{0, 1}, 5}}, {"2-2", {{2}, 12}}};
  CHECK(nice_beside(0, {3, 4}, levels) == 0);
  CHECK(nice_beside(0, {1, 3}, levels) == 5);
  CHECK(nice_beside(-20, {1, 2}, levels) == 12);
  CHECK(nice_beside(7, {1}, levels) == 7);
  CHECK(is_raised(5, 0, levels));
  CHECK(is_raised(12, 11, levels));
  CHECK_FALSE(is_raised(5, 5, levels));
  CHECK_FALSE(is_raised(5, 6, levels));
  CHECK_FALSE(is_raised(6, 0, levels));
}

TEST_CASE("what a thread had before: its own, or what most of its process had") {
  const NiceBefore before{{30, 9}, 2, {{{31, 10}, 7}}};
  CHECK(value_before(before, {31, 10}) == 7);
  CHECK(value_before(before, {31, 11}) == 2);  // the number was given again
  CHECK(value_before(before, {30, 9}) == 2);
}

}  // namespace gedge
