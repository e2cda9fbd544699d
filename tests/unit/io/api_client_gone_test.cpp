// The API client over HTTP/2 with servers that have gone, or never were there, and with what one
// says while nobody asks.
#include <doctest/doctest.h>

#include <atomic>
#include <string>

#include "api_calls.hpp"
#include "http2_server.hpp"
#include "talking_server.hpp"

namespace gedge {
namespace {

using namespace test;

ApiEndpoint endpoint_of(const std::string& server, const Credentials& own) {
  ApiEndpoint endpoint;
  endpoint.server = server;
  endpoint.tls_server_name = "kube.test";
  endpoint.trusted = own.certificate;
  return endpoint;
}

TEST_CASE("api client over HTTP/2: where one link is gone, no other that is silent is used again") {
  const Credentials own = make_credentials("kube.test", kYear);
  Http2Server server(
      [](const Http2Heard& heard) {
        const bool is_lost = heard.fields.at(":method") == "POST";
        return is_lost ? Http2Said{"", "", {}, Http2Then::kMute} : Http2Said{"ok"};
      },
      TalkTls{own});
  ApiLimits limits;
  limits.silence = limits.sign_within = Nanos{20'000'000};
  Calls calls(endpoint_of(server.url(), own), limits);
  ApiRequest lost = bind_request();
  lost.lane = ApiLane::kLease;
  CHECK(calls.ask(request(ApiLane::kRead)).status == 200);
  CHECK(calls.ask(lost).error.code == Errc::kUnreachable);
  CHECK(server.connections() == 2);
  CHECK(calls.ask(request(ApiLane::kRead)).status == 200);
  CHECK(server.connections() == 3);
}

TEST_CASE("api client: a watch of a server that may speak HTTP/2 waits until it does") {
  const Credentials own = make_credentials("kube.test", kYear);
  Calls calls(endpoint_of("https://127.0.0.1:1", own));
  const ApiAnswer answer = calls.ask(watch());
  CHECK(answer.error.code == Errc::kUnreachable);
  CHECK(answer.error.what == "no connection for a watch");
  CHECK(answer.was_not_sent);
  CHECK(calls.client->pings());
  CHECK(calls.ask(request(ApiLane::kRead)).error.what != answer.error.what);
}

TEST_CASE("api client over HTTP/2: what comes while it gathers is handed over after that") {
  const Credentials own = make_credentials("kube.test", kYear);
  Calls* asking = nullptr;
  Http2Server server(
      [&](const Http2Heard& heard) {
        if (heard.nth == 1) asking->client->wake();
        return Http2Said{"ok"};
      },
      TalkTls{own});
  Calls calls(endpoint_of(server.url(), own));
  asking = &calls;
  CHECK(calls.get().status == 200);
  calls.client->send(calls.next, request(ApiLane::kRead));
  calls.client->push();
  calls.client->gather(Nanos{3'600'000'000'000});
  CHECK(server.heard().size() == 2);
  calls.wait_for(2);
  CHECK(calls.answers.at(calls.next).status == 200);
}

TEST_CASE("api client over HTTP/2: all that came while it gathers is handed over in one turn") {
  constexpr std::size_t kWatches = 10;
  const Credentials own = make_credentials("kube.test", kYear);
  const std::string change = std::string(5'000, 'x') + '\n';
  std::string much;  // the system has room for all of the changes when so much was read fast
  for (int i = 0; i < 2'000; ++i) much += change;
  Calls* asking = nullptr;
  std::atomic<std::size_t> said{0};
  std::atomic<bool> is_woken{false};
  Http2Server server(
      [&](const Http2Heard&) {
        const bool is_first = said++ == 0;
        return is_first ? Http2Said{much} : Http2Said{change, "200", {}, Http2Then::kStay};
      },
      TalkTls{own},
      [&] {
        if (said == 1 + kWatches && !is_woken.exchange(true)) asking->client->wake();
      });
  Calls calls(endpoint_of(server.url(), own));
  asking = &calls;
  CHECK(calls.ask(watch()).status == 200);
  calls.lines.clear();
  for (std::size_t i = 0; i < kWatches; ++i) calls.client->send(calls.next++, watch());
  calls.client->push();
  calls.client->gather(kPatience);
  REQUIRE(said == 1 + kWatches);
  REQUIRE(calls.client->wait(kPatience, calls.listener));
  CHECK(calls.lines.size() == kWatches);
}

TEST_CASE("api client over HTTP/2: of very much that came, a part is handed over before the rest") {
  constexpr std::size_t kMost = std::size_t{1} << 20, kAhead = std::size_t{64} << 10;
  const Credentials own = make_credentials("kube.test", kYear);
  const std::string change = std::string(5'000, 'x') + '\n';
  std::string much;
  for (int i = 0; i < 2'000; ++i) much += change;
  Http2Server server([&](const Http2Heard&) { return Http2Said{much}; }, TalkTls{own});
  Calls calls(endpoint_of(server.url(), own));
  calls.client->send(calls.next, watch());
  std::size_t before = 0;
  while (calls.answers.empty()) {
    calls.client->gather(Nanos{1'000'000});
    REQUIRE(calls.client->wait(kPatience, calls.listener));
    const std::size_t lines = calls.lines[calls.next].size();
    CHECK((lines - before) * change.size() <= kMost + kAhead);
    before = lines;
  }
  CHECK(before == 2'000);
}

}  // namespace
}  // namespace gedge
