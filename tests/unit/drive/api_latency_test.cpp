// Round-trip times that a cluster carries, as ApiCluster follows them.
#include <doctest/doctest.h>

#include <string>
#include <utility>
#include <vector>

#include "gedge/drive/api_cluster.hpp"
#include "gedge/sim/scripted_api.hpp"
#include "unit/drive/store_version.hpp"

namespace gedge {
namespace {

constexpr const char* kObjects = "/apis/gedge.io/v1alpha1/nodelatencies?";
constexpr const char* kMaps = "/api/v1/namespaces/gedge-system/configmaps?";

struct HandClock final : Clock, WallClock {
  Micros time{1'000'000};
  Micros now() const override { return time; }
  UnixSeconds date() const override { return 1'795'000'000; }
};

/// Keeps the matrix that it is told last.
struct Listener final : ClusterListener {
  std::vector<RttMatrix> told;
  std::vector<std::string> failures;
  void put(Facts) override {}
  void remove(FactKind, std::string_view, std::string_view, std::string_view) override {}
  void keep_only(FactKind, std::vector<PodName>) override {}
  void measured(RttMatrix&& rtt) override { told.push_back(std::move(rtt)); }
  void answer(std::uint64_t, BindAnswer) override {}
  void answer(std::uint64_t, const PodReading&) override {}
  void answer(std::uint64_t, EvictAnswer) override {}
  void answer(std::uint64_t, ClaimAnswer) override {}
  void failed(const Error& error) override { failures.push_back(error.what); }

  /// In microseconds, of the last; -1: not known.
  std::int64_t rtt(const std::string& from, const std::string& to) const {
    const auto a = told.back().find(from), b = told.back().find(to);
    if (!a || !b || told.back().at(*a, *b) == kUnmeasured) return -1;
    return told.back().at(*a, *b).us;
  }
};

std::string object(const std::string& from, const std::string& to, int us) {
  return R"({"apiVersion":"gedge.io/v1alpha1","kind":"NodeLatency","metadata":{"name":")" + from +
         R"(","resourceVersion":"7"},"spec":{"peers":[{"to":")" + to + R"(","p95Us":)" +
         std::to_string(us) + "}]}}";
}

// As a server lists it: its items do not say what they are.
std::string config_map(int us) {
  return R"({"metadata":{"name":"gedge-latency","namespace":"gedge-system"},"data":{)"
         R"("matrix.json":"{\"kind\":\"LatencyMatrix\",\"nodes\":[\"a\",\"b\"],\"pairs\":[{)"
         R"(\"from\":\"a\",\"to\":\"b\",\"p95Us\":)" +
         std::to_string(us) + R"(},{\"from\":\"b\",\"to\":\"a\",\"p95Us\":)" + std::to_string(us) +
         R"(}]}"}})";
}

std::string list(const std::string& kind, const std::string& items) {
  return R"({"kind":")" + kind + R"(","apiVersion":"v1","metadata":{"resourceVersion":"5"},)" +
         R"("items":[)" + items + "]}";
}

struct Fixture {
  ScriptedApi api;
  HandClock clock;
  Listener listener;
  ApiCluster cluster;

  Fixture() : cluster(api, clock, clock, options()) {}
  static ApiClusterOptions options() {
    ApiClusterOptions options;
    options.latency.emplace();
    return options;
  }
  void turn(Micros passes = Micros{0}) {
    clock.time += passes;
    REQUIRE(cluster.wait(Nanos{0}, listener));
  }
  /// Answers everything else with nothing.
  void list_others() {
    turn();
    for (const auto& [ticket, request] : std::map(api.asked))
      if (!request.target.starts_with(kObjects) && !request.target.starts_with(kMaps))
        api.say(ticket, 200, list("List", ""));
    turn();
  }
};

TEST_CASE("api latency: a cluster that carries none is known without it, and asked again") {
  Fixture at;
  at.list_others();
  CHECK_FALSE(at.cluster.is_synced());
  at.api.say(at.api.find(kObjects), 404, "{}");
  at.turn();
  CHECK_FALSE(at.cluster.is_synced());
  CHECK(at.cluster.unsynced() ==
        std::vector<std::string>{"/api/v1/namespaces/gedge-system/configmaps"});
  at.api.say(at.api.find(kMaps), 200, list("ConfigMapList", ""));
  at.turn();
  CHECK(at.cluster.is_synced());
  CHECK(at.listener.told.empty());
  CHECK(at.listener.failures.empty());
  CHECK(at.api.find(kObjects) == 0);
  at.turn(Micros{60'000'000});
  REQUIRE(at.api.find(kObjects) != 0);
  at.api.say(at.api.find(kObjects), 200, list("NodeLatencyList", object("a", "b", 900)));
  at.turn();
  REQUIRE(at.listener.told.size() == 1);
  CHECK(at.listener.rtt("a", "b") == 900);
}

TEST_CASE("api latency: objects win over the matrix, and changes are told together") {
  Fixture at;
  at.list_others();
  at.api.say(at.api.find(kMaps), 200, list("ConfigMapList", config_map(3'000)));
  at.api.say(at.api.find(kObjects), 200,
             list("NodeLatencyList", object("a", "b", 900) + "," + object("c", "a", 700)));
  at.turn();
  REQUIRE(at.listener.told.size() == 1);
  CHECK(at.listener.rtt("a", "b") == 900);
  CHECK(at.listener.rtt("b", "a") == 3'000);
  CHECK(at.listener.rtt("c", "a") == 700);
  CHECK(at.listener.rtt("a", "c") == -1);

  at.turn();
  const std::uint64_t watch = at.api.find(std::string(kObjects) + "watch=1");
  REQUIRE(watch != 0);
  const auto event = [](const std::string& type, const std::string& what) {
    return R"({"type":")" + type + R"(","object":)" + what + "}";
  };
  at.api.say_line(watch, event("MODIFIED", object("a", "b", 800)));
  at.api.say_line(watch, event("MODIFIED", object("a", "c", 100)));
  at.turn(Micros{500'000});
  CHECK(at.listener.told.size() == 1);  // within the second
  at.turn(Micros{500'000});
  REQUIRE(at.listener.told.size() == 2);
  CHECK(at.listener.rtt("a", "c") == 100);
  CHECK(at.listener.rtt("a", "b") == 3'000);  // the object says nothing of it any more
  at.api.say_line(watch, event("DELETED", object("c", "a", 700)));
  at.turn(Micros{2'000'000});
  REQUIRE(at.listener.told.size() == 3);
  CHECK(at.listener.rtt("c", "a") == -1);
  at.turn(Micros{2'000'000});
  CHECK(at.listener.told.size() == 3);
  CHECK(at.listener.failures.empty());
}

TEST_CASE("api latency: an object that cannot be read spoils no other") {
  Fixture at;
  at.list_others();
  at.api.say(at.api.find(kMaps), 404, "{}");
  std::string wrong = object("b", "a", 5);
  wrong.replace(wrong.find("\"p95Us\":5"), 9, "\"p95Us\":-5");
  at.api.say(at.api.find(kObjects), 200,
             list("NodeLatencyList", object("a", "b", 900) + "," + wrong));
  at.turn();
  REQUIRE(at.listener.told.size() == 1);
  CHECK(at.listener.rtt("a", "b") == 900);
  CHECK(at.listener.rtt("b", "a") == -1);
  CHECK(at.listener.failures.size() == 1);
}

// A gateway may answer so for a path that it does not know.
TEST_CASE("api latency: what is no list fails as what is not answered, again and again") {
  Fixture at;
  at.list_others();
  at.api.say(at.api.find(kMaps), 200, list("ConfigMapList", ""));
  const Micros begin = at.clock.time;
  while (at.cluster.failing() == nullptr) {
    REQUIRE(at.clock.time < begin + Micros{60'000'000});
    if (const auto asked = at.api.find(kObjects)) at.api.say(asked, 200, "<html>not here</html>");
    at.turn(Micros{500'000});
  }
  CHECK(at.clock.time >= begin + Micros{10'000'000});
  REQUIRE(at.listener.failures.size() == 1);
  CHECK(at.cluster.failing()->what == at.listener.failures.front());
  CHECK(at.listener.failures.front().starts_with("cannot read /apis/gedge.io/v1alpha1/nodelat"));
}

TEST_CASE("api latency: a kind that goes away takes its times along") {
  Fixture at;
  at.list_others();
  at.api.say(at.api.find(kMaps), 404, "{}");
  at.api.say(at.api.find(kObjects), 200, list("NodeLatencyList", object("a", "b", 900)));
  at.turn();
  at.turn();
  const std::uint64_t watch = at.api.find(std::string(kObjects) + "watch=1");
  REQUIRE(watch != 0);
  at.api.say(watch, 404, "{}");
  at.turn(Micros{2'000'000});
  for (int refusals = 0; refusals < 2; ++refusals) {
    CHECK(at.listener.told.size() == 1);
    at.turn(Micros{61'000'000});
    REQUIRE(at.api.find(kObjects) != 0);
    at.api.say(at.api.find(kObjects), 404, "{}");
    at.turn();
  }
  REQUIRE(at.listener.told.size() == 2);
  CHECK(at.listener.rtt("a", "b") == -1);
  for (const auto& [ticket, request] : std::map(at.api.asked)) at.api.say_opened(ticket);
  at.turn();
  at.turn();
  api_test::say_version(at.api, "7");
  at.turn();
  CHECK(at.cluster.is_synced());
}

TEST_CASE("api latency: what is listed anew once an hour is told where it has changed") {
  Fixture at;
  at.list_others();
  at.api.say(at.api.find(kMaps), 404, "{}");
  at.api.say(at.api.find(kObjects), 200, list("NodeLatencyList", object("a", "b", 900)));
  at.turn();
  at.turn();
  for (const int us : {900, 800}) {
    at.turn(Micros{3'600'000'000});
    REQUIRE(at.api.find(std::string(kObjects) + "limit=") != 0);
    at.api.say(at.api.find(kObjects), 200, list("NodeLatencyList", object("a", "b", us)));
    at.turn();
    at.turn();
    CHECK(at.listener.told.size() == (us == 900 ? 1 : 2));
    CHECK(at.listener.rtt("a", "b") == us);
  }
}

TEST_CASE("api latency: a quiet watch is asked anew at once, from where it was") {
  Fixture at;
  at.list_others();
  at.api.say(at.api.find(kMaps), 404, "{}");
  at.api.say(at.api.find(kObjects), 200, list("NodeLatencyList", object("a", "b", 900)));
  at.turn();
  at.turn();
  for (int i = 0; i < 5; ++i) {
    const std::uint64_t watch = at.api.find(std::string(kObjects) + "watch=1");
    REQUIRE(watch != 0);
    at.api.say_opened(watch);
    at.turn();
    at.turn(Micros{90'000'000});
    CHECK(at.api.find(std::string(kObjects) + "watch=1") > watch);
  }
}

}  // namespace
}  // namespace gedge
