#include "plan/normalize.hpp"

#include <doctest/doctest.h>

using namespace gedge;

namespace {

std::vector<std::int64_t> normalized(Normalize how, std::vector<std::int64_t> scores) {
  normalize(how, NodeMask(scores.size(), true), scores);
  return scores;
}

using Scores = std::vector<std::int64_t>;

}  // namespace

TEST_CASE("normalize: golden vectors V11 and V12") {
  CHECK(normalized(Normalize::kMinMax, {-10, 0, 40}) == Scores{0, 20, 100});
  CHECK(normalized(Normalize::kMinMax, {5, 5, 5}) == Scores{0, 0, 0});
  CHECK(normalized(Normalize::kMinMaxZero, {5, 5, 5}) == Scores{100, 100, 100});
  CHECK(normalized(Normalize::kMaxReverse, {0, 1, 3}) == Scores{100, 67, 0});
  CHECK(normalized(Normalize::kMaxReverse, {0, 0}) == Scores{100, 100});
}

TEST_CASE("normalize: golden vectors V9 and V10") {
  CHECK(normalized(Normalize::kSpread, {5, 2, 0}) == Scores{0, 60, 100});
  CHECK(normalized(Normalize::kSpread, {7, 4, 2}) == Scores{28, 71, 100});
  CHECK(normalized(Normalize::kSpread, {4, 1, 0}) == Scores{0, 75, 100});
  CHECK(normalized(Normalize::kSpread, {0, 0}) == Scores{100, 100});
}

TEST_CASE("normalize: the maximum alone scales, and zero stays zero") {
  CHECK(normalized(Normalize::kMax, {0, 1, 3}) == Scores{0, 33, 100});
  CHECK(normalized(Normalize::kMax, {0, 0}) == Scores{0, 0});
  CHECK(normalized(Normalize::kNone, {7, -3}) == Scores{7, -3});
}

TEST_CASE("normalize: rows outside the scale become 0 and do not move it") {
  CHECK(normalized(Normalize::kSpread, {kIgnored, 5, 0}) == Scores{0, 0, 100});
  CHECK(normalized(Normalize::kMax, {kIgnored, 5}) == Scores{0, 100});
}

TEST_CASE("normalize: rows that are not feasible neither count nor change") {
  Scores scores{1000, 2, 1};
  NodeMask feasible(3, true);
  feasible.clear(NodeIndex{0});
  normalize(Normalize::kMax, feasible, scores);
  CHECK(scores == Scores{1000, 100, 50});
}

TEST_CASE("normalize: raw scores in bytes do not overflow") {
  CHECK(normalized(Normalize::kMax, {INT64_MAX, INT64_MAX / 2}) == Scores{100, 49});
}
