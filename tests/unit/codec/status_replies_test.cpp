#include <doctest/doctest.h>

#include <functional>
#include <string>

#include "gedge/codec/extender.hpp"
#include "gedge/codec/scaler_replies.hpp"
#include "gedge/codec/scheduler_replies.hpp"

namespace gedge {
namespace {

HttpRequest get(const std::string& target, const std::string& host) {
  HttpRequest request;
  request.method = "GET";
  request.target = target;
  request.host = host;
  return request;
}

TEST_CASE("status replies: strangers, of every daemon") {
  const std::function<HttpReply(const HttpRequest&)> daemons[] = {
      [](const HttpRequest& request) { return scheduler_reply(request, {}); },
      [](const HttpRequest& request) { return scaler_reply(request, {}); },
      [](const HttpRequest& request) { return extender_status_reply(request, {}); }};
  for (const auto& reply : daemons) {
    for (const char* target : {"/metrics", "/livez"}) {
      for (const char* host : {"evil.example", "evil.example:10259", "127.0.0.1.evil.example",
                               "localhost.evil.example", "10.0.0.1x"}) {
        CHECK(reply(get(target, host)).status == 403);
        CHECK(reply(get(target, host)).body == "ask by address, or as localhost\n");
      }
      for (const char* host : {"", "127.0.0.1", "10.0.0.1:10259", "[::1]:10259", "LocalHost:1"})
        CHECK(reply(get(target, host)).status == 200);
    }
    HttpRequest page = get("/metrics", "localhost");
    page.origin = "https://evil.example";
    CHECK(reply(page).status == 403);
    CHECK(reply(page).body == "pages of other sites may not ask\n");
  }
}

TEST_CASE("status replies: who is guarded otherwise has any name, and no pages of other sites") {
  SchedulerFacts scheduler;
  ScalerFacts scaler;
  scheduler.any_host = scaler.any_host = true;
  HttpRequest request = get("/metrics", "scheduler.gedge-system.svc");
  CHECK(scheduler_reply(request, scheduler).status == 200);
  CHECK(scaler_reply(request, scaler).status == 200);
  request.origin = "https://evil.example";
  CHECK(scheduler_reply(request, scheduler).status == 403);
  CHECK(scaler_reply(request, scaler).status == 403);
}

TEST_CASE("status replies: who knows the cluster is ready, whether it leads or waits") {
  const auto ready = [](const SchedulerFacts& facts) {
    const HttpReply reply = scheduler_reply(get("/readyz", "localhost"), facts);
    return std::to_string(reply.status) + " " + reply.body;
  };
  SchedulerFacts facts;
  facts.unsynced = {"/api/v1/pods", "/api/v1/nodes"};
  const std::string missing =
      "503 not listed yet, or not heard of for too long: /api/v1/pods /api/v1/nodes";
  CHECK(ready(facts) == missing + "\n");
  facts.is_leading = false;
  CHECK(ready(facts) == missing + "; waits for the lease\n");
  facts.unsynced.clear();
  CHECK(ready(facts) == "200 ok, waits for the lease\n");
  facts.is_leading = facts.is_synced = true;
  CHECK(ready(facts) == "200 ok\n");

  const auto scales = [](const ScalerFacts& told) {
    const HttpReply reply = scaler_reply(get("/readyz", "localhost"), told);
    return std::to_string(reply.status) + " " + reply.body;
  };
  ScalerFacts scaler;
  scaler.unsynced = {"/api/v1/pods"};
  CHECK(scales(scaler) == "503 not listed yet: /api/v1/pods\n");
  scaler.is_leading = false;  // it lists nothing before it leads
  CHECK(scales(scaler) == "200 ok, waits for the lease\n");
  scaler.is_leading = scaler.is_synced = true;
  CHECK(scales(scaler) == "200 ok\n");
}

TEST_CASE("status replies: how often a lease was taken from its holder") {
  SchedulerFacts scheduler;
  ScalerFacts scaler;
  scheduler.lease_seizures = 2;
  scaler.lease_seizures = 3;
  const HttpRequest request = get("/metrics", "localhost");
  const auto has = [](const HttpReply& reply, const std::string& line) {
    return reply.body.find("\n" + line + "\n") != std::string::npos;
  };
  CHECK(has(scheduler_reply(request, scheduler), "gedge_lease_seizures_total 2"));
  CHECK(has(scaler_reply(request, scaler), "gedge_lease_seizures_total 3"));
}

TEST_CASE("status replies: how long binds took, as Prometheus adds it up") {
  SchedulerFacts scheduler;
  scheduler.any_host = true;
  for (const std::int64_t micros : {900, 1'000, 1'001, 2'500, 40'000, 10'000'000, 10'000'001})
    scheduler.bind_times.add(Micros{micros});
  const std::string text = scheduler_reply(get("/metrics", "localhost"), scheduler).body;
  const auto value = [&](const std::string& name) {
    const auto at = text.find("\ngedge_bind_duration_seconds" + name + " ");
    REQUIRE(at != std::string::npos);
    const auto begin = text.find(' ', at) + 1;
    return text.substr(begin, text.find('\n', begin) - begin);
  };
  CHECK(text.find("# TYPE gedge_bind_duration_seconds histogram\n") != std::string::npos);
  CHECK(value("_bucket{le=\"0.001\"}") == "2");
  CHECK(value("_bucket{le=\"0.0025\"}") == "4");
  CHECK(value("_bucket{le=\"0.025\"}") == "4");
  CHECK(value("_bucket{le=\"0.05\"}") == "5");
  CHECK(value("_bucket{le=\"10\"}") == "6");
  CHECK(value("_bucket{le=\"+Inf\"}") == "7");
  CHECK(value("_count") == "7");
  CHECK(std::stod(value("_sum")) == doctest::Approx(20.045402));
}

}  // namespace
}  // namespace gedge
