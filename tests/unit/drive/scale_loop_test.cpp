#include "gedge/drive/scale_loop.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include "gedge/sim/scripted_api.hpp"

namespace gedge {
namespace {

struct FixedClock final : Clock, WallClock {
  Micros time{1'000'000};
  Micros now() const override { return time; }
  UnixSeconds date() const override { return 1'795'341'600; }
};

/// Answers by itself, from what it is told to have.
struct Server final : ApiTransport {
  ScriptedApi api;
  std::vector<std::string> asked;  // what was not a watch
  std::vector<std::string> bodies;
  unsigned lists = 200, metrics = 200, writes = 200;
  std::string hpa, pods, usage;
  std::function<void()> on_wait = [] {};
  std::string withheld;      // writes there are not answered
  std::uint64_t unsaid = 0;  // the last of them

  void send(std::uint64_t ticket, ApiRequest request) override {
    const std::string target = request.target.substr(0, request.target.find("?timeout="));
    const bool is_watch = request.is_stream;
    const ApiVerb verb = request.verb;
    const std::string body = request.body;
    api.send(ticket, std::move(request));
    if (is_watch) return;
    asked.push_back(target);
    if (!body.empty()) bodies.push_back(body);
    if (verb != ApiVerb::kGet && target == withheld)
      unsaid = ticket;
    else
      answer(ticket, verb, target);
  }
  void answer(std::uint64_t ticket, ApiVerb verb, const std::string& target) {
    const auto list = [](const std::string& kind, const std::string& items) {
      return R"({"kind":")" + kind + R"(","apiVersion":"v1","metadata":{"resourceVersion":"5"},)" +
             R"("items":[)" + items + "]}";
    };
    if (target.find("/metrics.k8s.io/") != std::string::npos)
      api.say(ticket, metrics, list("PodMetricsList", usage));
    else if (target.ends_with("/scale") && verb == ApiVerb::kGet)
      api.say(ticket, 200,
              R"({"metadata":{"name":"web","namespace":"shop","uid":"w","resourceVersion":"9"},)"
              R"("spec":{"replicas":1},"status":{"replicas":1,"selector":"app=web"}})");
    else if (verb != ApiVerb::kGet)
      api.say(ticket, target.ends_with("/scale") ? writes : 200, "{}");
    else if (target.find("pods") != std::string::npos)
      api.say(ticket, lists, list("PodList", pods));
    else
      api.say(ticket, lists, list("HorizontalPodAutoscalerList", hpa));
  }
  void cancel(std::uint64_t ticket) override { api.cancel(ticket); }
  Status wait(Nanos most, const ApiListener& listener) override {
    on_wait();
    return api.wait(most, listener);
  }
  void wake() override { api.wake(); }
};

void fill(Server& server) {
  server.hpa =
      R"({"metadata":{"name":"web","namespace":"shop","uid":"h","generation":1},"spec":{)"
      R"("minReplicas":1,"maxReplicas":5,"scaleTargetRef":{"apiVersion":"apps/v1",)"
      R"("kind":"Deployment","name":"web"},"metrics":[{"type":"Resource","resource":{"name":"cpu",)"
      R"("target":{"type":"Utilization","averageUtilization":50}}}]}})";
  server.pods =
      R"({"metadata":{"name":"a","namespace":"shop","labels":{"app":"web"}},"spec":{)"
      R"("containers":[{"name":"c","resources":{"requests":{"cpu":"1"}}}]},"status":{)"
      R"("phase":"Running","startTime":"2026-11-22T08:00:00Z","conditions":[{"type":"Ready",)"
      R"("status":"True","lastTransitionTime":"2026-11-22T08:00:00Z"}]}})";
  server.usage =
      R"({"metadata":{"name":"a","namespace":"shop"},"timestamp":"2026-11-22T09:59:50Z",)"
      R"("window":"15s","containers":[{"name":"c","usage":{"cpu":"1"}}]})";
}

ScalerOptions own() {
  ScalerOptions options;
  options.owns_objects = true;
  return options;
}

TEST_CASE("scale loop: lists, then the scale, then metrics, then a write, a status and an Event") {
  Server server;
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
  Server server;
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

TEST_CASE("scale loop: without writes nothing but GET is sent") {
  Server server;
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
  Server server;
  server.lists = 403;
  FixedClock clock;
  ScaleLoopOptions options;
  options.is_one_pass = true;
  ScaleLoop loop(Scaler(own()), server, nullptr, clock, clock, options, {});
  const Status ended = loop.run();
  REQUIRE_FALSE(ended);
  CHECK(ended.error().code == Errc::kDenied);
}

TEST_CASE("scale loop: a metric that nobody gives is told, and so is a refused write") {
  Server server;
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

  Server refusing;
  fill(refusing);
  refusing.writes = 403;
  ScaleLoop other(Scaler(own()), refusing, nullptr, clock, clock, options, {});
  REQUIRE(other.run());
  CHECK(other.scaler().counts().not_rescaled == 1);
  CHECK(refusing.bodies.back().find(R"("reason":"FailedRescale")") != std::string::npos);
}

TEST_CASE("scale loop: an object that cannot be read spoils no other") {
  Server server;
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

Pass pass_over(Server& server, const std::string& autoscaling = "autoscaling/v2") {
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
    Server server;
    fill(server);
    server.hpa.insert(server.hpa.find(R"("uid")"),
                      R"("annotations":{")" + key + R"(":")" + large + R"("},)");
    return server;
  };
  Server others = noted("example.com/notes");
  CHECK(pass_over(others, "autoscaling/v1").writes == 1);
  for (const char* const part : {"metrics", "behavior"}) {
    Server ours = noted(std::string("autoscaling.alpha.kubernetes.io/") + part);
    const Pass pass = pass_over(ours, "autoscaling/v1");
    CHECK(pass.unreadable == 1);
    CHECK(pass.autoscalers == 0);
    CHECK(pass.writes == 0);
  }
}

TEST_CASE("scale loop: usage that is no amount, or of another time, scales nothing") {
  const auto with = [](const std::string& before, const std::string& after) {
    Server server;
    fill(server);
    const std::size_t at = server.usage.find(before);
    REQUIRE(at != std::string::npos);
    server.usage.replace(at, before.size(), after);
    return server;
  };
  const std::string amount = R"("usage":{"cpu":"1"})", date = "2026-11-22T09:59:50Z";
  Server good = with(amount, R"("usage":{"cpu":"900m"})");
  CHECK(pass_over(good).writes == 1);
  for (const std::string bad : {"\"NaN\"", "\"-1\"", "\"Inf\"", "\"\"", "null", "{}", "[]", "-1",
                                "\"1 core\"", "\"1e400\"", "true"}) {
    CAPTURE(bad);
    Server server = with(amount, R"("usage":{"cpu":)" + bad + "}");
    const Pass pass = pass_over(server);
    CHECK(pass.writes == 0);
    CHECK(pass.frozen == 1);
  }
  for (const std::string other : {"2026-11-22T09:57:59Z", "2026-11-22T10:00:16Z",
                                  "1970-01-01T00:00:00Z", "9999-12-31T23:59:59Z", "yesterday"}) {
    CAPTURE(other);
    Server server = with(date, other);
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
    Server server;
    fill(server);
    server.hpa.replace(server.hpa.find(before), before.size(), after);
    const Pass pass = pass_over(server);
    CHECK(pass.unreadable == 1);
    CHECK(pass.autoscalers == 0);
    CHECK(pass.writes == 0);
  }
}

}  // namespace
}  // namespace gedge
