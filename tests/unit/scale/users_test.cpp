#include "gedge/scale/users.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "gedge/base/split_mix.hpp"

namespace {

using namespace gedge;

// a --5-- b --7-- c, a --9-- c; 1 within each
SiteRtts three() {
  return {3, {Rtt{1}, Rtt{5}, Rtt{9}, Rtt{5}, Rtt{1}, Rtt{7}, Rtt{9}, Rtt{7}, Rtt{1}}};
}

double amount_at(const std::vector<UserFlow>& flows, std::uint32_t us) {
  double sum = 0;
  for (const UserFlow& flow : flows) sum += flow.rtt == Rtt{us} ? flow.milli : 0;
  return sum;
}

TEST_CASE("users: the nearest that have room answer, then the next") {
  const std::vector<double> demand{10, 0, 2}, room{4, 5, 6};
  const auto flows = route(three(), demand, room);
  CHECK(amount_at(flows, 1) == 4 + 2);
  CHECK(amount_at(flows, 5) == 5);
  CHECK(amount_at(flows, 9) == 1);
  CHECK(amount_at(flows, 7) == 0);
}

TEST_CASE("users: too many load all replicas alike, and without any nobody answers") {
  const std::vector<double> demand{12, 0, 0}, room{4, 2, 0}, none{0, 0, 0};
  const auto flows = route(three(), demand, room);
  CHECK(amount_at(flows, 1) == doctest::Approx(8));
  CHECK(amount_at(flows, 5) == doctest::Approx(4));
  const auto lost = route(three(), demand, none);
  REQUIRE(lost.size() == 1);
  CHECK(lost.front().rtt == kUnmeasured);
  CHECK(lost.front().milli == 12);
  CHECK(route(three(), none, room).empty());
}

TEST_CASE("users: all of the demand is answered, and no site takes more than its share") {
  SplitMix random(3);
  for (int round = 0; round < 1'000; ++round) {
    std::vector<double> demand, room;
    double wanted = 0, most = 0;
    for (int site = 0; site < 3; ++site) {
      demand.push_back(static_cast<double>(random.below(9)));
      room.push_back(static_cast<double>(random.below(9)));
      wanted += demand.back();
      most += room.back();
    }
    double sum = 0;
    for (const UserFlow& flow : route(three(), demand, room)) sum += flow.milli;
    CHECK(sum == doctest::Approx(wanted));
    if (most >= wanted) {
      double near = 0;
      for (std::size_t site = 0; site < 3; ++site) near += std::min(demand[site], room[site]);
      CHECK(amount_at(route(three(), demand, room), 1) == near);
    }
  }
}

TEST_CASE("users: whoever is beyond the budget counts first, then how far all travel") {
  const UserCost few = cost_of({{Rtt{9}, 1}, {Rtt{1}, 9}}, 8);
  const UserCost none = cost_of({{Rtt{8}, 10}}, 8);
  CHECK(few.beyond == 1);
  CHECK(none.beyond == 0);
  CHECK(is_less(none, few));
  CHECK_FALSE(is_less(few, none));
  CHECK(is_less(cost_of({{Rtt{9}, 1}, {Rtt{1}, 9}}, {}), cost_of({{Rtt{8}, 10}}, {})));
  const UserCost hundred{0, 100};
  CHECK(is_worth({0, 94}, hundred, 0.05, 10));
  CHECK_FALSE(is_worth({0, 96}, hundred, 0.05, 10));
  CHECK_FALSE_MESSAGE(is_worth({1, 50}, hundred, 0.05, 10), "nearer, but beyond the budget");
  CHECK(is_worth({0, 200}, {1, 100}, 0.05, 10));
  CHECK_FALSE(is_less(hundred, hundred));
}

TEST_CASE("users: quantiles are weighted with demand and seconds") {
  UserRtts rtts;
  CHECK(rtts.empty());
  CHECK(rtts.quantile(0.95) == Rtt{0});
  rtts.add({{Rtt{1}, 95}, {Rtt{10}, 5}}, 2);
  CHECK(rtts.quantile(0.95) == Rtt{1});
  CHECK(rtts.quantile(0.951) == Rtt{10});
  CHECK(rtts.quantile(1) == Rtt{10});
  CHECK(rtts.share_beyond(1) == doctest::Approx(0.05));
  CHECK(rtts.share_beyond(10) == 0);
  rtts.add({{Rtt{10}, 190}}, 1);
  CHECK(rtts.mean() == Rtt{5});
  rtts.add({{kUnmeasured, 1}}, 0);
  CHECK(rtts.mean() == Rtt{5});
  rtts.add({{kUnmeasured, 1}}, 1);
  CHECK(rtts.mean() == kUnmeasured);
}

}  // namespace
