// Pods whose delay budgets mean each other, and that come one after the other.
#include <doctest/doctest.h>

#include <cstdint>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "gedge/control/scheduler.hpp"
#include "gedge/policy/profile.hpp"
#include "support/sim_site.hpp"
#include "support/site_builder.hpp"

using namespace gedge;
using namespace gedge::test;

namespace {

constexpr Nanos kMoment{20'000'000};

// n0 and n1 are 2 ms apart, n2 is 30 ms away from both.
Scheduler near_and_far() {
  LiveOptions options;
  options.profiles = {*builtin_profile("edge", Compat::k1_36)};
  Scheduler scheduler(LiveCluster(std::move(options)), {"gedge"}, {});
  scheduler.put(three_nodes());
  RttMatrix rtt({"n0", "n1", "n2"});
  for (const auto& [a, b, us] :
       {std::tuple(0U, 1U, 2'000U), {0U, 2U, 30'000U}, {1U, 2U, 30'000U}}) {
    rtt.set(NameIndex{a}, NameIndex{b}, Rtt{us});
    rtt.set(NameIndex{b}, NameIndex{a}, Rtt{us});
  }
  scheduler.put(std::move(rtt));
  return scheduler;
}

Facts replica(const std::string& workload, int ordinal, const std::string& means) {
  Facts facts;
  add_pods(facts, "Deployment", workload, 1);
  facts.pods[0].name = workload + "-" + std::to_string(ordinal);
  facts.pods[0].uid = "uid-" + facts.pods[0].name.str();
  if (!means.empty()) facts.specs[0].budgets = {budget(means, 5'000, PeerKind::kWorkload)};
  return facts;
}

std::string binds_of(Scheduler& scheduler) {
  std::string bound;
  for (const BindRequest& bind : scheduler.take_binds())
    bound += (bound.empty() ? "" : " ") + bind.pod.name.str();
  return bound;
}

}  // namespace

TEST_CASE("pods that need each other are placed when the last of them has come") {
  Scheduler scheduler = near_and_far();
  scheduler.put(replica("a", 0, "b"));
  REQUIRE(scheduler.advance(kSecond));
  REQUIRE(scheduler.parked() == 1);
  SUBCASE("at once, though the first would wait longer by itself") {
    scheduler.put(replica("b", 0, "a"));
    REQUIRE(scheduler.advance(kSecond + kMoment));
    CHECK(binds_of(scheduler) == "a-0 b-0");
  }
  SUBCASE("in a circle of three") {
    scheduler.put(replica("b", 0, "c"));
    REQUIRE(scheduler.advance(kSecond + kMoment));
    REQUIRE(binds_of(scheduler).empty());
    scheduler.put(replica("c", 0, "a"));
    REQUIRE(scheduler.advance(kSecond + 2 * kMoment));
    CHECK(binds_of(scheduler) == "a-0 b-0 c-0");
  }
  CHECK(scheduler.counts().flushed == 0);
}

TEST_CASE("who is needed, but needs nobody, is not tried before it is time") {
  Scheduler scheduler = near_and_far();
  Facts alone = replica("b", 0, "");
  alone.specs[0].node_selector.set("kubernetes.io/hostname", "n9");
  scheduler.put(std::move(alone));
  REQUIRE(scheduler.advance(kSecond));
  scheduler.put(replica("a", 0, "b"));
  REQUIRE(scheduler.advance(kSecond + kMoment));
  CHECK(scheduler.counts().attempts == 2);
}

TEST_CASE("a pod of a circle that is gated or ends is not tried with the others") {
  Scheduler scheduler = near_and_far();
  Facts gated = replica("b", 0, "a");
  gated.specs[0].gated = true;
  scheduler.put(std::move(gated));
  scheduler.put(replica("a", 0, "b"));
  REQUIRE(scheduler.advance(kSecond));
  CHECK(binds_of(scheduler).empty());
  CHECK(scheduler.counts().attempts == 1);
}
