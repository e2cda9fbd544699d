#include "latency/near_rows.hpp"

#include <doctest/doctest.h>

#include <algorithm>

#include "support/random_matrix.hpp"

namespace gedge {
namespace {

NameIndex at(std::size_t i) { return NameIndex{static_cast<std::uint32_t>(i)}; }

TEST_CASE("near rows: a bit a pair, as RttMatrix has it, in one direction or both") {
  test::Dice dice(1);
  std::size_t symmetric = 0, near_pairs = 0;
  for (int round = 0; round < 120; ++round) {
    // Around the sides of tiles of 64.
    const std::size_t size = dice.chance(50) ? dice.below(20) : 60 + dice.below(80);
    const RttMatrix matrix =
        test::random_matrix(dice, {size, 9, dice.chance(50) ? 0 : dice.below(70), dice.chance(40)});
    symmetric += matrix.symmetric() ? 1 : 0;
    const Rtt limit =
        dice.chance(10) ? kUnmeasured : Rtt{static_cast<std::uint32_t>(dice.below(11))};
    const NearRows near(matrix, limit);
    REQUIRE(near.size() == size);
    std::uint64_t pairs = 0;
    for (std::size_t i = 0; i < size; ++i)
      for (std::size_t j = 0; j < 64 * near.words(); ++j) {
        const bool is_near = i != j && j < size && matrix.between(at(i), at(j)) != kUnmeasured &&
                             matrix.between(at(i), at(j)) <= limit;
        REQUIRE(has(near.row(i), j) == is_near);
        pairs += is_near ? 1 : 0;
      }
    CHECK(near.pairs() == pairs / 2);
    near_pairs += pairs;
  }
  CHECK(symmetric > 20);
  CHECK(near_pairs > 10'000);
}

TEST_CASE("near rows: loops over words are those over bits") {
  test::Dice dice(2);
  for (int round = 0; round < 300; ++round) {
    std::vector<Word> a(dice.below(20)), b(a.size());
    for (Word& word : a) word = dice.next() & dice.next();
    for (Word& word : b) word = dice.next() & dice.next() & dice.next();
    std::size_t in_a = 0, in_both = 0;
    for (std::size_t i = 0; i < 64 * a.size(); ++i) {
      in_a += has(a, i) ? 1 : 0;
      in_both += has(a, i) && has(b, i) ? 1 : 0;
    }
    CHECK(count_bits(a) == in_a);
    std::vector<Word> common = a, rest = a;
    CHECK(keep_common(common, b) == (in_both > 0));
    leave_out(rest, b);
    for (std::size_t i = 0; i < 64 * a.size(); ++i) {
      REQUIRE(has(common, i) == (has(a, i) && has(b, i)));
      REQUIRE(has(rest, i) == (has(a, i) && !has(b, i)));
    }
    std::vector<std::size_t> visited;
    for_each_bit(common, [&](std::size_t i) { visited.push_back(i); });
    CHECK(visited.size() == in_both);
    CHECK(std::is_sorted(visited.begin(), visited.end()));
  }
}

}  // namespace
}  // namespace gedge
