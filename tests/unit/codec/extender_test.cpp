// The extender protocol, byte for byte, and what is refused.
#include "gedge/codec/extender.hpp"

#include <doctest/doctest.h>

#include <string>
#include <utility>
#include <vector>

using namespace gedge;

namespace {

const std::string kPod =
    R"({"metadata":{"name":"a","namespace":"ns","uid":"u1","labels":{"delay_n0":"5"},)"
    R"("creationTimestamp":"2026-01-01T00:00:00Z"},)"
    R"("spec":{"containers":[{"name":"c","resources":{}}]},"status":{"phase":"Pending"}})";

HttpRequest post(const std::string& path, std::string body) {
  HttpRequest request;
  request.method = "POST";
  request.target = path;
  request.host = "127.0.0.1:8789";
  request.body = std::move(body);
  request.content_type = "application/json";
  return request;
}

HttpReply refusal(const HttpRequest& request) {
  auto read = read_extender_call(request, Compat::k1_36);
  REQUIRE(std::holds_alternative<HttpReply>(read));
  return std::get<HttpReply>(std::move(read));
}

ExtenderCall call(const HttpRequest& request) {
  auto read = read_extender_call(request, Compat::k1_36);
  if (auto* const reply = std::get_if<HttpReply>(&read)) FAIL(reply->body);
  return std::get<ExtenderCall>(std::move(read));
}

}  // namespace

TEST_CASE("extender protocol: names are handed back as names") {
  const HttpRequest request =
      post("/filter", R"({"Pod":)" + kPod + R"(,"Nodes":null,"NodeNames":["n0","n1","n2","n3"]})");
  const ExtenderCall asked = call(request);
  CHECK(asked.verb == ExtenderVerb::kFilter);
  CHECK(asked.by_name);
  CHECK(asked.nodes == std::vector<std::string>{"n0", "n1", "n2", "n3"});
  REQUIRE(asked.pod.pods.size() == 1);
  CHECK(asked.pod.pods[0].uid == "u1");
  CHECK(asked.pod.specs[0].budgets[0].limit_us == 5'000);
  const HttpReply reply = filter_reply(
      asked, {{true, false, ""}, {false, false, "too \"far\""}, {false, true, "never"}, {}});
  CHECK(reply.status == 200);
  CHECK(reply.content_type == "application/json");
  CHECK(reply.body ==
        R"({"Nodes":null,"NodeNames":["n0"],"FailedNodes":{"n1":"too \"far\"","n2":"never"},)"
        R"("FailedAndUnresolvableNodes":{"n2":"never"},"Error":""})");
}

TEST_CASE("extender protocol: whole nodes are handed back byte for byte") {
  const std::string first = R"({ "metadata": {"name":"n0", "x":1e2},"status":{"a":[ 1 ]} })",
                    second = R"({"spec":{},"metadata":{"labels":{"name":"no"},"name":"n\u0031"}})";
  const HttpRequest request =
      post("/filter", R"({"Pod":)" + kPod + R"(,"Nodes":{"metadata":{},"items":[)" + first + "," +
                          second + R"(]},"NodeNames":null})");
  const ExtenderCall asked = call(request);
  CHECK_FALSE(asked.by_name);
  CHECK(asked.nodes == std::vector<std::string>{"n0", "n1"});
  const std::string rest =
      R"(]},"NodeNames":null,"FailedNodes":{},"FailedAndUnresolvableNodes":{},"Error":""})";
  const auto reply = [&](bool one, bool other) {
    return filter_reply(asked, {{one, false, ""}, {other, false, ""}}).body;
  };
  CHECK(reply(true, true) == R"({"Nodes":{"metadata":{},"items":[)" + first + "," + second + rest);
  CHECK(reply(false, true) == R"({"Nodes":{"metadata":{},"items":[)" + second + rest);
  CHECK(reply(false, false) == R"({"Nodes":{"metadata":{},"items":[)" + rest);
  const auto nodes = read_extender_nodes(asked.node_objects, Compat::k1_36);
  REQUIRE(nodes);
  REQUIRE(nodes->nodes.size() == 2);
  CHECK(nodes->nodes[1].name == "n1");
}

TEST_CASE("extender protocol: scores, victims and binds") {
  const HttpRequest scores =
      post("/prioritize", R"({"Pod":)" + kPod + R"(,"NodeNames":["n0","n1"]})");
  CHECK(prioritize_reply(call(scores), {10, 0}).body ==
        R"([{"Host":"n0","Score":10},{"Host":"n1","Score":0}])");

  const HttpRequest whole =
      post("/preempt", R"({"Pod":)" + kPod + R"(,"NodeNameToVictims":{"n0":{"Pods":[)" + kPod +
                           R"(],"NumPDBViolations":2},"n1":{"Pods":null,"NumPDBViolations":0}}})");
  const HttpRequest meta =
      post("/preempt", R"({"Pod":)" + kPod +
                           R"(,"NodeNameToMetaVictims":{"n0":{"Pods":[{"UID":"u1"}],)"
                           R"("NumPDBViolations":2},"n1":{"Pods":[],"NumPDBViolations":0}}})");
  for (const HttpRequest* const request : {&whole, &meta}) {
    const ExtenderCall asked = call(*request);
    REQUIRE(asked.victims.size() == 2);
    CHECK(asked.victims[0].uids == std::vector<std::string>{"u1"});
    CHECK(preempt_reply(asked, {true, false}).body ==
          R"({"NodeNameToMetaVictims":{"n0":{"Pods":[{"UID":"u1"}],"NumPDBViolations":2}}})");
    CHECK(preempt_reply(asked, {false, false}).body == R"({"NodeNameToMetaVictims":{}})");
  }

  const HttpRequest bind =
      post("/bind", R"({"PodName":"a","PodNamespace":"ns","PodUID":"u1","Node":"n0"})");
  const ExtenderCall asked = call(bind);
  CHECK(asked.pod_name == PodName{"ns", "a"});
  CHECK(asked.uid == "u1");
  CHECK(asked.node == "n0");
  CHECK(bind_reply("").body == R"({"Error":""})");
  CHECK(bind_reply("it \"went\"").body == R"({"Error":"it \"went\""})");
}

TEST_CASE("extender protocol: what is asked in the wrong manner is refused before it is read") {
  const std::string body = R"({"Pod":)" + kPod + R"(,"NodeNames":["n0"]})";
  HttpRequest request = post("/filter", body);
  CHECK(is_extender_call(request));
  request.target = "/filter/";
  CHECK_FALSE(is_extender_call(request));
  CHECK(refusal(request).status == 404);
  request = post("/filter", body);
  request.method = "PUT";
  CHECK(refusal(request).status == 405);
  CHECK(refusal(request).allow == "POST");
  for (const char* const type : {"", "text/plain", "application/x-www-form-urlencoded"}) {
    request = post("/filter", body);
    request.content_type = type;
    CHECK(refusal(request).status == 415);
  }
  request.content_type = "Application/JSON; charset=utf-8";
  CHECK(call(request).nodes.size() == 1);
  request.origin = "https://elsewhere.example";
  CHECK(refusal(request).status == 403);
  request = post("/filter", body);
  request.host = "rebound.example:8789";
  CHECK(refusal(request).status == 403);
  CHECK(refusal(request).body == R"({"Error":"ask by address, or as localhost"})");
}

TEST_CASE("extender protocol: what cannot be read is refused in words") {
  struct Case {
    std::string path, body, why;
    unsigned status = 400;
  };
  const std::string twice = "member 'Pod' is there twice, or of a wrong type";
  const std::vector<Case> cases{
      {"/filter", "", "this is no JSON"},
      {"/filter", "{", "this is no JSON"},
      {"/filter", "[]", "this is no JSON object"},
      {"/filter", "{} {}", "this is no JSON"},
      {"/filter", "{}", "a Pod is needed"},
      {"/filter", R"({"Pod":7})", twice},
      {"/filter", R"({"Pod":{},"Pod":{}})", twice},
      {"/filter", R"({"Pod":{}})", "either Nodes or NodeNames is needed"},
      {"/filter", R"({"Pod":{},"NodeNames":[],"Nodes":{"items":[]}})",
       "either Nodes or NodeNames is needed"},
      {"/filter", R"({"Pod":{},"NodeNames":[1]})", "member 'NodeNames'"},
      {"/filter", R"({"Pod":{},"NodeNames":"n0"})", "member 'NodeNames'"},
      {"/filter", R"({"Pod":{},"Nodes":{"items":[1]}})", "member 'Nodes'"},
      {"/filter", R"({"Pod":{"metadata":{"name":"a","bad":tru}},"NodeNames":[]})",
       "this is no JSON"},
      {"/preempt", R"({"Pod":{},"NodeNameToVictims":{"n0":[]}})", "member 'NodeNameToVictims'"},
      {"/bind", R"({"PodName":"a","PodNamespace":"ns","Node":"n0"})",
       "PodName, PodNamespace, PodUID and Node are needed"},
      // The pod itself is wrong: the protocol has a place for that.
      {"/filter", R"({"Pod":{"metadata":{"name":"A_"},"spec":{}},"NodeNames":[]})", "A_", 200},
      {"/prioritize", R"({"Pod":{"metadata":{"name":"A_"},"spec":{}},"NodeNames":[]})", "A_", 503},
  };
  for (const Case& one : cases) {
    CAPTURE(one.body);
    const HttpReply reply = refusal(post(one.path, one.body));
    CHECK(reply.status == one.status);
    CHECK(reply.content_type == "application/json");
    CHECK(reply.body.starts_with(R"({"Error":")"));
    CHECK_MESSAGE(reply.body.find(one.why) != std::string::npos, reply.body);
  }
  CHECK(extender_refusal(HttpFault::kBodyTooLarge).status == 413);
  CHECK(extender_refusal(HttpFault::kBodyTooLarge).body == R"({"Error":"the body is too large"})");
}

TEST_CASE("extender protocol: probes and Prometheus are answered as by other daemons") {
  ExtenderFacts facts;
  facts.counts.filters = 7;
  facts.counts.refused = 2;
  facts.held = 3;
  HttpRequest request;
  request.method = "GET";
  request.target = "/readyz";
  CHECK(extender_status_reply(request, facts).body == "ok\n");
  facts.is_synced = false;
  facts.unsynced = {"/api/v1/pods"};
  CHECK(extender_status_reply(request, facts).status == 503);
  CHECK(extender_status_reply(request, facts).body ==
        "not listed yet, or not heard of for too long: /api/v1/pods\n");
  request.target = "/metrics";
  const std::string text = extender_status_reply(request, facts).body;
  CHECK(text.find("gedge_extender_calls_total{verb=\"filter\"} 7\n") != std::string::npos);
  CHECK(text.find("gedge_extender_refused_pods_total 2\n") != std::string::npos);
  CHECK(text.find("gedge_extender_held_places 3\n") != std::string::npos);
  request.target = "/livez";
  facts.is_alive = false;
  CHECK(extender_status_reply(request, facts).status == 503);
}
