// Vectors V25 to V30, and what the options do beyond them.
#include "gedge/pin/take_cpus.hpp"

#include <doctest/doctest.h>

#include <string>

#include "support/machines.hpp"

namespace gedge {
namespace {

using test::make_machine;
using test::Numbering;
using test::Shape;

// 2 sockets, 3 cores each, 2 threads each; cpu c is of core c mod 6 and of socket c mod 2.
const Shape kTwins{
    .sockets = 2, .nodes = 1, .cores = 3, .threads = 2, .numbering = Numbering::kSocketsInTurn};

std::string take(const Shape& shape, const std::string& busy, int count,
                 const StaticOptions& options = {}) {
  const CpuTopology topology(make_machine(shape), KubeletForm::kToday);
  const auto taken = take_cpus(topology, options, topology.cpus() - *parse_cpu_set(busy), count);
  return taken ? to_string(*taken) : "too few";
}

constexpr StaticOptions kAcross{.distribute_cpus_across_numa = true};
constexpr StaticOptions kSpread{.distribute_cpus_across_cores = true};
constexpr StaticOptions kByCache{.prefer_align_cpus_by_uncorecache = true};

}  // namespace

TEST_CASE("V25: single CPUs and cores of the socket that comes first") {
  CHECK(take(kTwins, "", 1) == "0");
  CHECK(take(kTwins, "", 2) == "0,6");
  CHECK(take(kTwins, "", 3) == "0,2,6");
  CHECK(take(kTwins, "", 4) == "0,2,6,8");
}

TEST_CASE("V26: a whole socket, then what is missing of the other") {
  CHECK(take(kTwins, "", 6) == "0,2,4,6,8,10");
  CHECK(take(kTwins, "", 7) == "0-2,4,6,8,10");
  CHECK(take(kTwins, "", 8) == "0-2,4,6-8,10");
}

TEST_CASE("V27: a core that is broken already is finished first") {
  CHECK(take(kTwins, "0", 1) == "6");
  CHECK(take(kTwins, "1", 4) == "3,5,9,11");
}

TEST_CASE("V28: equal shares of whole cores") {
  CHECK(take(kTwins, "", 8, {.full_pcpus_only = true, .distribute_cpus_across_numa = true}) ==
        "0-3,6-9");
}

TEST_CASE("V29: spread over cores") {
  CHECK(take(kTwins, "", 2, kSpread) == "0,2");
  CHECK(take(kTwins, "", 3, kSpread) == "0,2,4");
}

TEST_CASE("V30: packed, and across NUMA nodes") {
  const Shape shape{.sockets = 2, .nodes = 2, .cores = 8};
  CHECK(take(shape, "", 6) == "0-5");
  CHECK(take(shape, "", 6, kAcross) == "0-2,4-6");
}

TEST_CASE("across NUMA: one node is enough, odd counts leave no shares, too few are too few") {
  const Shape shape{.sockets = 2, .nodes = 1, .cores = 4, .threads = 2};
  CHECK(take(shape, "", 8, kAcross) == "0-7");
  CHECK(take(shape, "", 10, kAcross) == "0-4,8-12");
  CHECK(take(shape, "", 9, {.full_pcpus_only = true, .distribute_cpus_across_numa = true}) ==
        "0-8");
  CHECK(take(shape, "0-7", 9, kAcross) == "too few");
}

TEST_CASE("by cache: a whole one, then one that can give the rest") {
  const Shape shape{.sockets = 1, .cores = 32, .caches = 4};  // 8 CPUs a cache
  CHECK(take(shape, "0-1", 10) == "2-11");
  CHECK(take(shape, "0-1", 10, kByCache) == "2-3,8-15");
  CHECK(take(shape, "0-1", 8, kByCache) == "8-15");
  CHECK(take(shape, "0-1,8-15", 6, kByCache) == "2-7");
  CHECK(take(shape, "0-4,8-12,16-20,24-28", 4, kByCache) == "5-7,13");
}

TEST_CASE("by cache: an odd rest leaves the second thread of the last core") {
  const Shape shape{.sockets = 1, .cores = 8, .threads = 2, .caches = 2};
  CHECK(take(shape, "0-1", 3, kByCache) == "2-4");
}

TEST_CASE("by cache: sockets count as caches where there are none, the lower one first") {
  Machine machine = make_machine({.sockets = 2, .nodes = 0, .cores = 3, .threads = 2});
  machine.caches.clear();
  for (Cpu& cpu : machine.cpus) cpu.cache = -1;
  const CpuTopology topology(machine, KubeletForm::kToday);
  CHECK(take_cpus(topology, kByCache, topology.cpus(), 2) == CpuSet{0, 1});
  CHECK(take_cpus(topology, kByCache, topology.cpus() - CpuSet{0}, 6) == CpuSet::range(6, 11));
}

TEST_CASE("one NUMA node over both sockets is filled before the sockets") {
  const Shape shape{.sockets = 2, .nodes = 0, .cores = 2};
  CHECK(take(shape, "0", 2) == "2-3");
  CHECK(take(shape, "0", 1) == "1");
}

TEST_CASE("cores of several kinds: nothing that is busy is ever taken") {
  const Shape shape{.sockets = 1, .cores = 4, .threads = 2, .frugal_cores = 3};  // 0-1, 2, 3, 4
  CHECK(take(shape, "0", 2) == "2-3");
  CHECK(take(shape, "0", 4) == "1-4");
  CHECK(take(shape, "", 0) == "");
}

}  // namespace gedge
