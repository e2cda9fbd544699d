#include "gedge/pin/cpu_set.hpp"

#include <doctest/doctest.h>

#include <set>

#include "support/dice.hpp"

namespace gedge {
namespace {

std::string round_trip(const std::string& text) {
  const auto set = parse_cpu_set(text);
  return set ? to_string(*set) : "refused: " + set.error().what;
}

}  // namespace

TEST_CASE("cpu set: the kernel's list format is read and written") {
  CHECK(round_trip("0-3,8,10-11") == "0-3,8,10-11");
  CHECK(round_trip("") == "");
  CHECK(round_trip(" 7\n") == "7");
  CHECK(round_trip("3,1,2,1-2") == "1-3");
  CHECK(round_trip("0-15:2/4") == "0-1,4-5,8-9,12-13");
  CHECK(round_trip("64,127-128,65535") == "64,127-128,65535");
}

TEST_CASE("cpu set: what is no list is refused with the part that is wrong") {
  for (const char* text : {"a", "1-", "-1", "1,,2", "1,", ",", "3-1", "1-3:0/2", "1:1/2", "0-3:3/2",
                           "65536", "99999999999", "1.3", "1 2", "+1", "0x1", "0--1"}) {
    CAPTURE(text);
    const auto set = parse_cpu_set(text);
    REQUIRE_FALSE(set);
    CHECK(set.error().code == Errc::kInvalidInput);
    CHECK_FALSE(set.error().hint.empty());
  }
  CHECK(parse_cpu_set("0,3-1").error().what == "'3-1' ends before it begins");
}

TEST_CASE("cpu set: agrees with a set of numbers, operation by operation") {
  test::Dice dice(7);
  for (int round = 0; round < 300; ++round) {
    CpuSet a, b;
    std::set<int> plain_a, plain_b;
    for (int i = 0; i < 40; ++i) {
      const int cpu = static_cast<int>(dice.between(0, 200));
      if (dice.chance(50)) {
        a.add(cpu);
        plain_a.insert(cpu);
      } else {
        b.add(cpu);
        plain_b.insert(cpu);
      }
      if (dice.chance(20)) {
        a.remove(cpu);
        plain_a.erase(cpu);
      }
    }
    const auto plain = [](const CpuSet& set) {
      const auto list = set.list();
      return std::set<int>(list.begin(), list.end());
    };
    std::set<int> both, either = plain_a, rest = plain_a;
    for (const int cpu : plain_b) {
      if (plain_a.count(cpu) != 0) both.insert(cpu);
      either.insert(cpu);
      rest.erase(cpu);
    }
    CHECK(plain(a | b) == either);
    CHECK(plain(a & b) == both);
    CHECK(plain(a - b) == rest);
    CHECK((a - a) == CpuSet{});
    CHECK((a & b).empty() == both.empty());
    CHECK(a.meets(b) == !both.empty());
    CHECK(a.common(b) == static_cast<int>(both.size()));
    CHECK((a & b).is_subset_of(a));
    CHECK(a.is_subset_of(b) == (both == plain_a));
    CHECK(a.size() == static_cast<int>(plain_a.size()));
    CHECK(a.first() == (plain_a.empty() ? -1 : *plain_a.begin()));
    CHECK(a.last() == (plain_a.empty() ? -1 : *plain_a.rbegin()));
    CHECK(*parse_cpu_set(to_string(a)) == a);
  }
}

}  // namespace gedge
