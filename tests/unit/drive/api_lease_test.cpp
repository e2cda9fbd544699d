// Who writes through an ApiCluster: the process that has the lease, and nobody else.
#include <doctest/doctest.h>

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "unit/drive/api_fixture.hpp"

namespace gedge {
namespace {

using namespace api_test;

ApiClusterOptions with_lease(int minor = 20) {
  ApiClusterOptions options;
  options.lease.emplace();
  options.lease->identity = "me";
  options.minor = minor;
  return options;
}

void lead(Fixture& at) {
  for (int i = 0; i < 2; ++i) {
    const std::uint64_t lease = at.api.find("/apis/coordination.k8s.io/");
    REQUIRE(lease != 0);
    at.api.say(lease, 200,
               R"({"metadata":{"resourceVersion":"3"},"spec":{"holderIdentity":"me",)"
               R"("leaseDurationSeconds":15}})");
    at.turn();
    at.turn();
  }
  REQUIRE(at.cluster.is_leading());
}

/// Under way, but for those about the lease itself.
std::vector<ApiRequest> writes(const Fixture& at) {
  std::vector<ApiRequest> requests;
  for (const auto& [ticket, request] : at.api.asked)
    if (request.verb != ApiVerb::kGet && request.lane != ApiLane::kLease)
      requests.push_back(request);
  return requests;
}

struct Write {
  const char* what;
  std::function<void(ApiCluster&)> ask;
  std::string answer = {};  // where it is not sent; empty: nobody waits for one
};

// More than what waits for its like.
constexpr int kMany = 40;

std::string pod_of(int i) { return "p" + std::to_string(i); }

const std::vector<Write> kWrites{
    {"bind",
     [](ApiCluster& cluster) {
       cluster.bind({42, {"shop", "a"}, "u-a", "n1"});
     },
     "bind 42: 3"},
    {"one goes for another",
     [](ApiCluster& cluster) {
       cluster.evict({42, {"shop", "a"}, "u-a", {"shop", "big"}, "n1"});
     },
     "evict 42: 1"},
    {"one goes within budgets",
     [](ApiCluster& cluster) {
       cluster.evict({42, {"shop", "a"}, "u-a", {}, "n1", "5 of 4 cpu", true});
     },
     "evict 42: 1"},
    {"volume",
     [](ApiCluster& cluster) {
       cluster.claim({42, {"shop", "data"}, "u-data", "disk-1", "n1"});
     },
     "claim 42: 1"},
    {"selected node",
     [](ApiCluster& cluster) {
       cluster.claim({42, {"shop", "data"}, "u-data", {}, "n1"});
     },
     "claim 42: 1"},
    {"promise",
     [](ApiCluster& cluster) {
       cluster.nominate({{"shop", "a"}, "u-a", "n1"});
     }},
    {"condition and Event",
     [](ApiCluster& cluster) {
       for (int i = 0; i < kMany; ++i)
         cluster.tell(Unschedulable{{"shop", pod_of(i)}, "u", "no room"});
     }},
    {"Event of a node",
     [](ApiCluster& cluster) {
       for (int i = 0; i < kMany; ++i) cluster.tell(Overcommit{pod_of(i), {{"cpu", 5, 4}}});
     }},
    {"Event of a pod",
     [](ApiCluster& cluster) {
       for (int i = 0; i < kMany; ++i) cluster.tell(Misplaced{{"shop", pod_of(i)}, "u", "n1"});
     }},
};

TEST_CASE("api cluster: who leads writes, and all of it is over before the lease is") {
  for (const int minor : {20, 26}) {
    for (const Write& write : kWrites) {
      CAPTURE(minor);
      CAPTURE(write.what);
      Fixture at(with_lease(minor));
      at.turn();
      lead(at);
      const Nanos until = Nanos(at.clock.time) + Nanos{10'000'000'000};
      write.ask(at.cluster);
      at.gather();
      CHECK_FALSE(writes(at).empty());
      for (const ApiRequest& request : writes(at)) {
        CHECK(request.send_by == until);
        CHECK(request.ends_by_then);
      }
    }
  }
}

TEST_CASE("api cluster: who does not lead writes nothing, and says so to who waits for it") {
  for (const int minor : {20, 26}) {
    for (const bool has_led : {false, true}) {
      for (const Write& write : kWrites) {
        CAPTURE(minor);
        CAPTURE(has_led);
        CAPTURE(write.what);
        Fixture at(with_lease(minor));
        at.turn();
        if (has_led) lead(at);
        if (has_led) at.cluster.leave(true);
        at.notes.take();
        write.ask(at.cluster);
        CHECK(writes(at).empty());
        at.turn();
        CHECK(at.notes.take() == (write.answer.empty() ? Lines{} : Lines{write.answer}));
        at.gather();
        CHECK(writes(at).empty());
      }
    }
  }
}

TEST_CASE("api cluster: when the lease has run out nothing is written any more") {
  for (const int minor : {20, 26}) {
    for (const Write& write : kWrites) {
      CAPTURE(minor);
      CAPTURE(write.what);
      Fixture at(with_lease(minor));
      at.turn();
      lead(at);
      at.clock.time += Micros{10'000'000};
      write.ask(at.cluster);
      CHECK(writes(at).empty());
      CHECK_FALSE(at.cluster.wait(Nanos{0}, at.notes));  // the process ends
      CHECK(writes(at).empty());
    }
  }
}

TEST_CASE("api cluster: who was told to go stays where the lease has run out meanwhile") {
  Fixture at(with_lease(26));
  at.turn();
  lead(at);
  at.cluster.evict({3, {"shop", "a"}, "u-a", {"shop", "big"}, "n1"});
  const std::uint64_t told = at.api.find("/api/v1/namespaces/shop/pods/a/status");
  REQUIRE(told != 0);
  at.api.say(told, 200, "{}");
  at.api.stands_still = [&] { at.clock.time += Micros{10'000'000}; };
  CHECK_FALSE(at.cluster.wait(Nanos{0}, at.notes));
  CHECK(writes(at).empty());
  CHECK(at.notes.take() == Lines{"evict 3: 1"});
}

TEST_CASE("api cluster: what waits for its like is not told when the lease is over by then") {
  Fixture at(with_lease());
  at.turn();
  lead(at);
  const auto told = [&](const std::string& name) {
    at.cluster.tell(Unschedulable{{"shop", name}, "u", "no room"});
    at.clock.time += Micros{25'000};
    static_cast<void>(at.cluster.wait(Nanos{0}, at.notes));  // fails where the lease is over
    return writes(at).size();
  };
  CHECK(told("a") == 2);
  CHECK(told("b") == 4);
  at.clock.time += Micros{9'950'000};
  CHECK(told("c") == 4);
  CHECK(at.cluster.untold() == 6);
  CHECK_FALSE(at.cluster.wait(Nanos{0}, at.notes));  // nobody waits for them: the process ends
}

TEST_CASE("api cluster: a lease that is older than it was tells that the store was put back") {
  Fixture at(with_lease());
  at.turn();
  lead(at);
  at.sync("", "");
  at.clock.time += Micros{2'500'000};
  at.turn();
  const std::uint64_t lease = at.api.find("/apis/coordination.k8s.io/");
  REQUIRE(lease != 0);
  at.api.say(lease, 200,
             R"({"metadata":{"resourceVersion":"2"},"spec":{"holderIdentity":"me",)"
             R"("leaseDurationSeconds":15}})");
  at.turn();
  CHECK_FALSE(at.cluster.is_synced());
  at.turn();
  CHECK(at.api.find("/api/v1/pods?watch=1") == 0);
  CHECK(at.api.find("/api/v1/pods?limit=500") != 0);
}

}  // namespace
}  // namespace gedge
