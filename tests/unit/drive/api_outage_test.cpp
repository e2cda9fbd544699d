#include <doctest/doctest.h>

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "gedge/drive/api_cluster.hpp"
#include "gedge/sim/scripted_api.hpp"
#include "unit/drive/store_version.hpp"

namespace gedge::api_outage {

struct FixedClock final : Clock, WallClock {
  Micros time{1'000'000};
  Micros now() const override { return time; }
  UnixSeconds date() const override { return 1'795'000'000; }
};

/// What fails, and when it works again.
struct Notes final : ClusterListener {
  std::vector<std::string> lines;
  void put(Facts) override {}
  void remove(FactKind, std::string_view, std::string_view, std::string_view) override {}
  void keep_only(FactKind, std::vector<PodName>) override {}
  void answer(std::uint64_t, BindAnswer) override {}
  void answer(std::uint64_t, const PodReading&) override {}
  void answer(std::uint64_t, EvictAnswer) override {}
  void answer(std::uint64_t, ClaimAnswer) override {}
  void failed(const Error& error) override { lines.push_back(error.what); }
  void recovered() override { lines.emplace_back("recovered"); }
  std::vector<std::string> take() { return std::exchange(lines, {}); }
};

using Lines = std::vector<std::string>;

const std::string kLease = "/apis/coordination.k8s.io/v1/namespaces/gedge-system/leases/";
constexpr Micros kLong{60'000'000};
const std::string kEmpty =
    R"({"kind":"List","apiVersion":"v1","metadata":{"resourceVersion":"5"},"items":[]})";

ApiClusterOptions electing() {
  ApiClusterOptions options;
  options.lease.emplace();
  options.lease->identity = "a";
  return options;
}

struct Outages {
  ScriptedApi api;
  FixedClock clock;
  Notes notes;
  ApiCluster cluster;

  explicit Outages(ApiClusterOptions options = {})
      : cluster(api, clock, clock, std::move(options)) {}

  void turn() { REQUIRE(cluster.wait(Nanos{0}, notes)); }
  /// What comes of the call about `target`; then time passes until it is tried again.
  Lines fails(const std::string& target) {
    ApiAnswer lost;
    lost.error = {Errc::kUnreachable, "nobody answers", {}, {}};
    REQUIRE(api.find(target) != 0);
    api.say(api.find(target), lost);
    turn();
    clock.time += kLong;
    turn();
    return notes.take();
  }
  void list_all() {
    for (const auto& [ticket, request] : std::map(api.asked))
      if (request.target.find("watch=1") == std::string::npos) api.say(ticket, 200, kEmpty);
    turn();
    turn();
  }
};

TEST_CASE("api cluster: an outage is told once, and the next one again, though nothing changed") {
  Outages at;
  at.turn();
  at.list_all();
  const std::string pods = "/api/v1/pods?watch=1";
  const Lines told = at.fails(pods);
  REQUIRE(told.size() == 1);
  CHECK(at.fails(pods).empty());
  at.api.say_opened(at.api.find(pods));
  at.turn();
  CHECK(at.notes.take() == Lines{"recovered"});
  CHECK(at.fails(pods) == told);
}

TEST_CASE("api cluster: of what was never listed is said what it failed with") {
  Outages at;
  at.turn();
  CHECK(at.cluster.failing() == nullptr);
  const Lines told = at.fails("/api/v1/pods?limit");
  CHECK(at.cluster.failing() == nullptr);  // it failed once, and long ago
  at.clock.time -= kLong - Micros{9'000'000};
  CHECK(at.fails("/api/v1/pods?limit").empty());
  CHECK(at.cluster.failing() == nullptr);
  CHECK(at.fails("/api/v1/pods?limit").empty());
  REQUIRE(at.cluster.failing() != nullptr);
  CHECK(Lines{at.cluster.failing()->what} == told);
  CHECK(at.cluster.failing()->code == Errc::kUnreachable);
  at.list_all();
  CHECK(at.cluster.failing() == nullptr);
  CHECK(at.notes.take() == Lines{"recovered"});
  CHECK(at.fails("/api/v1/pods?watch=1").size() == 1);
  CHECK(at.cluster.failing() == nullptr);
}

TEST_CASE("api cluster: what may not be read for good is nothing that fails, for who leads then") {
  Outages at(electing());
  at.turn();
  const auto say = [&at](const std::string& path, unsigned status, const std::string& body) {
    if (const auto asked = at.api.find(path)) at.api.say(asked, status, body);
  };
  const auto held_by = [](const std::string& holder, int version) {
    return R"({"metadata":{"name":"l","namespace":"n","resourceVersion":")" +
           std::to_string(version) + R"("},"spec":{"holderIdentity":")" + holder +
           R"(","leaseDurationSeconds":15}})";
  };
  const std::string groups = "/apis/scheduling.x-k8s.io/v1alpha1/podgroups?";
  int version = 10;
  for (int i = 0; i < 120; ++i) {
    at.clock.time += Micros{500'000};
    say(kLease, 200, held_by("b", ++version));
    say(groups, 403, "{}");
    at.turn();
    for (const auto& [ticket, request] : std::map(at.api.asked))
      if (!request.is_stream && request.target.starts_with("/api") &&
          !request.target.starts_with(groups) && !request.target.starts_with(kLease))
        at.api.say(ticket, 200, kEmpty);
    at.turn();
    CHECK_FALSE(at.cluster.is_synced());
  }
  CHECK(at.cluster.failing() == nullptr);
  say(kLease, 200, held_by("", ++version));
  at.turn();
  for (int i = 0; i < 20 && !at.cluster.is_leading(); ++i) {
    at.clock.time += Micros{500'000};
    at.turn();
    say(kLease, 200, held_by("", version));
    at.turn();
  }
  REQUIRE(at.cluster.is_leading());
  while (at.api.find("/api/v1/nodes?limit") == 0) {  // all is listed again
    REQUIRE(at.clock.time < Micros{200'000'000});
    at.clock.time += Micros{500'000};
    at.turn();
    say(kLease, 200, held_by("a", ++version));
    at.turn();
    CHECK(at.cluster.failing() == nullptr);
  }
  CHECK_FALSE(at.cluster.is_synced());
}

TEST_CASE("api cluster: a lease of which nothing can be read is what everything waits for") {
  Outages at(electing());
  at.turn();
  REQUIRE(at.fails(kLease).size() == 1);
  CHECK(at.cluster.failing() == nullptr);
  REQUIRE(at.fails(kLease).empty());
  REQUIRE(at.cluster.failing() != nullptr);
  CHECK(at.cluster.failing()->code == Errc::kUnreachable);
}

TEST_CASE("api cluster: a server that has gone is what everything fails with, 10 s later") {
  Outages at;
  at.turn();
  at.list_all();
  for (const auto& [ticket, request] : std::map(at.api.asked)) at.api.say_opened(ticket);
  at.turn();
  const Micros begin = at.clock.time;
  while (at.cluster.failing() == nullptr) {
    REQUIRE(at.clock.time < begin + kLong);
    ApiAnswer lost;
    lost.error = {Errc::kUnreachable, "nobody answers", {}, {}};
    for (const auto& [ticket, request] : std::map(at.api.asked)) at.api.say(ticket, lost);
    at.turn();
    at.clock.time += Micros{500'000};
    at.turn();
    CHECK_FALSE(at.cluster.is_synced());
  }
  CHECK(at.clock.time - begin >= Micros{10'000'000});
  CHECK(at.clock.time - begin <= Micros{15'000'000});
  CHECK(at.cluster.failing()->code == Errc::kUnreachable);
}

TEST_CASE("api cluster: a list that comes after all is the end of an outage") {
  Outages at;
  at.turn();
  const std::string pods = "/api/v1/pods?limit";
  CHECK(at.fails(pods).size() == 1);
  CHECK(at.fails(pods).empty());
  at.list_all();
  CHECK(at.notes.take() == Lines{"recovered"});
}

TEST_CASE("api cluster: an outage of round-trip times or of the lease is told each time") {
  ApiClusterOptions options;
  options.latency.emplace();
  Outages at(options);
  at.turn();
  at.list_all();
  const std::string latency = "/apis/gedge.io/v1alpha1/nodelatencies?watch=1";
  const Lines told = at.fails(latency);
  REQUIRE(told.size() == 1);
  at.api.say_opened(at.api.find(latency));
  at.turn();
  CHECK(at.notes.take() == Lines{"recovered"});
  CHECK(at.fails(latency) == told);

  Outages lease(electing());
  lease.turn();
  REQUIRE(lease.fails(kLease).size() == 1);
  CHECK(lease.fails(kLease).empty());
  lease.api.say(lease.api.find(kLease), 200,
                R"({"metadata":{"name":"l","namespace":"n","resourceVersion":"7"},"spec":{)"
                R"("holderIdentity":"b","leaseDurationSeconds":15}})");
  lease.turn();
  CHECK(lease.notes.take() == Lines{"recovered"});
}

/// Nobody answers for so long; then every call is answered at once.
struct Return {
  Micros first{0}, last{0};  // answers, after the end of the outage
  std::map<std::string, int> asked_in_vain;
  int lists = 0;

  explicit Return(Micros outage) {
    Outages at;
    at.turn();
    at.list_all();
    for (const auto& [ticket, request] : std::map(at.api.asked)) at.api.say_opened(ticket);
    at.turn();
    const Micros begin = at.clock.time, end = begin + outage;
    ApiAnswer lost;
    lost.error = {Errc::kUnreachable, "nobody answers", {}, {}};
    std::set<std::uint64_t> open;
    for (; at.clock.time < end + Micros{30'000'000}; at.clock.time += Micros{50'000}) {
      for (const auto& [ticket, request] : std::map(at.api.asked)) {
        if (at.clock.time < end) {
          ++asked_in_vain[api_test::is_look(request)
                              ? "the version"
                              : request.target.substr(0, request.target.find('?'))];
          at.api.say(ticket, lost);
        } else if (api_test::is_look(request)) {
          at.api.say(ticket, 200, api_test::store_at("5"));
        } else if (open.insert(ticket).second) {
          if (!request.is_stream) ++lists;
          at.api.say_opened(ticket);
          last = at.clock.time - end;
          if (first == Micros{0}) first = last;
        }
      }
      at.turn();
    }
    CHECK(at.cluster.is_synced());
    CHECK(at.cluster.unsynced().empty());
  }
};

TEST_CASE("api cluster: after an outage the first call comes within 5 s, and all soon after it") {
  for (const int seconds : {1, 5, 60, 300}) {
    CAPTURE(seconds);
    const Return back(Micros{1'000'000} * seconds);
    CHECK(back.first <= Micros{5'000'000});
    CHECK(back.last <= Micros{8'200'000});
    CHECK(back.lists == 0);
    for (const auto& [path, times] : back.asked_in_vain) {
      const auto& shown_path = path;
      CAPTURE(shown_path);
      const bool is_scout = path == "/api/v1/nodes" || path == "the version";
      CHECK(times <= (is_scout ? 5 + seconds / 2 : 7 + seconds / 30));
    }
  }
}

}  // namespace gedge::api_outage
