// How many binds may be under way, as whoever sees them sent counts them.
#include "gedge/sim/bind_budget.hpp"

#include <doctest/doctest.h>

#include <string>

using namespace gedge;

namespace {

BindRequest bind(std::uint64_t ticket) {
  return {ticket, {"default", "web-" + std::to_string(ticket)}, "uid", "n0"};
}

}  // namespace

TEST_CASE("so many binds are under way at first, and one more with each answer up to the most") {
  BindBudget budget(2, 3);
  CHECK(budget.sent(bind(1)));
  CHECK(budget.sent(bind(2)));
  budget.answered(1, BindAnswer::kBound);
  CHECK(budget.sent(bind(3)));
  CHECK(budget.sent(bind(4)));
  CHECK_FALSE(budget.sent(bind(5)));
  budget.answered(5, BindAnswer::kRefused);
  CHECK_FALSE(budget.sent(bind(6)));
}

TEST_CASE("what is seen to be done is not under way, and what is placed with others not counted") {
  BindBudget budget(1, 1);
  CHECK(budget.sent(bind(1)));
  budget.seen({"default", "web-1"}, "n1");
  CHECK_FALSE(budget.sent(bind(2)));
  budget.seen({"default", "web-1"}, "n0");
  budget.seen({"default", "web-2"}, "n0");
  CHECK(budget.sent(bind(3)));
  CHECK(budget.sent(bind(4), false));
  CHECK_FALSE(budget.sent(bind(5)));
}

TEST_CASE("after three in a row that nobody answers it is one at a time, until one is answered") {
  BindBudget budget(4, 9);
  for (std::uint64_t ticket = 1; ticket <= 4; ++ticket) CHECK(budget.sent(bind(ticket)));
  budget.seen({"default", "web-4"}, "n0");
  budget.answered(1, BindAnswer::kUnknown);
  budget.answered(2, BindAnswer::kNotSent);
  budget.answered(4, BindAnswer::kUnknown);  // that one was done
  CHECK(budget.sent(bind(5)));
  budget.answered(3, BindAnswer::kUnknown);
  CHECK_FALSE(budget.sent(bind(6)));
  budget.answered(5, BindAnswer::kUnknown);
  budget.answered(6, BindAnswer::kBound);
  for (std::uint64_t ticket = 7; ticket <= 11; ++ticket) CHECK(budget.sent(bind(ticket)));
  CHECK_FALSE(budget.sent(bind(12)));
}
