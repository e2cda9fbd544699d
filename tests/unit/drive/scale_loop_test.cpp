#include "gedge/drive/scale_loop.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "scale_server.hpp"

namespace gedge {
namespace {

TEST_CASE("scale loop: lists, then the scale, then metrics, then a write, a status and an Event") {
  ScaleServer server;
  fill(server);
  FixedClock clock;
  std::vector<ScaleReport> reports;
  ScaleEvents events;
  events.reported = [&reports](const ScaleReport& report) { reports.push_back(report); };
  ScaleLoopOptions options;
  options.is_one_pass = true;
  options.autoscaling = "autoscaling/v2beta2";
  ScaleLoop loop(Scaler(own()), server, nullptr, clock, clock, options, std::move(events));
  REQUIRE(loop.run());
  const std::vector<std::string> wanted{
      "/api/v1/pods?limit=500",
      "/apis/autoscaling/v2beta2/horizontalpodautoscalers?limit=500",
      "/apis/apps/v1/namespaces/shop/deployments/web/scale",
      "/apis/metrics.k8s.io/v1beta1/namespaces/shop/pods?labelSelector=app%3Dweb",
      "/apis/apps/v1/namespaces/shop/deployments/web/scale",
      "/apis/autoscaling/v2beta2/namespaces/shop/horizontalpodautoscalers/web/status",
      "/apis/events.k8s.io/v1/namespaces/shop/events"};
  CHECK(server.asked == wanted);
  REQUIRE(server.bodies.size() == 3);
  CHECK(server.bodies[0].find(R"("resourceVersion":"9"},"spec":{"replicas":2}})") !=
        std::string::npos);
  CHECK(server.bodies[1].find(R"("desiredReplicas":2)") != std::string::npos);
  CHECK(server.bodies[2].find(R"("reason":"SuccessfulRescale")") != std::string::npos);
  CHECK(server.bodies[2].find(R"("kind":"HorizontalPodAutoscaler","name":"web")") !=
        std::string::npos);
  REQUIRE(reports.size() == 1);
  CHECK(reports.front().outcome == ScaleReport::Outcome::kRescaled);
}

TEST_CASE("scale loop: while replicas are written nothing is told, for a second at most") {
  ScaleServer server;
  fill(server);
  std::string other = server.hpa;
  for (std::size_t at; (at = other.find("web")) != std::string::npos;) other.replace(at, 3, "api");
  server.hpa += "," + other;
  server.withheld = "/apis/apps/v1/namespaces/shop/deployments/web/scale";
  FixedClock clock;
  int waits = 0;
  const auto is_told = [&] {
    return std::any_of(server.asked.begin(), server.asked.end(),
                       [](const std::string& target) { return target.ends_with("/events"); });
  };
  server.on_wait = [&] {
    if (server.unsaid == 0) return;
    ++waits;
    if (waits == 10) {
      CHECK(server.bodies.size() == 1);  // what is told of the other waits
      clock.time += Micros{1'000'000};
    }
    if (waits == 12) {
      CHECK(is_told());
      server.api.say(std::exchange(server.unsaid, 0), 200, "{}");
    }
  };
  ScaleLoopOptions options;
  options.is_one_pass = true;
  ScaleLoop loop(Scaler(own()), server, nullptr, clock, clock, options, {});
  REQUIRE(loop.run());
  CHECK(waits == 12);
  CHECK(server.bodies.size() == 5);
}

/// Time passes by tenths of a second, and a look begins as soon as the last one is over. The server
/// ends a watch after two of them, and answers the next one after six.
struct SlowWatch {
  static constexpr int kBroken = 20, kStale = 40, kOpened = 80, kEnd = 100;
  std::string path;      // of what is watched
  bool is_ours = false;  // it is this process that stands still, for ten seconds
  ScaleServer server;
  FixedClock clock;
  int tenths = 0;
  std::vector<std::size_t> asked;     // [tenths], so far
  Nanos shortest_wait{Nanos::max()};  // while it is broken

  explicit SlowWatch(std::string of) : path(std::move(of)) { fill(server); }
  void run() {
    ScalerOptions scaler = own();
    scaler.period = Nanos{100'000'000};
    ScaleLoop loop(Scaler(scaler), server, nullptr, clock, clock, {}, {});
    server.on_wait = [&] {
      asked.push_back(server.asked.size());
      if (tenths > kStale && tenths < kOpened)
        shortest_wait = std::min(shortest_wait, server.api.waited.back());
      const bool is_slow = tenths >= kBroken && tenths < kOpened;
      if (tenths == kBroken && is_ours) clock.time += Micros{10'000'000};
      if (tenths == kBroken && !is_ours) server.api.say(server.api.find(path), 200, "");
      for (const auto& [ticket, request] : std::map(server.api.asked))
        if (request.is_stream && !(is_slow && request.target.starts_with(path)))
          server.api.say_opened(ticket);
      clock.time += Micros{100'000};
      if (++tenths > kEnd) loop.stop();
    };
    CHECK(loop.run());
  }
};

TEST_CASE("scale loop: nothing is scaled while a watch is slow to open, and then it goes on") {
  for (const char* const path :
       {"/api/v1/pods?", "/apis/autoscaling/v2/horizontalpodautoscalers?"}) {
    CAPTURE(path);
    SlowWatch slow(path);
    slow.run();
    REQUIRE(slow.asked.size() > SlowWatch::kEnd);
    CHECK_MESSAGE(slow.asked[SlowWatch::kBroken + 8] > slow.asked[SlowWatch::kBroken + 2],
                  "a watch that has just broken keeps nobody from anything");
    CHECK(slow.asked[SlowWatch::kOpened] == slow.asked[SlowWatch::kStale]);
    CHECK_MESSAGE(slow.shortest_wait > Nanos{0}, "nobody turns while nothing can be done");
    CHECK(slow.asked[SlowWatch::kEnd] > slow.asked[SlowWatch::kOpened]);
  }
}

TEST_CASE("scale loop: who stood still scales nothing before it knows what happened meanwhile") {
  SlowWatch slow("/api/v1/pods?");
  slow.is_ours = true;
  slow.run();
  REQUIRE(slow.asked.size() > SlowWatch::kEnd);
  CHECK(slow.asked[SlowWatch::kOpened] == slow.asked[SlowWatch::kStale]);
  CHECK(slow.asked[SlowWatch::kEnd] > slow.asked[SlowWatch::kOpened]);
}

TEST_CASE("scale loop: without writes nothing but GET is sent") {
  ScaleServer server;
  fill(server);
  FixedClock clock;
  ScalerOptions scaler = own();
  scaler.writes = false;
  ScaleLoopOptions options;
  options.is_one_pass = true;
  options.writes = false;
  ScaleLoop loop(Scaler(scaler), server, nullptr, clock, clock, options, {});
  REQUIRE(loop.run());
  CHECK(server.bodies.empty());
}

TEST_CASE("scale loop: one pass ends with what keeps it from listing") {
  ScaleServer server;
  server.lists = 403;
  FixedClock clock;
  ScaleLoopOptions options;
  options.is_one_pass = true;
  ScaleLoop loop(Scaler(own()), server, nullptr, clock, clock, options, {});
  const Status ended = loop.run();
  REQUIRE_FALSE(ended);
  CHECK(ended.error().code == Errc::kDenied);
}

TEST_CASE("scale loop: a server that was away for ten minutes is asked again within 5 s") {
  ScaleServer server;
  fill(server);
  server.lists = 503;
  FixedClock clock;
  const Micros back = clock.time + Micros{600'000'000};
  server.api.stands_still = [&] {
    REQUIRE(server.api.waited.size() < 10'000);
    const auto& asked = server.api.asked;  // of these, all but watches are answered at once
    if (!std::all_of(asked.begin(), asked.end(),
                     [](const auto& call) { return call.second.is_stream; }))
      return;
    clock.time += std::chrono::ceil<Micros>(server.api.waited.back());
    if (clock.time >= back) server.lists = 200;
  };
  ScaleLoop* running = nullptr;
  Micros known{0};
  ScaleEvents events;
  events.synced = [&] {
    known = clock.time;
    running->stop();
  };
  ScaleLoop loop(Scaler(own()), server, nullptr, clock, clock, {}, std::move(events));
  running = &loop;
  REQUIRE(loop.run());
  CHECK(known >= back);
  CHECK(known <= back + Micros{5'000'000});
}

TEST_CASE("scale loop: a metric that nobody gives is told, and so is a refused write") {
  ScaleServer server;
  fill(server);
  server.metrics = 503;
  FixedClock clock;
  ScaleLoopOptions options;
  options.is_one_pass = true;
  ScaleLoop loop(Scaler(own()), server, nullptr, clock, clock, options, {});
  REQUIRE(loop.run());
  CHECK(loop.scaler().frozen() == 1);
  REQUIRE(server.bodies.size() == 2);
  CHECK(server.bodies[1].find(R"("reason":"FailedGetResourceMetric","type":"Warning")") !=
        std::string::npos);

  ScaleServer refusing;
  fill(refusing);
  refusing.writes = 403;
  ScaleLoop other(Scaler(own()), refusing, nullptr, clock, clock, options, {});
  REQUIRE(other.run());
  CHECK(other.scaler().counts().not_rescaled == 1);
  CHECK(refusing.bodies.back().find(R"("reason":"FailedRescale")") != std::string::npos);
}

TEST_CASE("scale loop: an object that cannot be read spoils no other") {
  ScaleServer server;
  fill(server);
  server.hpa +=
      R"(,{"metadata":{"name":"bad","namespace":"shop"},"spec":{"maxReplicas":1,"minReplicas":9,)"
      R"("scaleTargetRef":{"kind":"Deployment","name":"bad"}}})";
  FixedClock clock;
  std::vector<std::string> failures;
  ScaleEvents events;
  events.failed = [&failures](const Error& error) { failures.push_back(error.what); };
  ScaleLoopOptions options;
  options.is_one_pass = true;
  ScaleLoop loop(Scaler(own()), server, nullptr, clock, clock, options, std::move(events));
  REQUIRE(loop.run());
  CHECK(loop.scaler().autoscalers() == 1);
  CHECK(loop.counts().unreadable == 1);
  REQUIRE_FALSE(failures.empty());
  CHECK(failures.front().find("is above maxReplicas") != std::string::npos);
}

// What one pass over this server leaves.
struct Pass {
  std::size_t autoscalers = 0, frozen = 0;
  std::uint64_t unreadable = 0;
  int writes = 0;  // of replicas
};

Pass pass_over(ScaleServer& server, const std::string& autoscaling = "autoscaling/v2") {
  FixedClock clock;
  ScalerOptions scaler = own();
  scaler.settings.max_age_s = 120;
  ScaleLoopOptions options;
  options.is_one_pass = true;
  options.autoscaling = autoscaling;
  ScaleLoop loop(Scaler(scaler), server, nullptr, clock, clock, options, {});
  CHECK(loop.run());
  Pass pass;
  pass.autoscalers = loop.scaler().autoscalers();
  pass.frozen = loop.scaler().frozen();
  pass.unreadable = loop.counts().unreadable;
  for (const std::string& body : server.bodies)
    pass.writes += body.find(R"("kind":"Scale")") == std::string::npos ? 0 : 1;
  return pass;
}

TEST_CASE("scale loop: annotations of 10 MB are no metrics, and those of others do not matter") {
  const std::string large(std::size_t{10} << 20, 'x');
  const auto noted = [&large](const std::string& key) {
    ScaleServer server;
    fill(server);
    server.hpa.insert(server.hpa.find(R"("uid")"),
                      R"("annotations":{")" + key + R"(":")" + large + R"("},)");
    return server;
  };
  ScaleServer others = noted("example.com/notes");
  CHECK(pass_over(others, "autoscaling/v1").writes == 1);
  for (const char* const part : {"metrics", "behavior"}) {
    ScaleServer ours = noted(std::string("autoscaling.alpha.kubernetes.io/") + part);
    const Pass pass = pass_over(ours, "autoscaling/v1");
    CHECK(pass.unreadable == 1);
    CHECK(pass.autoscalers == 0);
    CHECK(pass.writes == 0);
  }
}

TEST_CASE("scale loop: usage that is no amount, or of another time, scales nothing") {
  const auto with = [](const std::string& before, const std::string& after) {
    ScaleServer server;
    fill(server);
    const std::size_t at = server.usage.find(before);
    REQUIRE(at != std::string::npos);
    server.usage.replace(at, before.size(), after);
    return server;
  };
  const std::string amount = R"("usage":{"cpu":"1"})", date = "2026-11-22T09:59:50Z";
  ScaleServer good = with(amount, R"("usage":{"cpu":"900m"})");
  CHECK(pass_over(good).writes == 1);
  for (const std::string bad : {"\"NaN\"", "\"-1\"", "\"Inf\"", "\"\"", "null", "{}", "[]", "-1",
                                "\"1 core\"", "\"1e400\"", "true"}) {
    CAPTURE(bad);
    ScaleServer server = with(amount, R"("usage":{"cpu":)" + bad + "}");
    const Pass pass = pass_over(server);
    CHECK(pass.writes == 0);
    CHECK(pass.frozen == 1);
  }
  for (const std::string other : {"2026-11-22T09:57:59Z", "2026-11-22T10:00:16Z",
                                  "1970-01-01T00:00:00Z", "9999-12-31T23:59:59Z", "yesterday"}) {
    CAPTURE(other);
    ScaleServer server = with(date, other);
    const Pass pass = pass_over(server);
    CHECK(pass.writes == 0);
    CHECK(pass.frozen == 1);
  }
}

TEST_CASE("scale loop: an autoscaler that cannot be meant is told, and its workload kept") {
  for (const auto& change : std::initializer_list<std::pair<std::string, std::string>>{
           {R"("minReplicas":1)", R"("minReplicas":6)"},
           {R"("minReplicas":1)", R"("minReplicas":0)"},
           {R"("minReplicas":1)", R"("minReplicas":-1)"},
           {R"("maxReplicas":5)", R"("maxReplicas":0)"},
           {R"("maxReplicas":5)", R"("maxReplicas":9999999999)"},
           {R"("type":"Resource")", R"("type":"Magic")"},
           {R"("averageUtilization":50)", R"("averageUtilization":0)"},
           {R"("averageUtilization":50)", R"("averageUtilization":-50)"},
           {R"("averageUtilization":50)", R"("averageUtilization":"NaN")"}}) {
    const std::string &before = change.first, &after = change.second;
    CAPTURE(after);
    ScaleServer server;
    fill(server);
    server.hpa.replace(server.hpa.find(before), before.size(), after);
    const Pass pass = pass_over(server);
    CHECK(pass.unreadable == 1);
    CHECK(pass.autoscalers == 0);
    CHECK(pass.writes == 0);
  }
}

/// Time passes while somebody waits. Answers about the lease come 100 ms after they were asked for,
/// and one that is read after its time is none.
struct LeaseBesideQueries {
  struct Prometheus final : ApiTransport {
    explicit Prometheus(FixedClock& time) : clock(time) {}
    void send(std::uint64_t ticket, ApiRequest request) override { api.send(ticket, request); }
    void cancel(std::uint64_t ticket) override { api.cancel(ticket); }
    Status wait(Nanos most, const ApiListener& listener) override {
      clock.time += std::chrono::ceil<Micros>(most);
      return api.wait(most, listener);
    }
    void wake() override {}

    FixedClock& clock;
    ScriptedApi api;
  };
  static constexpr Micros kWay{100'000}, kEnd{60'000'000};
  ScaleServer server;
  FixedClock clock;
  Prometheus prometheus{clock};
  std::uint64_t ticket = 0;  // of the lease
  Micros asked{0};
  Micros latest{0};  // an answer was read so long after it had come
  std::size_t queries = 0;

  void look_at_lease() {
    const std::uint64_t found = server.api.find("/apis/coordination.k8s.io/");
    if (found == 0) return;
    if (std::exchange(ticket, found) != found) asked = clock.time;
    if (clock.time < asked + kWay) return;
    latest = std::max(latest, clock.time - asked - kWay);
    if (clock.time >= asked + std::chrono::ceil<Micros>(server.api.asked.at(found).timeout))
      return server.api.say(found, {});
    server.api.say(found, 200,
                   R"({"metadata":{"resourceVersion":"3"},"spec":{"holderIdentity":"me",)"
                   R"("leaseDurationSeconds":15}})");
  }
  Status run() {
    Scaler scaler{ScalerOptions()};
    scaler.put(asks_prometheus());
    ScaleLoopOptions options;
    options.autoscaling = "autoscaling/v2";
    options.lease.emplace();
    options.lease->identity = "me";
    ScaleLoop loop(std::move(scaler), server, &prometheus, clock, clock, options, {});
    server.on_wait = [this] {
      for (const auto& [stream, request] : std::map(server.api.asked))
        if (request.is_stream) server.api.say_opened(stream);
      look_at_lease();
    };
    server.api.stands_still = [&] {
      clock.time += std::min(std::chrono::ceil<Micros>(server.api.waited.back()), kWay);
      queries = std::max(queries, prometheus.api.asked.size());
      if (clock.time > kEnd) loop.stop();
    };
    return loop.run();
  }
  static Autoscaler asks_prometheus() {
    Autoscaler one;
    one.namespace_name = "shop";
    one.name = "web";
    one.api_version = kShortAutoscaler;
    one.target = {"apps/v1", "Deployment", "web"};
    one.max = 3;
    one.behavior.emplace();
    MetricSpec& metric = one.metrics.emplace_back();
    metric.kind = MetricKind::kExternal;
    metric.is_query = true;
    metric.name = "load";
    metric.target = TargetKind::kAverageValue;
    metric.amount = 500;
    return one;
  }
};

TEST_CASE("scale loop: a Prometheus that never answers costs no lease") {
  LeaseBesideQueries both;
  fill(both.server);
  both.server.hpa.clear();
  REQUIRE(both.run());
  CHECK(both.queries == 1);
  CHECK(both.latest <= Micros{50'000});
}

}  // namespace
}  // namespace gedge
