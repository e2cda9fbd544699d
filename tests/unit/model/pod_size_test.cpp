#include <doctest/doctest.h>

#include "gedge/model/pod.hpp"

using namespace gedge;

TEST_CASE("a pod keeps its texts in one pointer each: a million of them must fit") {
  CHECK(sizeof(SharedText) == sizeof(void*));
  if (sizeof(void*) == 8) CHECK(sizeof(Pod) <= 160);
}
