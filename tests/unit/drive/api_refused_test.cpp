// What a server refuses, tells nobody of, or tells in words of its own.
#include <doctest/doctest.h>

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "gedge/drive/api_cluster.hpp"
#include "gedge/sim/scripted_api.hpp"

namespace gedge {
namespace {

constexpr const char* kServices = "/api/v1/services?";
constexpr const char* kObjects = "/apis/gedge.io/v1alpha1/nodelatencies?";

struct TurnedClock final : Clock, WallClock {
  Micros time{1'000'000};
  Micros now() const override { return time; }
  UnixSeconds date() const override { return 1'795'000'000; }
};

/// What is known of Services and round-trip times.
struct Known final : ClusterListener {
  std::vector<std::string> services, failures;
  std::vector<std::size_t> matrices;  // their sizes
  void put(Facts objects) override {
    for (const SpreadOwner& owner : objects.spread_owners) services.push_back(owner.name);
  }
  void remove(FactKind, std::string_view, std::string_view, std::string_view) override {}
  void keep_only(FactKind kind, std::vector<PodName> names) override {
    if (kind == FactKind::kService && names.empty()) services.clear();
  }
  void measured(RttMatrix&& rtt) override { matrices.push_back(rtt.size()); }
  void answer(std::uint64_t, BindAnswer) override {}
  void answer(std::uint64_t, const PodReading&) override {}
  void answer(std::uint64_t, EvictAnswer) override {}
  void answer(std::uint64_t, ClaimAnswer) override {}
  void failed(const Error& error) override { failures.push_back(error.what); }
};

std::string list(const std::string& items) {
  return R"({"kind":"List","apiVersion":"v1","metadata":{"resourceVersion":"5"},"items":[)" +
         items + "]}";
}

struct Site {
  ScriptedApi api;
  TurnedClock clock;
  Known known;
  ApiCluster cluster;

  Site() : cluster(api, clock, clock, options()) {
    turn();
    for (const auto& [ticket, request] : std::map(api.asked)) {
      const bool is_services = request.target.starts_with(kServices);
      const bool is_latency = request.target.starts_with(kObjects);
      const std::string service =
          R"({"apiVersion":"v1","kind":"Service","metadata":{"name":"web","namespace":"shop"},)"
          R"("spec":{"selector":{"app":"web"}}})";
      const std::string latency =
          R"({"apiVersion":"gedge.io/v1alpha1","kind":"NodeLatency","metadata":{"name":"a"},)"
          R"("spec":{"peers":[{"to":"b","p95Us":900}]}})";
      api.say(ticket, 200, list(is_services ? service : is_latency ? latency : ""));
    }
    turn();
    turn();
    for (const auto& [ticket, request] : std::map(api.asked)) api.say_opened(ticket);
    turn();
    REQUIRE(cluster.is_synced());
    REQUIRE(known.services == std::vector<std::string>{"web"});
    REQUIRE(known.matrices == std::vector<std::size_t>{2});
  }
  static ApiClusterOptions options() {
    ApiClusterOptions options;
    options.latency.emplace();
    return options;
  }
  void turn(std::int64_t seconds = 0) {
    clock.time += Micros{seconds * 1'000'000};
    REQUIRE(cluster.wait(Nanos{0}, known));
  }
  /// The call under way, whatever it is.
  void refuse(const std::string& path, unsigned status) {
    REQUIRE(api.find(path) != 0);
    api.say(api.find(path), status, "{}");
    turn();
  }
};

TEST_CASE("api refused: a kind that was listed is not gone when it is refused for a moment") {
  for (const unsigned status : {403U, 404U}) {
    Site at;
    at.refuse(kServices, status);  // the watch
    at.turn(5);
    at.refuse(kServices, status);
    CHECK(at.known.services.size() == 1);
    CHECK(at.known.failures.size() == 1);
    CHECK(at.cluster.is_synced());
    at.turn(59);
    CHECK(at.known.services.size() == 1);
    CHECK_FALSE(at.cluster.is_synced());
    CHECK(at.cluster.unsynced() == std::vector<std::string>{"/api/v1/services"});
    REQUIRE(at.api.find(kServices) != 0);
    at.api.say(at.api.find(kServices), 200, list(""));
    at.turn();
    CHECK(at.cluster.is_synced());
    CHECK(at.known.services.empty());  // as the server says
  }
}

TEST_CASE("api refused: a kind that is refused for a minute is gone") {
  Site at;
  at.refuse(kServices, 404);
  at.turn(5);
  at.refuse(kServices, 404);
  at.turn(61);
  at.known.failures.clear();
  at.refuse(kServices, 404);
  CHECK(at.known.services.empty());
  CHECK(at.known.failures ==
        std::vector<std::string>{
            "the server has lost /api/v1/services: what it had there counts no more"});
  for (const auto& [ticket, request] : std::map(at.api.asked)) at.api.say_opened(ticket);
  at.turn();
  CHECK(at.cluster.is_synced());
}

TEST_CASE("api refused: a server that was upgraded is asked for budgets by what it has now") {
  Site at;
  const std::string before = "/apis/policy/v1beta1/poddisruptionbudgets?",
                    after = "/apis/policy/v1/poddisruptionbudgets?";
  for (const auto& [lost, found] : {std::pair(before, after), std::pair(after, before)}) {
    at.refuse(lost.c_str(), 404);
    at.turn(5);
    CHECK(at.api.find(lost) == 0);
    REQUIRE(at.api.find(found + "limit=") != 0);
    at.api.say(at.api.find(found + "limit="), 200, list(""));
    at.turn();
    CHECK(at.cluster.is_synced());
    at.turn();
    REQUIRE(at.api.find(found + "watch=") != 0);
  }
  CHECK(at.known.failures.size() == 2);  // each loss is told, and is made good
}

TEST_CASE("api refused: what went without a word is found out within an hour") {
  Site at;
  at.turn(1'800);
  CHECK(at.api.find(std::string(kServices) + "limit=") == 0);
  at.turn(1'800);
  REQUIRE(at.api.find(std::string(kServices) + "limit=") != 0);
  CHECK(at.known.services.size() == 1);
  at.api.say(at.api.find(kServices), 200, list(""));
  at.turn();
  CHECK(at.known.services.empty());
}

TEST_CASE("api refused: round-trip times age, and go after a minute") {
  Site at;
  at.refuse(kObjects, 404);
  at.turn(5);
  at.refuse(kObjects, 404);
  CHECK(at.known.matrices.size() == 1);
  at.turn(61);
  CHECK(at.cluster.unsynced() == std::vector<std::string>{"/apis/gedge.io/v1alpha1/nodelatencies"});
  at.refuse(kObjects, 404);
  CHECK(at.cluster.is_synced());
  CHECK(at.known.matrices == std::vector<std::size_t>{2, 0});
}

TEST_CASE("api refused: a change of a type that is not known is counted, and told once") {
  Site at;
  const std::string odd =
      R"({"type":"RENAMED","object":{"kind":"Service","metadata":{"name":"web","namespace":"shop",)"
      R"("resourceVersion":"9"}}})";
  for (int i = 0; i < 2; ++i) {
    at.api.say_line(at.api.find(kServices), odd);
    at.api.say_line(at.api.find(kObjects), odd);
    at.turn();
  }
  CHECK(at.cluster.counts().unknown_changes == 4);
  REQUIRE(at.known.failures.size() == 2);
  CHECK(at.known.failures[0] ==
        "the watch of /api/v1/services tells a change of type 'RENAMED', which is left alone, as "
        "those that follow");
  CHECK(at.known.services.size() == 1);
  CHECK(at.cluster.is_synced());
}

}  // namespace
}  // namespace gedge
