#include "gedge/base/nearest.hpp"

#include <doctest/doctest.h>

using namespace gedge;

TEST_CASE("nearest: a swap, a loss, an addition and a wrong letter cost one letter each") {
  CHECK(edit_distance("plan", "plan") == 0);
  CHECK(edit_distance("plna", "plan") == 2);
  CHECK(edit_distance("pla", "plan") == 2);
  CHECK(edit_distance("plann", "plan") == 2);
  CHECK(edit_distance("plan", "plam") == 2);
  CHECK(edit_distance("Plan", "plan") == 1);
  CHECK(edit_distance("", "plan") == 8);
}

TEST_CASE("nearest: the closest candidate wins and the first of equals") {
  CHECK(nearest("plna", {"explain", "plan", "pin"}) == "plan");
  CHECK(nearest("validte", {"verify", "validate"}) == "validate");
  CHECK(nearest("ab", {"ac", "ad"}) == "ac");
  CHECK(nearest("noderesourcesfit", {"NodeAffinity", "NodeResourcesFit"}) == "NodeResourcesFit");
}

TEST_CASE("nearest: silence where nothing is close") {
  CHECK_FALSE(nearest("frobnicate", {"plan", "verify"}));
  CHECK_FALSE(nearest("x", {"y"}));
  CHECK_FALSE(nearest("Coscheduling", {"GangScheduling"}));
  CHECK_FALSE(nearest("NodeResourcesAllocatable", {"NodeResourcesMostAllocated"}));
  CHECK_FALSE(nearest("", {"plan"}));
  CHECK_FALSE(nearest(std::string(1000, 'a'), {std::string(1000, 'b')}));
}

TEST_CASE("nearest: digits are meant as they stand") {
  CHECK_FALSE(nearest("1.30", {"1.20", "1.36"}));
  CHECK_FALSE(nearest("edge-7", {"edge-1"}));
  CHECK_FALSE(nearest("p5", {"p50"}));
  CHECK(nearest("egde-7", {"edge-1", "edge-7"}) == "edge-7");
  CHECK(nearest("1,20", {"1.20", "1.36"}) == "1.20");
}

TEST_CASE("suggestion: the name that was meant, else those that there are") {
  CHECK(suggestion("wep", {"db", "web"}) == "did you mean web?");
  CHECK(suggestion("x", {"db", "web"}) == "there is db, web");
  CHECK(suggestion("x", {}).empty());
  std::vector<std::string> many;
  for (char c = 'a'; c <= 'i'; ++c) many.emplace_back(3, c);
  CHECK(suggestion("frobnicate", many) == "there is aaa, bbb, ccc, ddd, eee, fff, ggg, hhh, ...");
}
