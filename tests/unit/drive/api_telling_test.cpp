// Events that a server does not take.
#include <doctest/doctest.h>

#include <map>
#include <string>
#include <utility>

#include "unit/drive/api_fixture.hpp"

namespace gedge {
namespace {

using namespace api_test;

constexpr Nanos kSecond{1'000'000'000};

struct Telling : Fixture {
  static ApiClusterOptions without_conditions() {
    ApiClusterOptions options;
    options.tells_conditions = false;
    return options;
  }
  Telling() : Fixture(without_conditions()) {}

  void warn(const std::string& node) {
    cluster.tell(Overcommit{node, {{"cpu", 5, 4}}});
    gather();
  }
  std::map<std::uint64_t, ApiRequest> events() const {
    std::map<std::uint64_t, ApiRequest> found;
    for (const auto& [ticket, request] : api.asked)
      if (request.lane == ApiLane::kEvent) found.emplace(ticket, request);
    return found;
  }
  /// What is asked of the one that was just told.
  ApiVerb answer(unsigned status, std::optional<Nanos> retry_after = std::nullopt) {
    const auto asked = events();
    REQUIRE(asked.size() == 1);
    ApiAnswer answer;
    answer.status = status;
    answer.retry_after = retry_after;
    api.say(asked.begin()->first, std::move(answer));
    turn();
    return asked.begin()->second.verb;
  }
};

TEST_CASE("api telling: an Event that was never written is not repeated, it is written") {
  Telling at;
  for (const unsigned status : {503U, 0U, 201U}) {
    at.warn("n1");
    CHECK(at.answer(status) == ApiVerb::kPost);
  }
  at.warn("n1");
  CHECK(at.answer(200) == ApiVerb::kPatch);
  at.warn("n1");
  CHECK(at.answer(404) == ApiVerb::kPatch);  // its hour was over
  at.warn("n1");
  CHECK(at.answer(201) == ApiVerb::kPost);
}

TEST_CASE("api telling: a server that asks to be left alone gets no Events for so long") {
  Telling at;
  at.warn("n1");
  at.answer(429, 20 * kSecond);
  at.warn("n2");
  at.clock.time += Micros{19'900'000};
  at.turn();
  CHECK(at.events().empty());
  at.clock.time += Micros{100'000};
  at.turn();
  CHECK(at.cluster.untold() == 1);
  CHECK(at.answer(429) == ApiVerb::kPost);
  at.warn("n3");
  CHECK(at.events().empty());
  at.clock.time += Micros{1'000'000};
  at.turn();
  CHECK(at.answer(201) == ApiVerb::kPost);
}

TEST_CASE("api telling: who stops waits for a server that asks for two seconds, and no longer") {
  for (const auto& [after, untold] : {std::pair(2 * kSecond, 1U), {2 * kSecond + Nanos{1}, 0U}}) {
    Telling at;
    at.warn("n1");
    at.answer(429, after);
    CHECK(at.cluster.counts().events_dropped == 1);
    at.warn("n2");
    CHECK(at.cluster.untold() == untold);
    at.clock.time += Micros{2'000'001};
    CHECK(at.cluster.untold() == 1);
  }
}

TEST_CASE("api telling: nor for one that asks for a second again and again") {
  Telling at;
  const auto refuse = [&at](const char* node) {
    at.answer(429, kSecond);
    at.warn(node);
  };
  at.warn("n1");
  refuse("n2");
  CHECK(at.cluster.untold() == 1);
  at.clock.time += Micros{1'000'000};
  at.turn();
  refuse("n3");
  CHECK(at.cluster.untold() == 0);
  at.clock.time += Micros{1'000'000};
  at.turn();
  at.answer(201);
  at.warn("n4");
  refuse("n5");  // it took one in between
  CHECK(at.cluster.untold() == 1);
}

TEST_CASE("api telling: one that found no room in the queue is told anew") {
  Telling at;
  at.warn("first");
  at.answer(429, 20 * kSecond);
  for (int i = 0; i < 4'096; ++i) at.cluster.tell(Overcommit{std::to_string(i), {{"cpu", 5, 4}}});
  CHECK(at.cluster.counts().events_dropped == 1);  // the first one
  at.cluster.tell(Misplaced{{"shop", "a"}, "u", "n1"});
  CHECK(at.cluster.counts().events_dropped == 2);
  at.clock.time += Micros{20'000'000};
  at.cluster.tell(Overcommit{"0", {{"cpu", 5, 4}}});
  for (int patches = 0, left = 4'096; left > 0;) {
    for (const auto& [ticket, request] : at.events()) {
      patches += request.verb == ApiVerb::kPatch ? 1 : 0;
      at.api.say(ticket, 201, "{}");
      --left;
    }
    at.turn();
    CHECK(patches == 0);
  }
}

}  // namespace
}  // namespace gedge
