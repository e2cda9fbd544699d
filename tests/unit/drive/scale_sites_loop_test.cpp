#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <initializer_list>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "gedge/drive/scale_loop.hpp"
#include "gedge/drive/site_desk.hpp"
#include "scale_server.hpp"

namespace gedge {
namespace {

struct Places final : SiteRoom {
  std::vector<std::int32_t> left;
  bool grows = false;
  explicit Places(std::vector<std::int32_t> places) : left(std::move(places)) {}
  Result<bool> add(std::uint32_t /*replica*/, std::uint32_t site) override {
    return left[site] > 0 && left[site]-- > 0;
  }
  Result<bool> resize(std::uint32_t /*replica*/, std::int64_t /*amount*/) override { return grows; }
  void remove(std::uint32_t /*replica*/) override {}
};

/// Is done with something when the test says so.
struct Desk final : SiteDesk {
  std::vector<SiteQuestion> asked;
  std::vector<std::pair<std::uint64_t, std::vector<PodCost>>> marks;
  WriteBound marks_until;
  std::deque<SiteNews> done;
  std::size_t taken = 0;

  void ask(SiteQuestion question) override { asked.push_back(std::move(question)); }
  void mark(std::uint64_t ticket, std::vector<PodCost> costs, WriteBound until) override {
    marks.emplace_back(ticket, std::move(costs));
    marks_until = std::move(until);
  }
  std::optional<SiteNews> take() override {
    if (done.empty()) return std::nullopt;
    std::optional<SiteNews> news(std::move(done.front()));
    done.pop_front();
    ++taken;
    return news;
  }
  /// Home has one place, the other site two.
  void answer(bool grows = false) {
    SiteNews news;
    news.ticket = asked.back().ticket;
    SiteAnswer& answer = news.answer.emplace();
    auto places = std::make_unique<Places>(std::vector<std::int32_t>{1, 2});
    places->grows = grows;
    answer.room = std::move(places);
    answer.bounds.nodes.push_back({{"cpu", 4'000}});
    answer.rtts = SiteRtts(2, std::vector<Rtt>(4, Rtt{1}));
    answer.costs = {{}, {{"shop", "f", "f-uid", -7}}};
    done.push_back(std::move(news));
  }
  void has_marked(Status marked) {
    SiteNews news;
    news.ticket = marks.back().first;
    news.marked = std::move(marked);
    done.push_back(std::move(news));
  }
};

Autoscaler short_one(const std::string& space) {
  Autoscaler one;
  one.namespace_name = space;
  one.name = "web";
  one.api_version = kShortAutoscaler;
  one.target = {"apps/v1", "Deployment", "web"};
  one.max = 3;
  one.behavior.emplace();
  one.behavior->down.window_s = 0;
  MetricSpec& metric = one.metrics.emplace_back();
  metric.name = "cpu";
  metric.target = TargetKind::kAverageValue;
  metric.amount = 500;
  return one;
}

constexpr const char* kWorkload =
    R"({"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"web","namespace":"shop",)"
    R"("uid":"web-uid","resourceVersion":"31","generation":1},"spec":{"replicas":1,"selector":)"
    R"({"matchLabels":{"app":"web"}},"strategy":{"rollingUpdate":{"maxUnavailable":1}},)"
    R"("template":{"metadata":{"labels":{"app":"web"}},"spec":{"containers":[{"name":"c",)"
    R"("resources":{"requests":{"cpu":"1"}}}]}}},"status":{"observedGeneration":1,)"
    R"("replicas":1,"updatedReplicas":1}})";

/// Runs by tenths of a second; what happens in one of them is said by `plan`.
struct Scene {
  static constexpr const char* kOther = "/apis/apps/v1/namespaces/calm/deployments/web/scale";
  ScaleServer server;
  FixedClock clock;
  Desk desk;
  std::map<int, std::function<void()>> plan;
  std::vector<std::string> failures;
  std::function<void()> stop = [] {};
  int tenth = 0;

  Scene() {
    fill(server);
    server.hpa.clear();
  }
  void run(int tenths) {
    ScalerOptions options;
    options.period = Nanos{500'000'000};
    options.settings.downscale_window_s = 0;
    options.resizes_pods = true;
    Scaler scaler(options);
    Autoscaler sited = short_one("shop");
    SiteRules& sites = sited.sites.emplace();
    sites.order = {"home", "far"};
    sites.workloads = {"", "web-far"};
    sites.over_after_s = sites.return_after_s = 0;
    sites.up = up;
    scaler.put(std::move(sited));
    scaler.put(short_one("calm"));
    server.replicas["web-far"] = far;
    ScaleLoopOptions loop_options;
    loop_options.sites = &desk;
    loop_options.grows = true;
    if (leads) {
      loop_options.lease.emplace();
      loop_options.lease->identity = "me";
    }
    ScaleEvents events;
    events.failed = [this](const Error& error) { failures.push_back(error.what); };
    ScaleLoop loop(std::move(scaler), server, nullptr, clock, clock, loop_options, events);
    stop = [&loop] { loop.stop(); };
    server.on_wait = [&] {
      if (const auto now = plan.find(tenth); now != plan.end()) now->second();
      for (const auto& [ticket, request] : std::map(server.api.asked))
        if (request.is_stream && may_open)
          server.api.say_opened(ticket);
        else if (request.lane == ApiLane::kLease)
          server.api.say(ticket, 200,
                         R"({"metadata":{"resourceVersion":"3"},"spec":{"holderIdentity":"me",)"
                         R"("leaseDurationSeconds":15}})");
      clock.time += Micros{100'000};
      if (++tenth > tenths) loop.stop();
    };
    CHECK(loop.run());
  }
  /// These run on the other site, and like that of home have nothing to do.
  void idle_on(std::initializer_list<std::string> names) {
    const auto put = [](std::string& text, std::size_t at, std::size_t size,
                        const std::string& by) { text.replace(at, size, by); };
    put(server.usage, server.usage.find(R"("cpu":"1")"), 9, R"("cpu":"0")");
    const std::string pod = server.pods, used = server.usage;
    for (const std::string& name : names) {
      std::string more = pod, usage = used;
      put(more, more.find(R"("a")"), 3, '"' + name + '"');
      put(more, more.find(R"("web")"), 5, R"("web-far")");
      put(usage, usage.find(R"("a")"), 3, '"' + name + '"');
      server.pods += "," + more;
      server.usage += "," + usage;
    }
  }
  std::int32_t far = 0;
  GrowRule up;
  bool may_open = true, leads = false;
  std::ptrdiff_t looks_at_other() const {
    return std::count(server.asked.begin(), server.asked.end(), kOther);
  }
  bool has(const std::string& text) const {
    return std::any_of(server.bodies.begin(), server.bodies.end(),
                       [&](const std::string& body) { return body.find(text) != body.npos; });
  }
  /// Replicas that were asked for, of the workload of the other site.
  std::vector<std::string> writes() const {
    std::vector<std::string> found;
    for (const std::string& body : server.bodies)
      if (body.find(R"("kind":"Scale")") != std::string::npos) found.push_back(body);
    return found;
  }
};

TEST_CASE("scale loop with sites: who is asked what fits holds up nobody else") {
  Scene scene;
  std::ptrdiff_t before = 0;
  scene.plan[30] = [&] {
    REQUIRE(scene.desk.asked.size() == 1);
    CHECK(scene.desk.asked.front().autoscaler.namespace_name == "shop");
    CHECK(scene.desk.asked.front().targets.size() == 2);
    before = scene.looks_at_other();
    CHECK(before >= 4);
    CHECK(scene.writes().empty());
    scene.desk.answer();
  };
  scene.run(40);
  const auto writes = scene.writes();
  REQUIRE_FALSE(writes.empty());
  CHECK(writes.front().find(R"("name":"web-far")") != std::string::npos);
  CHECK(writes.front().find(R"("replicas":1)") != std::string::npos);
  CHECK(scene.looks_at_other() > before);
}

TEST_CASE("scale loop with sites: those at home grow by their template, as it was read") {
  Scene scene;
  scene.up = {"cpu", 500, 2'000, ResizeWay::kTemplate};
  scene.server.workloads["web"] = kWorkload;
  scene.plan[30] = [&] {
    REQUIRE(scene.desk.asked.size() == 1);
    CHECK(scene.desk.asked.front().targets.front().rollout.unavailable == 1);
    scene.desk.answer(true);
  };
  scene.run(34);
  CHECK(scene.writes().empty());
  CHECK(scene.has(
      R"({"metadata":{"uid":"web-uid","resourceVersion":"31","annotations":{)"
      R"("gedge.io/grown":"container=c resource=cpu base=1 now=2"}},"spec":{"template":)"
      R"({"spec":{"containers":[{"name":"c","resources":{"requests":{"cpu":"2"}}}]}}}})"));
  CHECK(std::count(scene.server.asked.begin(), scene.server.asked.end(),
                   "/apis/apps/v1/namespaces/shop/deployments/web") >= 2);
  CHECK(scene.has(R"("reason":"SuccessfulResize")"));
  CHECK(scene.has("New cpu of each replica: 2; reason: "));
}

TEST_CASE("scale loop with sites: or where they run, each by itself, as it was read") {
  Scene scene;
  scene.up = {"cpu", 500, 2'000, ResizeWay::kInPlace};
  scene.server.workloads["web"] = kWorkload;
  const std::size_t meta = scene.server.pods.find(R"("namespace")");
  scene.server.pods.insert(meta,
                           R"("uid":"a-uid","resourceVersion":"12",)"
                           R"("ownerReferences":[{"kind":"ReplicaSet","name":"web-5b8","uid":"r",)"
                           R"("controller":true}],)");
  const std::size_t labels = scene.server.pods.find(R"("app")");
  scene.server.pods.insert(labels, R"("pod-template-hash":"5b8",)");
  scene.plan[30] = [&] {
    REQUIRE(scene.desk.asked.size() == 1);
    scene.desk.answer(true);
  };
  scene.run(34);
  CHECK(scene.has(R"({"metadata":{"uid":"a-uid","resourceVersion":"12"},"spec":{"containers":[)"
                  R"({"name":"c","resources":{"requests":{"cpu":"2"}}}]}})"));
  CHECK(std::count(scene.server.asked.begin(), scene.server.asked.end(),
                   "/api/v1/namespaces/shop/pods/a/resize") == 1);
  CHECK(scene.has(R"("reason":"SuccessfulResize")"));
}

TEST_CASE("scale loop with sites: what fits is not taken while a watch is broken") {
  Scene scene;
  scene.plan[10] = [&] {
    scene.may_open = false;
    scene.server.api.say(scene.server.api.find("/api/v1/pods?"), 200, "");
  };
  scene.plan[30] = [&] { scene.desk.answer(); };
  scene.plan[50] = [&] {
    CHECK(scene.desk.taken == 0);
    CHECK(scene.writes().empty());
    scene.may_open = true;
  };
  scene.run(60);
  CHECK(scene.desk.taken > 0);
  CHECK_FALSE(scene.writes().empty());
}

TEST_CASE("scale loop with sites: replicas leave when their pods were told what that costs") {
  // Whoever is stopped waits for that.
  for (const bool is_told : {true, false}) {
    CAPTURE(is_told);
    Scene scene;
    scene.far = 2;
    scene.idle_on({"f", "g"});
    scene.plan[20] = [&] {
      REQUIRE_FALSE(scene.desk.asked.empty());
      scene.desk.answer();
    };
    scene.plan[30] = [&] {
      REQUIRE(scene.desk.marks.size() == 1);
      REQUIRE(scene.desk.marks.front().second.size() == 1);
      CHECK(scene.desk.marks.front().second.front().cost == -7);
      CHECK(scene.writes().empty());
      scene.desk.has_marked(is_told ? Status{} : Status{Error{Errc::kDenied, "no", {}, {}}});
    };
    scene.plan[25] = [&] { scene.stop(); };
    scene.run(40);
    CHECK(scene.tenth < 40);
    REQUIRE_FALSE(scene.writes().empty());
    CHECK(scene.writes().front().find(R"("name":"web-far")") != std::string::npos);
    CHECK(scene.failures.empty() == is_told);
  }
}

TEST_CASE("scale loop with sites: all that is written is over before the lease is") {
  for (const bool leads : {true, false}) {
    CAPTURE(leads);
    Scene scene;
    scene.leads = leads;
    scene.far = 2;
    scene.idle_on({"f", "g"});
    scene.plan[40] = [&] {
      REQUIRE_FALSE(scene.desk.asked.empty());
      scene.desk.answer();
    };
    scene.plan[50] = [&] {
      const Nanos now(scene.clock.now());
      REQUIRE(scene.desk.marks.size() == 1);
      const Nanos until = *scene.desk.marks_until;
      CHECK((leads ? until - now <= Nanos{10'000'000'000} : until == Nanos::max()));
      CHECK(until - now > Nanos{5'000'000'000});
    };
    scene.plan[99] = [&] {  // it is renewed, and they may take longer
      const Nanos left = scene.desk.marks_until->load() - Nanos(scene.clock.now());
      CHECK(left > Nanos{5'000'000'000});
      scene.desk.has_marked({});
    };
    scene.run(110);
    CHECK_FALSE(scene.writes().empty());
    REQUIRE(scene.server.write_ends.size() > scene.writes().size());  // Events, too
    const Nanos end = Nanos(scene.clock.now()) + Nanos{10'000'000'000};
    for (const Nanos until : scene.server.write_ends) CHECK((until <= end) == leads);
  }
}

TEST_CASE("scale loop with sites: where nobody knows what fits, nothing moves and that is told") {
  Scene scene;
  scene.plan[20] = [&] {
    REQUIRE(scene.desk.asked.size() == 1);
    SiteNews news;
    news.ticket = scene.desk.asked.front().ticket;
    news.answer.emplace().why = "503";
    scene.desk.done.push_back(std::move(news));
  };
  scene.run(40);
  CHECK(scene.writes().empty());
  CHECK(std::any_of(
      scene.server.bodies.begin(), scene.server.bodies.end(), [](const std::string& body) {
        return body.find("nobody knows what fits on the sites: 503") != std::string::npos;
      }));
}

}  // namespace
}  // namespace gedge
