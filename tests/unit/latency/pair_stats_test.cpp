#include "gedge/latency/pair_stats.hpp"

#include <doctest/doctest.h>

namespace gedge {
namespace {

TEST_CASE("pair stats: one number is not more than one number, everything else is") {
  PairStats pair;
  CHECK_FALSE(pair.says_more());
  CHECK_FALSE(pair.has_times());
  pair.only = Rtt{5};
  CHECK_FALSE(pair.says_more());
  CHECK(pair.has_times());
  pair.loss_ppm = 0;  // "none was lost" says something
  CHECK(pair.says_more());
  PairStats median;
  median.p50 = Rtt{0};
  CHECK(median.says_more());
  CHECK(median.has_times());
}

TEST_CASE("pair stats: pairs are found by both names") {
  PairDetails details;
  for (std::uint32_t from = 0; from < 4; ++from)
    for (std::uint32_t to = 0; to < 4; to += 2) {
      PairStats pair;
      pair.from = NameIndex{from}, pair.to = NameIndex{to};
      pair.samples = 10 * from + to;
      details.pairs.push_back(pair);
    }
  REQUIRE(details.find(NameIndex{3}, NameIndex{2}) != nullptr);
  CHECK(details.find(NameIndex{3}, NameIndex{2})->samples == 32);
  CHECK(details.find(NameIndex{0}, NameIndex{0})->samples == 0);
  CHECK(details.find(NameIndex{2}, NameIndex{3}) == nullptr);
  CHECK(details.find(NameIndex{4}, NameIndex{0}) == nullptr);
}

TEST_CASE("pair stats: a method has one row, and nobody's is the first") {
  PairDetails details;
  CHECK(details.method("") == 0);
  CHECK(details.method("icmp") == 1);
  CHECK(details.method("tcp") == 2);
  CHECK(details.method("icmp") == 1);
  CHECK(details.methods[2] == "tcp");
}

}  // namespace
}  // namespace gedge
