// What an ApiCluster makes of a store that may have been put back to what it was before.
#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <string>

#include "unit/drive/api_fixture.hpp"
#include "unit/drive/store_version.hpp"

namespace gedge {
namespace {

using namespace api_test;

constexpr const char* kNodes = "/api/v1/nodes?watch=1";
constexpr const char* kPods = "/api/v1/pods?watch=1";

std::string changed(const std::string& name, const std::string& version) {
  std::string text = pod(name);
  return event("ADDED",
               text.insert(text.find("\"name\""), R"("resourceVersion":")" + version + R"(",)"));
}

struct Looking : Fixture {
  Looking() {
    sync("", "");
    open_all();
  }
  void open_all() {
    for (const auto& [ticket, request] : std::map(api.asked))
      if (request.is_stream) api.say_opened(ticket);
    turn();
  }
  /// It is opened again, after it was cut.
  void lose(const char* watch) {
    ApiAnswer cut;
    cut.status = 200;
    api.say(api.find(watch), cut);
    turn();
    clock.time += Micros{2'000'000};
    turn();
    REQUIRE(api.find(watch) != 0);
    api.say_opened(api.find(watch));
    turn();
  }
  std::size_t lists() const {
    std::size_t count = 0;
    for (const auto& [ticket, request] : api.asked)
      count += request.target.find("?limit=500") != std::string::npos ? 1 : 0;
    return count;
  }
};

TEST_CASE("api look: a store that is where it was has lost nothing") {
  for (const char* version : {"5", "6", "10"}) {
    CAPTURE(version);
    Looking at;
    at.lose(kNodes);
    CHECK_FALSE(at.cluster.is_synced());
    REQUIRE(at.cluster.unsynced().size() == 1);
    CHECK(at.cluster.unsynced().front().find("may have been put back") != std::string::npos);
    at.turn();
    CHECK(at.api.find(kLook) != 0);
    say_version(at.api, version);
    at.turn();
    CHECK(at.cluster.is_synced());
    at.turn();
    CHECK(at.lists() == 0);
  }
}

TEST_CASE("api look: of a store that is behind everything is listed, whatever of it was heard") {
  Looking at;
  at.api.say_line(at.api.find(kPods), changed("a", "40"));
  at.turn();
  at.lose(kNodes);
  at.turn();
  const std::size_t watches = at.api.asked.size() - 1;  // the other one asks for the version
  say_version(at.api, "39");
  at.turn();
  CHECK_FALSE(at.cluster.is_synced());
  at.turn();
  REQUIRE(at.lists() == watches);
  CHECK(at.api.asked.size() == watches);
  at.notes.take();
  for (const auto& [ticket, request] : std::map(at.api.asked))
    at.api.say(ticket, 200,
               list("PodList", request.target.find("/pods?") == std::string::npos ? "" : pod("b")));
  at.turn();
  CHECK(at.cluster.is_synced());
  const Lines told = at.notes.take();
  CHECK(std::count(told.begin(), told.end(), "only b") == 1);
}

TEST_CASE("api look: what is told while the store is asked is no sign that it is behind") {
  Looking at;
  at.lose(kPods);
  at.turn();
  at.api.say_line(at.api.find(kPods), changed("a", "8"));
  at.turn();
  say_version(at.api, "6");
  at.turn();
  CHECK(at.cluster.is_synced());
  at.turn();
  CHECK(at.lists() == 0);
}

// The first thing that a watch says of a store that was put back may be of any version.
TEST_CASE("api look: what is told before the store is asked is no sign that it is where it was") {
  Looking at;
  at.api.say_line(at.api.find(kPods), changed("a", "40"));
  at.turn();
  at.lose(kPods);
  at.api.say_line(at.api.find(kPods), changed("b", "8"));
  at.turn();
  say_version(at.api, "9");
  at.turn();
  at.turn();
  CHECK(at.lists() > 1);
}

TEST_CASE("api look: a list that is older than it may be tells as much, and settles the doubt") {
  Looking at;
  at.api.say_line(at.api.find(kPods), changed("a", "40"));
  at.turn();
  at.api.say(at.api.find(kPods), 410, "{}");
  at.turn();
  at.clock.time += Micros{2'000'000};
  at.turn();
  at.lose(kNodes);
  at.turn();
  CHECK(at.api.find(kLook) != 0);
  at.api.say(at.api.find("/api/v1/pods?limit=500"), 200, list("PodList", pod("b")));
  at.turn();
  at.turn();
  CHECK(at.lists() > 5);
  CHECK(at.api.find(kPods) != 0);  // that list was of the store as it is
  say_version(at.api, "3");
  at.turn();
  at.turn();
  CHECK(at.api.find(kPods) != 0);
}

TEST_CASE("api look: of watches that were lost together one look is for all, or for some soon") {
  for (const bool is_late : {false, true}) {
    Looking at;
    at.clock.time += Micros{5'000'000};
    ApiAnswer cut;
    cut.status = 200;
    for (const char* watch : {kNodes, kPods}) at.api.say(at.api.find(watch), cut);
    at.turn();
    at.turn();
    at.api.say_opened(at.api.find(kNodes));
    at.turn();
    at.turn();
    CHECK(at.api.find(kLook) == 0);
    if (is_late)
      at.clock.time += Micros{1'000'000};
    else
      at.api.say_opened(at.api.find(kPods));
    at.turn();
    at.turn();
    CHECK(at.api.find(kLook) != 0);
  }
}

TEST_CASE("api look: an answer from before another watch was lost settles nothing") {
  Looking at;
  at.lose(kNodes);
  at.turn();
  at.lose(kPods);
  say_version(at.api, "5");
  at.turn();
  CHECK_FALSE(at.cluster.is_synced());
  at.turn();
  say_version(at.api, "5");
  at.turn();
  CHECK(at.cluster.is_synced());
}

TEST_CASE("api look: nobody decides for a server that does not answer, and soon when it does") {
  Looking at;
  ApiAnswer lost;
  lost.error = {Errc::kUnreachable, "nobody answers", {}, {}};
  const Micros begin = at.clock.time;
  while (at.clock.time < begin + Micros{40'000'000}) {
    for (const auto& [ticket, request] : std::map(at.api.asked)) at.api.say(ticket, lost);
    at.turn();
    CHECK_FALSE(at.cluster.is_synced());
    at.clock.time += Micros{100'000};
    at.turn();
  }
  const Micros back = at.clock.time;
  while (at.api.find(kLook) == 0) {
    at.clock.time += Micros{100'000};
    at.turn();
  }
  CHECK(at.clock.time - back <= Micros{2'000'000});
  say_version(at.api, "5");
  at.turn();
  CHECK(at.cluster.is_synced());
  // What waited for the server itself waits no longer than a hurry takes.
  at.clock.time += Micros{3'000'000};
  at.turn();
  CHECK(at.api.find(kPods) != 0);
}

TEST_CASE("api look: the first answer after an outage is no reason to wait for the next look") {
  Looking at;
  at.lose(kPods);
  at.turn();
  ApiAnswer failed;
  failed.status = 503;
  at.api.say(at.api.find(kNodes), failed);
  at.api.say(at.api.find(kLook), failed);
  at.turn();
  at.clock.time += Micros{900'000};
  at.turn();
  CHECK(at.api.find(kLook) == 0);
  at.clock.time += Micros{1'000'000};
  at.turn();
  REQUIRE(at.api.find(kNodes) != 0);
  at.api.say(at.api.find(kLook), failed);
  at.turn();
  at.turn();
  CHECK(at.api.find(kLook) == 0);
  at.api.say_opened(at.api.find(kNodes));
  at.turn();
  at.turn();
  CHECK(at.api.find(kLook) != 0);
}

TEST_CASE("api look: nobody decides until the store has said how far it is") {
  Looking at;
  at.lose(kNodes);
  at.turn();
  ApiAnswer busy;
  busy.status = 429;
  busy.retry_after = Nanos{7'000'000'000};
  at.api.say(at.api.find(kLook), busy);
  at.turn();
  at.clock.time += Micros{6'900'000};
  at.turn();
  CHECK(at.api.find(kLook) == 0);
  at.clock.time += Micros{100'000};
  at.turn();
  REQUIRE(at.api.find(kLook) != 0);
  REQUIRE(at.notes.take().size() == 1);
  at.api.say(at.api.find(kLook), 200, "no list");
  at.turn();
  CHECK_FALSE(at.cluster.is_synced());
  CHECK(at.notes.take().size() == 1);  // it is another reason
  at.clock.time += Micros{1'900'000};
  at.turn();
  CHECK(at.api.find(kLook) == 0);
  at.clock.time += Micros{100'000};
  at.turn();
  at.api.say(at.api.find(kLook), 200, "no list");
  at.turn();
  CHECK(at.notes.take().empty());
  at.clock.time += Micros{2'000'000};
  at.turn();
  say_version(at.api, "5");
  at.turn();
  CHECK(at.cluster.is_synced());
}

}  // namespace
}  // namespace gedge
