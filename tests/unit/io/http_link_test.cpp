#include <doctest/doctest.h>

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "gedge/io/system_network.hpp"
#include "scripted_server.hpp"

namespace gedge {
namespace {

using test::answer;
using test::ScriptedServer;
using test::Then;

constexpr Nanos kPatience{10'000'000'000};  // far beyond what loopback takes; never waited for

LinkRequest request(const std::vector<const ScriptedServer*>& servers) {
  LinkRequest request;
  request.method = ProbeMethod::kHttp;
  request.timeout = kPatience;
  for (const ScriptedServer* server : servers) request.targets.push_back(server->address());
  return request;
}

struct Outcome {
  std::vector<ProbeEvent> events;  // of one probe
  bool settled() const { return !events.empty() && events.back().kind != ProbeEvent::Kind::kSent; }
};

/// One probe to each target, until all are settled or `until` has passed.
std::vector<Outcome> probe_all(ProbeLink& link, std::size_t targets, Nanos patience = kPatience) {
  std::vector<Outcome> outcomes(targets);
  const Nanos end = link.now() + patience;
  std::size_t sent = 0, settled = 0;
  while (settled < targets && link.now() < end) {
    for (; sent < targets && link.room() > 0; ++sent) {
      const Probe probe{static_cast<std::uint32_t>(sent), 1'000 + sent};
      link.send({&probe, 1});
    }
    for (const ProbeEvent& event : link.receive(end).events) {
      CHECK(event.cookie == 1'000 + event.target);
      outcomes[event.target].events.push_back(event);
      settled += outcomes[event.target].settled() ? 1 : 0;
    }
  }
  return outcomes;
}

}  // namespace

TEST_CASE("http probes: whatever answers over HTTP is an answer, IPv4 and IPv6") {
  ScriptedServer good(answer("yes")), wrong(answer("no", "503 Busy")),
      six(answer("yes"), Then::kClose, true), held("HTTP/1.1 200 OK\r\n", Then::kHang);
  SystemNetwork network;
  LinkRequest wanted = request({&good, &wrong, &six, &held});
  wanted.hosts = {"edge-1", "127.0.0.1", "::1", "edge-4"};
  const auto link = network.open(std::move(wanted));
  REQUIRE(link);
  for (const Outcome& outcome : probe_all(**link, 4)) {
    REQUIRE(outcome.events.size() == 2);
    CHECK(outcome.events[0].kind == ProbeEvent::Kind::kSent);
    CHECK(outcome.events[1].kind == ProbeEvent::Kind::kReply);
    CHECK(outcome.events[1].at > outcome.events[0].at);  // nothing takes no time
  }
  const std::string host = "\r\nHost: edge-1:" + std::to_string(good.address().port) + "\r\n";
  CHECK(good.requests()[0].starts_with("GET / HTTP/1.1\r\n"));
  CHECK(good.requests()[0].find(host) != std::string::npos);
}

TEST_CASE("http probes: each has a connection of its own, and no more are open than allowed") {
  ScriptedServer good(answer("yes"));
  SystemNetwork network;
  const std::vector<const ScriptedServer*> many(40, &good);
  const auto link = network.open(request(many));
  REQUIRE(link);
  for (const Outcome& outcome : probe_all(**link, many.size()))
    CHECK(outcome.events.back().kind == ProbeEvent::Kind::kReply);
  CHECK(good.requests().size() == many.size());

  ScriptedServer silent("", Then::kHang);
  const std::vector<const ScriptedServer*> silents(200, &silent);
  const auto full = network.open(request(silents));
  REQUIRE(full);
  std::uint32_t sent = 0;
  for (; sent < silents.size() && (*full)->room() > 0; ++sent) {
    const Probe probe{sent, sent};
    (*full)->send({&probe, 1});
  }
  CHECK(sent == 128);
}

TEST_CASE("http probes: no request counts as sent after it has come") {
  ScriptedServer good(answer("yes"));
  SystemNetwork network;
  const auto link = network.open(request({&good}));
  REQUIRE(link);
  std::vector<Nanos> sent;
  for (int i = 0; i < 300; ++i) {
    const Outcome outcome = probe_all(**link, 1)[0];
    REQUIRE(outcome.events.size() == 2);
    sent.push_back(outcome.events[0].at);
  }
  REQUIRE(good.moments().size() == sent.size());
  for (std::size_t i = 0; i < sent.size(); ++i) CHECK(sent[i] <= good.moments()[i]);
}

TEST_CASE("http probes: what is no HTTP, closes or refuses is refused, and says why") {
  ScriptedServer banner("220 not HTTP\r\n"), closes("");
  IpAddress nobody;
  {
    ScriptedServer gone("");
    nobody = gone.address();
  }
  SystemNetwork network;
  LinkRequest wanted = request({&banner, &closes});
  wanted.targets.push_back(nobody);
  const auto link = network.open(std::move(wanted));
  REQUIRE(link);
  const auto outcomes = probe_all(**link, 3);
  for (const Outcome& outcome : outcomes) {
    REQUIRE(outcome.events.size() == 1);
    CHECK(outcome.events[0].kind == ProbeEvent::Kind::kRefused);
  }
  CHECK(outcomes[0].events[0].refusal == Refusal::kNoHttp);
  CHECK(outcomes[1].events[0].refusal == Refusal::kNoHttp);
  CHECK(outcomes[2].events[0].refusal != Refusal::kNoHttp);

  LinkRequest tls = request({&banner});
  tls.method = ProbeMethod::kHttps;
  ScriptedServer plain("this is no TLS\n", Then::kTalkFirst);
  tls.targets = {plain.address()};
  const auto secure = network.open(std::move(tls));
  REQUIRE(secure);
  CHECK(probe_all(**secure, 1)[0].events[0].refusal == Refusal::kNoHttp);
}

TEST_CASE("http probes: whoever waits less than libcurl counts in does not spin") {
  constexpr int kRounds = 100, kOddWakes = 200;  // of sockets and timers of libcurl
  ScriptedServer silent("", Then::kHang);
  SystemNetwork network;
  const auto link = network.open(request({&silent}));
  REQUIRE(link);
  const Probe probe{0, 1};
  (*link)->send({&probe, 1});
  int asked = 0;
  for (int i = 0; i < kRounds; ++i)
    for (const Nanos end = (*link)->now() + Nanos{900'000}; (*link)->now() < end; ++asked)
      CHECK((*link)->receive(end).events.empty());
  CHECK(asked <= kRounds + kOddWakes);
}

TEST_CASE("http probes: silence is no event, and ends by itself") {
  ScriptedServer silent("", Then::kHang);
  SystemNetwork network;
  LinkRequest wanted = request({&silent});
  wanted.timeout = Nanos{50'000'000};
  const auto link = network.open(std::move(wanted));
  REQUIRE(link);
  CHECK(probe_all(**link, 1, Nanos{200'000'000})[0].events.empty());
}

}  // namespace gedge
