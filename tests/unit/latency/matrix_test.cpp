#include "gedge/latency/matrix.hpp"

#include <doctest/doctest.h>

using gedge::kUnmeasured;
using gedge::NameIndex;
using gedge::Rtt;
using gedge::RttMatrix;

namespace {

void set(RttMatrix& matrix, const char* from, const char* to, std::uint32_t us) {
  matrix.set(*matrix.find(from), *matrix.find(to), Rtt{us});
}
Rtt between(const RttMatrix& matrix, const char* a, const char* b) {
  return matrix.between(*matrix.find(a), *matrix.find(b));
}
Rtt at(const RttMatrix& matrix, const char* from, const char* to) {
  return matrix.at(*matrix.find(from), *matrix.find(to));
}

}  // namespace

TEST_CASE("a new matrix knows its sorted names and nothing else") {
  const RttMatrix matrix({"c", "a", "b", "a"});
  CHECK(matrix.names() == std::vector<std::string>{"a", "b", "c"});
  CHECK(matrix.name(NameIndex{2}) == "c");
  CHECK(at(matrix, "a", "b") == kUnmeasured);
  CHECK(at(matrix, "a", "a") == Rtt{0});
  CHECK(between(matrix, "a", "b") == kUnmeasured);
}

TEST_CASE("a matrix can be made of cells that lie as its own do") {
  const RttMatrix matrix({"a", "b"}, {Rtt{1}, Rtt{2}, Rtt{3}, kUnmeasured});
  CHECK(matrix.size() == 2);
  CHECK(at(matrix, "a", "a") == Rtt{1});
  CHECK(at(matrix, "a", "b") == Rtt{2});
  CHECK(at(matrix, "b", "a") == Rtt{3});
  CHECK(at(matrix, "b", "b") == kUnmeasured);
  CHECK(between(matrix, "a", "b") == Rtt{3});
  CHECK_FALSE(matrix.symmetric());
}

TEST_CASE("names are found whole, never by a part") {
  const RttMatrix matrix({"edge-1", "edge-10"});
  CHECK(matrix.find("edge-1") == NameIndex{0});
  CHECK(matrix.find("edge-10") == NameIndex{1});
  CHECK_FALSE(matrix.find("edge"));
  CHECK_FALSE(matrix.find(""));
  CHECK_FALSE(matrix.find("zzz"));
  CHECK_FALSE(RttMatrix().find("a"));
  CHECK(RttMatrix().empty());
}

TEST_CASE("the larger direction decides and one direction stands for both") {
  RttMatrix matrix({"a", "b", "c"});
  set(matrix, "a", "b", 5);
  CHECK(between(matrix, "a", "b") == Rtt{5});
  CHECK(between(matrix, "b", "a") == Rtt{5});
  set(matrix, "b", "a", 9);
  CHECK(between(matrix, "a", "b") == Rtt{9});
  CHECK(at(matrix, "a", "b") == Rtt{5});
  CHECK(between(matrix, "a", "c") == kUnmeasured);
}

TEST_CASE("merging adds names and the later measurement wins") {
  RttMatrix first({"b", "d"});
  set(first, "b", "d", 1);
  set(first, "d", "b", 2);
  set(first, "d", "d", 7);
  RttMatrix later({"a", "b", "d"});
  set(later, "b", "d", 10);
  set(later, "a", "b", 3);
  first.merge(later);
  CHECK(first.names() == std::vector<std::string>{"a", "b", "d"});
  CHECK(at(first, "b", "d") == Rtt{10});
  CHECK(at(first, "d", "b") == Rtt{2});  // unmeasured in the later one
  CHECK(at(first, "a", "b") == Rtt{3});
  CHECK(at(first, "b", "a") == kUnmeasured);
  CHECK(at(first, "d", "d") == Rtt{7});  // the default diagonal says nothing
}

TEST_CASE("merging with nothing changes nothing") {
  RttMatrix matrix({"a", "b"});
  set(matrix, "a", "b", 4);
  matrix.merge(RttMatrix());
  CHECK(matrix.size() == 2);
  CHECK(at(matrix, "a", "b") == Rtt{4});
  RttMatrix empty;
  empty.merge(matrix);
  CHECK(at(empty, "a", "b") == Rtt{4});
}

TEST_CASE("what is coarsely less is less") {
  std::uint16_t last = 0;
  std::uint64_t us = 0;
  while (us < kUnmeasured.us) {
    const std::uint16_t here = RttMatrix::coarse(Rtt{static_cast<std::uint32_t>(us)});
    CHECK(here >= last);
    CHECK(RttMatrix::least_of(here).us <= us);
    CHECK(RttMatrix::coarse(RttMatrix::least_of(here)) == here);
    last = here;
    us += 1 + us / 500;  // finer than the steps
  }
  CHECK(RttMatrix::coarse(Rtt{255}) < RttMatrix::coarse(Rtt{256}));
  CHECK(RttMatrix::coarse(Rtt{10'000}) < RttMatrix::coarse(Rtt{10'100}));
  CHECK(RttMatrix::coarse(kUnmeasured) >= last);
}

TEST_CASE("a matrix that was found symmetric answers the same, and knows the bounds of its rows") {
  std::vector<std::string> names;
  for (int i = 0; i < 130; ++i) names.push_back("n" + std::to_string(1000 + i));
  RttMatrix matrix(names);
  for (std::uint32_t a = 0; a < names.size(); ++a)
    for (std::uint32_t b = 0; b < names.size(); ++b)
      if (a != b && a % 7 != 3 && b % 7 != 3)
        matrix.set(NameIndex{a}, NameIndex{b}, Rtt{100 + a + b});
  const RttMatrix before = matrix;
  CHECK_FALSE(matrix.symmetric());
  matrix.note_symmetry();
  REQUIRE(matrix.symmetric());
  for (std::uint32_t a = 0; a < names.size(); ++a) {
    const RttMatrix::Strips strips = matrix.strips(NameIndex{a});
    REQUIRE(strips.least.size() == 12);
    REQUIRE(strips.most.size() == 12);
    for (std::uint32_t b = 0; b < names.size(); ++b) {
      const Rtt rtt = matrix.at(NameIndex{a}, NameIndex{b});
      CHECK(matrix.between(NameIndex{a}, NameIndex{b}) ==
            before.between(NameIndex{a}, NameIndex{b}));
      CHECK(strips.least[b / 16] <= RttMatrix::coarse(rtt));
      CHECK(strips.most[b / 16] >= RttMatrix::coarse(rtt));
    }
  }
  matrix.set(NameIndex{1}, NameIndex{2}, Rtt{9'999});
  CHECK_FALSE(matrix.symmetric());
  matrix.note_symmetry();
  CHECK_FALSE(matrix.symmetric());
  CHECK(matrix.between(NameIndex{2}, NameIndex{1}) == Rtt{9'999});
}
