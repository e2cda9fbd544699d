#include "gedge/base/split_mix.hpp"

#include <doctest/doctest.h>

#include <initializer_list>

namespace gedge {
namespace {

TEST_CASE("split mix: the numbers of the published program") {
  SplitMix numbers(1234567);
  for (const std::uint64_t expected :
       {6457827717110365317U, 3203168211198807973U, 9817491932198370423U, 4593380528125082431U,
        16408922859458223821U})
    CHECK(numbers.next() == expected);
}

TEST_CASE("split mix: a seed repeats itself, and numbers stay in their bounds") {
  SplitMix one(3), again(3), other(4);
  CHECK(one.next() == again.next());
  CHECK(one.next() != other.next());
  for (int i = 0; i < 1000; ++i) {
    CHECK(one.below(7) < 7);
    const double share = one.even();
    CHECK(share >= 0);
    CHECK(share < 1);
  }
}

}  // namespace
}  // namespace gedge
