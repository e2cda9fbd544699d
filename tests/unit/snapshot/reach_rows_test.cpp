#include "gedge/snapshot/reach_rows.hpp"

#include <doctest/doctest.h>

#include <cstdint>

#include "support/dice.hpp"

namespace gedge {
namespace {

using test::Dice;

// What a mask of `words` words says about that node and limit, made up: every pair has its own.
std::uint64_t word_of(NodeIndex from, std::int64_t limit_us, std::size_t i) {
  return (std::uint64_t{raw(from)} << 40) ^ (static_cast<std::uint64_t>(limit_us) << 8) ^ i;
}

// Asks, and notes what is not kept. True: it was kept, as it was noted.
bool ask(ReachRows& rows, std::size_t words, NodeIndex from, std::int64_t limit_us) {
  if (const std::uint64_t* found = rows.find(from, limit_us)) {
    bool same = true;
    for (std::size_t i = 0; i < words; ++i) same = same && found[i] == word_of(from, limit_us, i);
    CHECK(same);
    return true;
  }
  if (std::uint64_t* room = rows.room_for(from))
    for (std::size_t i = 0; i < words; ++i) room[i] = word_of(from, limit_us, i);
  return false;
}

}  // namespace

TEST_CASE("rows are kept for limits that many ask for, among others that few do") {
  constexpr std::size_t kSlots = 130, kWords = 3;
  ReachRows rows(kSlots);
  Dice dice(1);
  int found = 0;
  for (int round = 0; round < 5000; ++round) {
    const NodeIndex from{static_cast<std::uint32_t>(dice.below(kSlots))};
    const bool is_common = dice.chance(80);
    const std::int64_t limit = is_common ? 1000 * dice.between(1, 3) : dice.between(0, 1'000'000);
    const bool is_kept = ask(rows, kWords, from, limit);
    found += is_kept && is_common ? 1 : 0;
  }
  CHECK(found > 3000);
}

TEST_CASE(
    "limits that all differ are not kept, and what is new takes the place of what is not asked") {
  ReachRows rows(64);
  for (std::int64_t limit = 0; limit < 5000; ++limit) CHECK(!ask(rows, 1, NodeIndex{7}, limit));
  for (int round = 0; round < 100; ++round) ask(rows, 1, NodeIndex{7}, 123'456);
  CHECK(ask(rows, 1, NodeIndex{7}, 123'456));
  CHECK(!ask(rows, 1, NodeIndex{8}, 123'456));
  CHECK(ask(rows, 1, NodeIndex{8}, 123'456));
}

TEST_CASE("where there is no more room, all go, and none is taken for another") {
  constexpr std::size_t kWords = ReachRows::kMostWords / 8;
  ReachRows rows(64 * kWords);
  Dice dice(2);
  int found = 0;
  for (int round = 0; round < 200; ++round)
    found += ask(rows, kWords, NodeIndex{static_cast<std::uint32_t>(dice.below(12))},
                 dice.chance(50) ? 5000 : 9000)
                 ? 1
                 : 0;
  CHECK(found > 10);
  ReachRows large(64 * (ReachRows::kMostWords + 1));
  for (int round = 0; round < 100; ++round) CHECK(!ask(large, 0, NodeIndex{0}, 1));
}

}  // namespace gedge
