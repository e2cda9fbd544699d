// Contract of the agent's replies: every reply and every error, byte for byte.
#include "gedge/codec/agent_replies.hpp"

#include <doctest/doctest.h>

#include <array>
#include <string>
#include <vector>

#include "gedge/codec/ip_text.hpp"
#include "gedge/codec/latency.hpp"
#include "gedge/codec/write_latency.hpp"
#include "gedge/port/probe_network.hpp"

namespace gedge {
namespace {

constexpr Nanos kSecond{1'000'000'000};

TargetReport target(AgentTargetKind kind, const std::string& name, std::uint8_t last,
                    const std::vector<std::uint32_t>& answers, std::uint32_t lost) {
  TargetReport report;
  report.target = {kind, name, {}};
  report.target.address.bytes = {10, 0, 0, last};
  RttSamples samples;
  for (const std::uint32_t us : answers) {
    samples.add(Micros{us});
    report.recent.push_back(Rtt{us});
  }
  for (std::uint32_t i = 0; i < lost; ++i) samples.add_lost();
  report.rtt = samples.summary();
  report.probes = answers.size() + lost;
  report.lost = lost;
  report.asked = report.probes > 0;
  if (!answers.empty()) report.answered_at = 95 * kSecond;
  return report;
}

// Node c is 0.3 ms away, b 2 ms, d never answers, e was not asked yet.
AgentFacts facts() {
  using enum AgentTargetKind;
  AgentFacts facts;
  facts.node = "a";
  facts.address = "10.0.0.1";
  facts.method = "icmp";
  facts.now = 100 * kSecond;
  facts.date = 1'700'000'100;
  facts.started = 1'700'000'000;
  facts.rounds = 10;
  facts.odd = {1, 2, 3, 4};
  facts.http = {5, 6, 7, 8, 10};
  facts.denied = 9;
  facts.certificate_end = 1'800'000'000;
  facts.targets = {target(kNode, "b", 2, {9'000, 2'000, 2'001}, 1),
                   target(kNode, "c", 3, {300}, 0),
                   target(kNode, "d", 4, {}, 3),
                   target(kNode, "e", 5, {}, 0),
                   target(kCluster, "far", 9, {}, 3),
                   target(kCluster, "hub", 8, {41'500, 40'500}, 0)};
  return facts;
}

HttpReply ask(const std::string& path, const AgentFacts& what = facts()) {
  return agent_reply({"GET", path, "127.0.0.1:8787", "", ""}, what);
}

void check_result(const std::string& path, const std::string& body) {
  CAPTURE(path);
  const HttpReply reply = ask(path);
  CHECK(reply.status == 200);
  CHECK(reply.content_type == "application/json");
  CHECK(reply.body == body);
}

void check_error(const HttpReply& reply, unsigned status, const std::string& code,
                 const std::string& message) {
  CHECK(reply.status == status);
  CHECK(reply.content_type == "application/json");
  CHECK(reply.body ==
        "{\"Error\":{\"ErrorCode\":\"" + code + "\",\"Message\":\"" + message + "\"}}\n");
}

constexpr std::string_view kMetrics =
    R"(# HELP gedge_agent_info Which node this is, and how it measures.
# TYPE gedge_agent_info gauge
gedge_agent_info{node="a",method="icmp"} 1
# HELP gedge_agent_start_time_seconds When the agent began.
# TYPE gedge_agent_start_time_seconds gauge
gedge_agent_start_time_seconds 1700000000
# HELP gedge_rtt_seconds Round-trip time to a target, quantiles of the latest answers.
# TYPE gedge_rtt_seconds gauge
gedge_rtt_seconds{to="b\"\\\n",kind="node",quantile="0.5"} 0.002001
gedge_rtt_seconds{to="b\"\\\n",kind="node",quantile="0.95"} 0.009000
gedge_rtt_seconds{to="b\"\\\n",kind="node",quantile="0.99"} 0.009000
# HELP gedge_rtt_jitter_seconds rttvar of the latest answers.
# TYPE gedge_rtt_jitter_seconds gauge
gedge_rtt_jitter_seconds{to="b\"\\\n",kind="node"} 0.006781
# HELP gedge_loss_ratio Share of the latest probes without an answer.
# TYPE gedge_loss_ratio gauge
gedge_loss_ratio{to="b\"\\\n",kind="node"} 0.250000
gedge_loss_ratio{to="d",kind="node"} 1.000000
# HELP gedge_answer_age_seconds Time since the probe of the latest answer left.
# TYPE gedge_answer_age_seconds gauge
gedge_answer_age_seconds{to="b\"\\\n",kind="node"} 5.000000
# HELP gedge_probes_total Probes that were answered or lost.
# TYPE gedge_probes_total counter
gedge_probes_total{to="b\"\\\n",kind="node"} 4
gedge_probes_total{to="d",kind="node"} 3
gedge_probes_total{to="e",kind="node"} 0
# HELP gedge_probes_lost_total Probes without an answer in time.
# TYPE gedge_probes_lost_total counter
gedge_probes_lost_total{to="b\"\\\n",kind="node"} 1
gedge_probes_lost_total{to="d",kind="node"} 3
gedge_probes_lost_total{to="e",kind="node"} 0
# HELP gedge_rounds_total Rounds of probes that are over.
# TYPE gedge_rounds_total counter
gedge_rounds_total 10
# HELP gedge_odd_replies_total Answers that were not counted.
# TYPE gedge_odd_replies_total counter
gedge_odd_replies_total{why="duplicate"} 1
gedge_odd_replies_total{why="late"} 2
gedge_odd_replies_total{why="foreign"} 3
gedge_odd_replies_total{why="impossible"} 4
# HELP gedge_http_connections_total Connections that were served.
# TYPE gedge_http_connections_total counter
gedge_http_connections_total 5
# HELP gedge_http_turned_away_total Connections over the bounds.
# TYPE gedge_http_turned_away_total counter
gedge_http_turned_away_total 6
# HELP gedge_http_requests_total Requests that were answered.
# TYPE gedge_http_requests_total counter
gedge_http_requests_total 7
# HELP gedge_http_refused_total What was no request.
# TYPE gedge_http_refused_total counter
gedge_http_refused_total 8
# HELP gedge_http_denied_total Requests without a token that is known.
# TYPE gedge_http_denied_total counter
gedge_http_denied_total 9
# HELP gedge_tls_handshakes_failed_total Connections that never came to a request.
# TYPE gedge_tls_handshakes_failed_total counter
gedge_tls_handshakes_failed_total 10
# HELP gedge_certificate_end_time_seconds When the certificate ends.
# TYPE gedge_certificate_end_time_seconds gauge
gedge_certificate_end_time_seconds 1800000000
)";

constexpr const char* kSizeMissing = "pingSize is missing: it is a whole number from 0 to 65507";
constexpr const char* kSizeWrong = "pingSize must be a whole number from 0 to 65507";
constexpr const char* kCountMissing = "pingCount is missing: it is a whole number from 1 to 1000";
constexpr const char* kCountWrong = "pingCount must be a whole number from 1 to 1000";

}  // namespace

TEST_CASE("agent replies: near nodes, nearest first, without those that never answered") {
  check_result("/monitoring/near-nodes/latency?pingSize=8&pingCount=3",
               R"({"result":[{"node_name":"c","node_ip":"10.0.0.3","latency":0.3},)"
               R"({"node_name":"b","node_ip":"10.0.0.2","latency":4.334}]})"
               "\n");
  check_result("/monitoring/near-nodes/latency?pingCount=1&pingSize=0",
               R"({"result":[{"node_name":"c","node_ip":"10.0.0.3","latency":0.3},)"
               R"({"node_name":"b","node_ip":"10.0.0.2","latency":2.001}]})"
               "\n");
}

TEST_CASE("agent replies: one node, one cluster, all clusters") {
  check_result("/monitoring/node/b/latency", "{\"result\":2.001}\n");  // of the last two
  check_result("/monitoring/node/c/latency?pingSize=8&pingCount=1000", "{\"result\":0.3}\n");
  check_result("/monitoring/clusters/hub/latency", "{\"result\":41.0}\n");
  check_result("/monitoring/clusters/hub/latency?pingSize=8&pingCount=1", "{\"result\":40.5}\n");
  check_result("/monitoring/near-clusters/latency",
               R"({"result":[{"cluster_name":"hub","cluster_ip":"10.0.0.8","latency":41.0}]})"
               "\n");
  AgentFacts alone = facts();
  alone.targets.clear();
  CHECK(ask("/monitoring/near-clusters/latency", alone).body == "{\"result\":[]}\n");
  CHECK(ask("/monitoring/near-nodes/latency?pingSize=8&pingCount=2", alone).body ==
        "{\"result\":[]}\n");
}

TEST_CASE("agent replies: wrong parameters are named with what they may be") {
  const std::string path = "/monitoring/near-nodes/latency";
  const std::string code = "InvalidRequestContentException";
  check_error(ask(path), 400, code, kSizeMissing);
  check_error(ask(path + "?pingSize=8"), 400, code, kCountMissing);
  check_error(ask(path + "?pingCount=2"), 400, code, kSizeMissing);
  for (const char* wrong : {"-1", "65508", "8x", "", "0x8", "1e3", "%208", "99999999999"})
    check_error(ask(path + "?pingCount=2&pingSize=" + wrong), 400, code, kSizeWrong);
  for (const char* wrong : {"0", "1001", "two", "1.5"})
    check_error(ask(path + "?pingSize=8&pingCount=" + wrong), 400, code, kCountWrong);
  check_error(ask("/monitoring/clusters/hub/latency?pingCount=0"), 400, code, kCountWrong);
  check_error(ask("/monitoring/node/b/latency?pingSize=70000"), 400, code, kSizeWrong);
  check_error(ask(path + "?pingSize=8&pingSize=8&pingCount=2"), 400, code,
              "the path or the query is malformed");
}

TEST_CASE("agent replies: unknown names and silent ones are two errors, and neither is a number") {
  const std::string code = "ResourceNotFoundException";
  check_error(ask("/monitoring/node/x/latency"), 404, code,
              "node 'x' is not measured by this agent");
  check_error(ask("/monitoring/clusters/b/latency"), 404, code,
              "cluster 'b' is not measured by this agent");
  check_error(ask("/monitoring/node/d/latency"), 404, code,
              "no answer of node 'd' is known that is young enough");
  check_error(ask("/monitoring/node/e/latency"), 404, code,
              "no answer of node 'e' is known that is young enough");
  check_error(ask("/monitoring/clusters/far/latency"), 404, code,
              "no answer of cluster 'far' is known that is young enough");
  // An address is no name: nobody makes the agent probe it.
  check_error(ask("/monitoring/node/10.0.0.2/latency"), 404, code,
              "node '10.0.0.2' is not measured by this agent");
  check_error(ask("/monitoring/node/%22%5C%C3%A4%E2%80%AE/latency"), 404, code,
              "node '\\\"\\\\\xC3\xA4"
              "\\\\xe2\\\\x80\\\\xae' is not measured by this agent");
}

TEST_CASE("agent replies: paths that do not exist") {
  for (const char* path :
       {"/", "/monitoring", "/monitoring/near-nodes", "/monitoring/near-nodes/latency/x",
        "/monitoring/node/latency", "/monitoring/x/latency", "/monitoring/node/b/c/latency",
        "//check", "/check/", "/Metrics", "/..%2fmetrics", "/monitoring/node/b%2Flatency"})
    check_error(ask(path), 404, "ResourceNotFoundException", "there is nothing at this path");
}

TEST_CASE("agent replies: other methods, malformed targets, strangers") {
  for (const char* method : {"POST", "PUT", "DELETE", "OPTIONS", "TRACE", "get", ""}) {
    const HttpReply reply = agent_reply({method, "/check", "localhost", "", ""}, facts());
    check_error(reply, 405, "MethodNotAllowed", "only GET and HEAD are answered");
    CHECK(reply.allow == "GET, HEAD");
  }
  CHECK(agent_reply({"HEAD", "/check", "localhost", "", ""}, facts()).status == 200);
  for (const char* target : {"", "*", "http://a/check", "check", "/%", "/%4", "/%zz", "/%00",
                             "/a%0Ab", "/%ff", "/\x80", "/#x", "/check?a=%1f"})
    check_error(ask(target), 400, "InvalidRequestContentException",
                "the path or the query is malformed");
  check_error(agent_reply({"GET", "/check", "localhost", "https://evil.example", ""}, facts()), 403,
              "InvalidSecurity", "pages of other sites may not ask");
  for (const char* host : {"evil.example", "evil.example:8787", "127.0.0.1.evil.example",
                           "localhost.evil.example", "10.0.0.1x"})
    check_error(agent_reply({"GET", "/check", host, "", ""}, facts()), 403, "InvalidSecurity",
                "ask by address, as localhost, or by the name of the node");
  AgentFacts open = facts();
  open.insecure = true;
  CHECK(agent_reply({"GET", "/check", "agent.gedge-system.svc", "", ""}, open).status == 200);
  open = facts();
  open.asks_for_token = true;
  CHECK(agent_reply({"GET", "/check", "agent.gedge-system.svc", "", ""}, open).status == 200);
  for (const char* host : {"", "127.0.0.1", "10.0.0.1:8787", "[::1]:8787", "LocalHost:1", "a:8787"})
    CHECK(agent_reply({"GET", "/check", host, "", ""}, facts()).status == 200);
}

TEST_CASE("agent replies: every error code has its status") {
  using enum AgentError;
  struct Row {
    AgentError code;
    unsigned status;
    const char* name;
  };
  constexpr std::array<Row, 18> kTable{
      {{kAccessDenied, 502, "AccessDeniedException"},
       {kAuthorizationHeaderMalformed, 400, "AuthorizationHeaderMalformed"},
       {kExpiredToken, 400, "ExpiredToken"},
       {kIncompleteBody, 400, "IncompleteBody"},
       {kInvalidRange, 416, "InvalidRange"},
       {kInvalidRequestContent, 400, "InvalidRequestContentException"},
       {kInvalidSecurity, 403, "InvalidSecurity"},
       {kInvalidToken, 400, "InvalidToken"},
       {kMaxMessageLengthExceeded, 400, "MaxMessageLengthExceeded"},
       {kMetadataTooLarge, 400, "MetadataTooLarge"},
       {kMethodNotAllowed, 405, "MethodNotAllowed"},
       {kMissingContentLength, 411, "MissingContentLength"},
       {kNotImplemented, 501, "NotImplemented"},
       {kRequestTimeout, 400, "RequestTimeout"},
       {kResourceNotFound, 404, "ResourceNotFoundException"},
       {kServiceInternal, 500, "ServiceInternalException"},
       {kTokenRefreshRequired, 400, "TokenRefreshRequired"},
       {kUnsupportedMediaType, 415, "UnsupportedMediaTypeException"}}};
  for (const Row& row : kTable) check_error(agent_error(row.code, "m"), row.status, row.name, "m");
  CHECK(agent_error(kInvalidToken, "a\"b\n\xff").body ==
        "{\"Error\":{\"ErrorCode\":\"InvalidToken\",\"Message\":\"a\\\"b\\n\xEF\xBF\xBD\"}}\n");
}

TEST_CASE("agent replies: where no request came to be") {
  check_error(agent_refusal(HttpFault::kMalformed), 400, "InvalidRequestContentException",
              "this is no HTTP request");
  check_error(agent_refusal(HttpFault::kHeaderTooLarge), 400, "MetadataTooLarge",
              "the headers are too large");
  check_error(agent_refusal(HttpFault::kBodyTooLarge), 400, "MaxMessageLengthExceeded",
              "the body is too large");
  check_error(agent_refusal(HttpFault::kIncomplete), 400, "IncompleteBody",
              "the request ended before its end");
  check_error(agent_refusal(HttpFault::kInternal), 500, "ServiceInternalException",
              "the agent failed to answer");
}

TEST_CASE("agent replies: Goldpinger's check says of each peer whether it answered") {
  AgentFacts few = facts();
  few.targets = {few.targets[1], few.targets[2], few.targets[3], few.targets[5]};
  CHECK(ask("/check", few).content_type == "application/json");
  CHECK(ask("/check", few).body == R"({
  "podResults": {
    "c": {
      "HostIP": "10.0.0.3",
      "PodIP": "10.0.0.3",
      "OK": true,
      "PingTime": "2023-11-14T22:14:55Z",
      "response-time-ms": 1,
      "status-code": 200
    },
    "d": {
      "HostIP": "10.0.0.4",
      "PodIP": "10.0.0.4",
      "OK": false,
      "error": "no answer"
    },
    "e": {
      "HostIP": "10.0.0.5",
      "PodIP": "10.0.0.5",
      "OK": false,
      "error": "not asked yet"
    }
  },
  "probeResults": {}
}
)");
}

TEST_CASE("agent replies: gedge reads the check_all as it reads that of others") {
  AgentFacts few = facts();
  few.targets = {few.targets[1]};
  CHECK(ask("/check_all", few).body == R"({
  "OK": true,
  "hosts": [
    {
      "hostIP": "10.0.0.1",
      "podIP": "10.0.0.1",
      "podName": "a"
    },
    {
      "hostIP": "10.0.0.3",
      "podIP": "10.0.0.3",
      "podName": "c"
    }
  ],
  "hosts-healthy": 2,
  "hosts-number": 2,
  "probeResults": {},
  "responses": {
    "a": {
      "HostIP": "10.0.0.1",
      "PodIP": "10.0.0.1",
      "OK": true,
      "response": {
        "podResults": {
          "c": {
            "HostIP": "10.0.0.3",
            "PodIP": "10.0.0.3",
            "OK": true,
            "PingTime": "2023-11-14T22:14:55Z",
            "response-time-ms": 1,
            "status-code": 200
          }
        }
      }
    }
  }
}
)");
  const RttReading read = read_rtt({{{"check_all", ask("/check_all").body}}}, {});
  REQUIRE(read.errors.empty());
  const auto at = [&](const char* from, const char* to) {
    const auto i = read.matrix.find(from), j = read.matrix.find(to);
    return i && j ? read.matrix.at(*i, *j) : kUnmeasured;
  };
  CHECK(at("10.0.0.1", "10.0.0.2") == Rtt{9'000});  // p95, whole milliseconds
  CHECK(at("10.0.0.1", "10.0.0.3") == Rtt{1'000});
  CHECK(at("10.0.0.1", "10.0.0.4") == kUnmeasured);
  CHECK(at("10.0.0.1", "10.0.0.5") == kUnmeasured);
}

TEST_CASE("agent replies: the matrix holds what is known of each peer that was asked") {
  const HttpReply reply = ask("/matrix.json");
  CHECK(reply.status == 200);
  CHECK(reply.body == R"({
  "apiVersion": "gedge.io/v1alpha1",
  "kind": "LatencyMatrix",
  "nodes": [
    "a",
    "b",
    "c",
    "d",
    "e"
  ],
  "pairs": [
    {"from":"a","to":"b","minUs":2000,"p50Us":2001,"p95Us":9000,)"
                      R"("p99Us":9000,"maxUs":9000,"meanUs":4334,)"
                      R"("mdevUs":3300,"jitterUs":6781,"lossPpm":250000,)"
                      R"("samples":3,"method":"icmp","measuredAt":"2023-11-14T22:14:55Z"},
    {"from":"a","to":"c","minUs":300,"p50Us":300,"p95Us":300,)"
                      R"("p99Us":300,"maxUs":300,"meanUs":300,)"
                      R"("mdevUs":0,"jitterUs":0,"lossPpm":0,)"
                      R"("samples":1,"method":"icmp","measuredAt":"2023-11-14T22:14:55Z"},
    {"from":"a","to":"d","minUs":null,"p50Us":null,"p95Us":null,)"
                      R"("p99Us":null,"maxUs":null,"meanUs":null,)"
                      R"("mdevUs":null,"jitterUs":null,"lossPpm":1000000,)"
                      R"("samples":0,"method":"icmp"}
  ]
}
)");
  RttOptions options;
  options.keep_details = true;
  const RttReading read = read_rtt({{{"matrix", reply.body}}}, options);
  REQUIRE(read.errors.empty());
  CHECK(read.matrix.size() == 5);
  CHECK(read.details.pairs.size() == 3);
}

TEST_CASE("agent replies: the matrix is written as any other one, however many peers there are") {
  const auto many = [](std::size_t count) {
    AgentFacts all = facts();
    all.node = "n-0100";  // somewhere among its peers
    all.targets.clear();
    for (std::size_t i = 0; i < count; ++i) {
      const std::string digits = std::to_string(10'000 + i).substr(1);
      const auto us = static_cast<std::uint32_t>(300 + 7 * i);
      const std::vector<std::uint32_t> answers{us, us + 50, us + 20};
      all.targets.push_back(target(AgentTargetKind::kNode, "n-" + digits, 2,
                                   i % 5 < 3 ? answers : std::vector<std::uint32_t>{},
                                   i % 5 == 4 ? 0 : static_cast<std::uint32_t>(i % 5)));
    }
    all.targets.push_back(facts().targets.back());  // a cluster
    return all;
  };
  const AgentFacts few = many(200);
  std::vector<std::string> names;
  for (const TargetReport& report : few.targets)
    if (report.target.kind == AgentTargetKind::kNode) names.push_back(report.target.name);
  RttMatrix matrix(names);
  PairDetails details;
  const NameIndex from = *matrix.find(few.node);
  for (const TargetReport& report : few.targets) {
    const auto to = matrix.find(report.target.name);
    if (!to || *to == from || !report.asked) continue;
    PairStats stats = stats_of(from, *to, report.rtt);
    stats.method = details.method(few.method);
    if (report.answered_at) stats.measured_at = 1'700'000'095;
    matrix.set(from, *to, stats.p95);
    details.pairs.push_back(stats);
  }
  CHECK(ask("/matrix.json", few).body == write(matrix, details, TextFormat::kJson));

  const std::string body = ask("/matrix.json", many(5'000)).body;
  std::size_t pairs = 0;
  for (std::size_t at = body.find("{\"from\""); at != std::string::npos;
       at = body.find("{\"from\"", at + 1))
    ++pairs;
  CHECK(pairs == 3'999);  // every fifth was never asked, and nobody asks itself
}

TEST_CASE("agent replies: no date is later than what it is the date of") {
  AgentFacts late = facts();
  late.targets = {late.targets[1]};
  late.targets[0].answered_at = 95 * kSecond + Nanos{1};
  for (const char* path : {"/matrix.json", "/check"})
    CHECK(ask(path, late).body.find("2023-11-14T22:14:55Z") != std::string::npos);
}

TEST_CASE("agent replies: metrics") {
  AgentFacts few = facts();
  few.targets = {few.targets[0], few.targets[2], few.targets[3]};
  few.targets[0].target.name = "b\"\\\n";
  const HttpReply reply = ask("/metrics", few);
  CHECK(reply.content_type == "text/plain; version=0.0.4; charset=utf-8");
  CHECK(reply.body == kMetrics);
}

TEST_CASE("agent replies: who needs a token, and what a token looks like") {
  const auto asked = [](const char* target) {
    return needs_token({"GET", target, "localhost", "", ""});
  };
  for (const char* open : {"/livez", "/readyz", "/livez?verbose", "/%6civez"})
    CHECK_FALSE(asked(open));
  for (const char* closed : {"/", "/check", "/metrics", "/matrix.json", "/livez/", "//livez",
                             "/livez/x", "/monitoring/node/livez/latency", "livez", "/%", ""})
    CHECK(asked(closed));

  const auto token = [](const char* header) {
    HttpRequest request{"GET", "/check", "localhost", "", ""};
    request.authorization = header;
    return std::string(bearer_token(request));
  };
  CHECK(token("Bearer s3cret") == "s3cret");
  CHECK(token("bearer s3cret") == "s3cret");
  for (const char* header : {"", "Bearer", "Bearer ", "Basic dXNlcjpwYXNz", "s3cret"})
    CHECK(token(header).empty());

  const HttpReply reply = agent_denial();
  check_error(reply, 401, "InvalidToken", "a token that is known is needed");
  CHECK(reply.challenge == "Bearer");
}

TEST_CASE("agent replies: alive and ready") {
  const auto text = [](const char* path, const AgentFacts& what, unsigned status) {
    const HttpReply reply = ask(path, what);
    CHECK(reply.status == status);
    CHECK(reply.content_type == "text/plain; charset=utf-8");
    return reply.body;
  };
  AgentFacts agent = facts();
  CHECK(text("/livez", agent, 200) == "ok\n");
  CHECK(text("/readyz", agent, 200) == "ok\n");
  agent.insecure = true;
  CHECK(text("/readyz", agent, 200) == "ok\ninsecure: whoever reaches this address may ask\n");
  agent.asks_for_token = true;
  CHECK(text("/readyz", agent, 200) ==
        "ok\ninsecure: tokens and replies can be read on their way\n");
  agent.rounds = 0;
  CHECK(text("/livez", agent, 200) == "ok\n");
  CHECK(text("/readyz", agent, 503) == "the first round is not over\n");
  agent.probing = false;
  CHECK(text("/livez", agent, 503) == "nothing is probed any more\n");
  CHECK(text("/readyz", agent, 503) == "the first round is not over\nnothing is probed any more\n");
  agent = facts();
  agent.targets.clear();
  CHECK(text("/readyz", agent, 200) == "ok\nno peers are known\n");
}

TEST_CASE("ip text: as RFC 5952 writes addresses") {
  IpAddress address;
  address.bytes = {192, 168, 0, 1};
  address.port = 8'787;
  CHECK(to_text(address) == "192.168.0.1");
  CHECK(to_text_with_port(address) == "192.168.0.1:8787");
  address.is_v6 = true;
  const auto v6 = [&](std::array<std::uint8_t, 16> bytes) {
    address.bytes = bytes;
    return to_text(address);
  };
  CHECK(v6({}) == "::");
  CHECK(v6({0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1}) == "::1");
  CHECK(to_text_with_port(address) == "[::1]:8787");
  CHECK(v6({0xfd, 0}) == "fd00::");
  CHECK(v6({0x20, 0x01, 0x0d, 0xb8, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 1}) == "2001:db8:0:1::1");
  CHECK(v6({0x20, 0x01, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 1, 0, 1}) == "2001::1:0:0:1:1");
  CHECK(v6({0, 1, 0, 0, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 0xab}) == "1:0:1:1:1:1:1:ab");
}

}  // namespace gedge
