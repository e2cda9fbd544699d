// The API client with servers that speak HTTP/2: one connection a lane, nothing sent twice.
#include <arpa/inet.h>
#include <doctest/doctest.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <chrono>
#include <cstdint>
#include <future>
#include <initializer_list>
#include <set>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "api_calls.hpp"
#include "gedge/io/clock.hpp"
#include "http2_server.hpp"
#include "talking_server.hpp"

namespace gedge {
namespace {

using test::bind_request;
using test::Calls;
using test::Credentials;
using test::Http2Heard;
using test::Http2Said;
using test::Http2Server;
using test::Http2Then;
using test::kPatience;
using test::kYear;
using test::make_credentials;
using test::request;
using test::TalkTls;
using test::watch;

constexpr Nanos kSecond{1'000'000'000};

bool has(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

Http2Said ok(const Http2Heard&) { return {"ok"}; }

// Nothing is ever said to who asks for that.
Http2Said stay_or_ok(const Http2Heard& heard) {
  return heard.body == "stay" ? Http2Said{"", "", {}, Http2Then::kStay} : Http2Said{"ok"};
}

const Credentials& own() {
  static const Credentials made = make_credentials("kube.test", kYear);
  return made;
}

ApiEndpoint endpoint_of(const Http2Server& server) {
  ApiEndpoint endpoint;
  endpoint.server = server.url();
  endpoint.tls_server_name = "kube.test";
  endpoint.trusted = own().certificate;
  endpoint.identity.token = Secret("t0ken");
  return endpoint;
}

// By its address without libcurl, by its name through it.
ApiEndpoint endpoint_at(const Http2Server& server, const std::string& host) {
  ApiEndpoint endpoint = endpoint_of(server);
  constexpr std::string_view kAddress = "127.0.0.1";
  endpoint.server.replace(endpoint.server.find(kAddress), kAddress.size(), host);
  return endpoint;
}

struct HandClock final : Clock {
  Micros time{1'000'000};
  Micros now() const override { return time; }
};

ApiRequest bind_within(const Clock& clock, Nanos span) {
  ApiRequest bind = bind_request();
  bind.send_by = Nanos(clock.now()) + span;
  bind.ends_by_then = true;
  return bind;
}

// The first request alone is answered so.
Http2Server::Talk at_first(Http2Said said) {
  return [said = std::move(said)](const Http2Heard& heard) {
    return heard.nth == 0 ? said : Http2Said{"ok"};
  };
}

}  // namespace

TEST_CASE("api client over HTTP/2: many at once, on one connection a lane") {
  Http2Server server(ok, TalkTls{own()});
  Calls calls(endpoint_of(server));
  for (int round = 0; round < 3; ++round) {
    for (int i = 0; i < 100; ++i) calls.client->send(calls.next++, bind_request());
    for (int i = 0; i < 10; ++i) calls.client->send(calls.next++, request(ApiLane::kRead));
    calls.wait_for(static_cast<std::size_t>(round + 1) * 110);
  }
  for (const auto& answered : calls.answers) {
    const auto& answer = answered.second;
    CAPTURE(answer.error.what);
    CHECK(answer.status == 200);
    CHECK(answer.body == "ok");
  }
  CHECK(calls.client->pings());
  CHECK(server.connections() == 2);
  CHECK(server.heard().size() == 330);
  for (const Http2Heard& heard : server.heard()) {
    CHECK(heard.fields.at("authorization") == "Bearer t0ken");
    CHECK(heard.fields.at("accept") == "application/json");
    CHECK(heard.fields.at("user-agent") == "gedge");
    CHECK(has(server.url(), heard.fields.at(":authority")));
    const bool binds = heard.fields.at(":method") == "POST";
    CHECK(heard.fields.at(":path") == (binds ? bind_request().target : "/api"));
    CHECK(heard.body == (binds ? bind_request().body : ""));
    CHECK(heard.fields.count("content-type") == (binds ? 1 : 0));
  }
}

TEST_CASE("api client over HTTP/2: what is pushed leaves before somebody waits") {
  std::promise<void> came;
  Http2Server server(
      [&](const Http2Heard& heard) {
        if (heard.fields.at(":path") == "/pushed") came.set_value();
        return Http2Said{"ok"};
      },
      TalkTls{own()});
  Calls calls(endpoint_of(server));
  const auto keep = calls.listener.answer;
  calls.listener.answer = [&](std::uint64_t ticket, ApiAnswer answer) {
    keep(ticket, std::move(answer));
    if (ticket != 1) return;
    calls.client->send(calls.next++, request(ApiLane::kRead, "/pushed"));
    calls.client->push();
    CHECK(came.get_future().wait_for(kPatience) == std::future_status::ready);
  };
  CHECK(calls.get().status == 200);
  calls.wait_for(2);
  CHECK(calls.answers.at(2).body == "ok");
}

TEST_CASE("api client over HTTP/2: a connection for writes is there before the next write") {
  Http2Server server(ok, TalkTls{own()});
  ApiLimits limits;
  limits.idle = Nanos{20'000'000};
  Calls calls(endpoint_of(server), limits);
  CHECK(calls.get().status == 200);
  CHECK(calls.ask(bind_request()).status == 200);
  for (int i = 0; i < 10'000 && server.connections() < 4; ++i)
    REQUIRE(calls.client->wait(Nanos{10'000'000}, calls.listener));
  CHECK(server.connections() >= 4);  // those before it were closed, and none is for reads
  CHECK(calls.ask(bind_request()).status == 200);
  CHECK(server.heard().size() == 3);
}

TEST_CASE(
    "api client over HTTP/2: a connection for writes is there before the first, if expected") {
  for (const bool is_expected : {false, true}) {
    Http2Server server(ok, TalkTls{own()});
    Calls calls(endpoint_of(server));
    if (is_expected) calls.client->expect_writes();
    CHECK(calls.get().status == 200);
    for (int i = 0; i < 1'000 && server.connections() < 2 && is_expected; ++i)
      REQUIRE(calls.client->wait(Nanos{10'000'000}, calls.listener));
    CHECK(server.connections() == (is_expected ? 2 : 1));
    CHECK(calls.ask(bind_request()).status == 200);
    CHECK(server.connections() == 2);
    CHECK(server.heard().size() == 2);
  }
}

TEST_CASE("api client over HTTP/2: protobuf is asked for where it is read, or nothing is") {
  Http2Server server(ok, TalkTls{own()});
  Calls calls(endpoint_of(server));
  for (const bool is_unread : {false, true})
    for (const bool may_be : {false, true}) {
      ApiRequest asked = bind_request();
      asked.is_answer_unread = is_unread;
      asked.takes_protobuf = may_be;
      const ApiAnswer answer = calls.ask(asked);
      CHECK(answer.status == 200);
      CHECK(answer.body.empty() == is_unread);
      CHECK(server.heard().back().fields.at("accept") ==
            (is_unread || may_be ? "application/vnd.kubernetes.protobuf, application/json"
                                 : "application/json"));
    }
}

TEST_CASE("api client over HTTP/2: answers of Events are read now and then, and none is lost") {
  Http2Server server(
      [](const Http2Heard& heard) {
        return heard.nth == 69 ? Http2Said{"", "", {}, Http2Then::kClose} : Http2Said{"ok"};
      },
      TalkTls{own()});
  Calls calls(endpoint_of(server));
  ApiRequest event = bind_request();
  event.lane = ApiLane::kEvent;
  for (int i = 0; i < 50; ++i) calls.client->send(calls.next++, event);
  calls.wait_for(50);
  for (const auto& [ticket, answer] : calls.answers) CHECK(answer.status == 200);
  CHECK(server.connections() == 1);
  for (int i = 0; i < 20; ++i) calls.client->send(calls.next++, event);
  calls.wait_for(70);
  CHECK(calls.answers.at(69).status == 200);
  CHECK(calls.answers.at(70).status == 0);  // the connection broke before, which is noticed
  CHECK(calls.ask(event).status == 200);
  CHECK(server.connections() == 2);
}

TEST_CASE("api client over HTTP/2: bodies that are larger than any window") {
  const std::string large(9 << 20, 'x');
  Http2Server server([&](const Http2Heard& heard) { return Http2Said{heard.body + "!"}; },
                     TalkTls{own()});
  Calls calls(endpoint_of(server));
  for (const ApiVerb verb : {ApiVerb::kPost, ApiVerb::kPut, ApiVerb::kPatch, ApiVerb::kDelete}) {
    ApiRequest asked = bind_request();
    asked.verb = verb;
    asked.body = large;
    CHECK((calls.ask(asked).body == large + "!"));
    asked.body.clear();
    CHECK(calls.ask(asked).body == "!");
  }
  CHECK(server.connections() == 1);
}

TEST_CASE("api client over HTTP/2: what waited until it was too late is not sent") {
  HandClock clock;
  Http2Server server(ok, TalkTls{own()});
  auto opened = ApiClient::open(endpoint_of(server), {}, {}, {}, clock);
  REQUIRE(opened);
  Calls calls(*std::move(opened));
  ApiRequest bind = bind_request();
  bind.send_by = Nanos(clock.time) + Nanos{1};
  CHECK(calls.ask(bind).status == 200);
  bind.send_by = Nanos(clock.time);
  calls.client->send(20, bind);
  calls.client->send(21, bind_request());
  calls.wait_for(3);
  CHECK(calls.answers[20].status == 0);
  CHECK(calls.answers[20].was_not_sent);
  CHECK(has(calls.answers[20].error.what, "too late"));
  // What was behind it goes on a connection of its own.
  CHECK(calls.answers[21].status == 200);
  CHECK(server.heard().size() == 2);
  CHECK(server.connections() == 2);
}

TEST_CASE("api client over HTTP/2: the server is told what is left as a request leaves") {
  HandClock clock;
  Http2Server server(ok, TalkTls{own()});
  ApiEndpoint endpoint = endpoint_of(server);
  endpoint.server += "/base";
  auto opened = ApiClient::open(endpoint, {}, {}, {}, clock);
  REQUIRE(opened);
  Calls calls(*std::move(opened));
  calls.client->send(calls.next++, bind_within(clock, 60 * kSecond));
  clock.time += Micros{40'000'000};  // while it waits for a connection
  calls.wait_for(1);
  CHECK(calls.answers.at(1).status == 200);
  CHECK(calls.ask(bind_within(clock, 90 * kSecond)).status == 200);
  CHECK(calls.ask(bind_request()).status == 200);
  const std::vector<Http2Heard> heard = server.heard();
  REQUIRE(heard.size() == 3);
  const std::string path = "/base" + bind_request().target;
  CHECK(heard[0].fields.at(":path") == path + "?timeout=20000ms");
  CHECK(heard[1].fields.at(":path") == path + "?timeout=30000ms");
  CHECK(heard[2].fields.at(":path") == path);
}

TEST_CASE("api client over HTTP/2: that a stream begins is said before its first line, and once") {
  Http2Server server(
      [](const Http2Heard& heard) {
        if (has(heard.fields.at(":path"), "refused")) return Http2Said{"no\n", "410"};
        return Http2Said{has(heard.fields.at(":path"), "silent") ? "" : "one\ntwo\n"};
      },
      TalkTls{own()});
  Calls calls(endpoint_of(server));
  std::string said;
  calls.listener.opened = [&](std::uint64_t ticket) { said += std::to_string(ticket) + '!'; };
  calls.listener.line = [&](std::uint64_t, std::string_view line) { said += line; };
  CHECK(calls.ask(watch()).status == 200);
  ApiRequest other = watch();
  other.target = "/refused";
  CHECK(calls.ask(other).status == 410);
  other.target = "/silent";
  CHECK(calls.ask(other).status == 200);
  CHECK(calls.get().status == 200);
  CHECK(said == "1!onetwo3!");
}

TEST_CASE(
    "api client over HTTP/2: lines of a stream as they come, and a good end however it ends") {
  for (const Http2Then then : {Http2Then::kEnd, Http2Then::kReset, Http2Then::kClose}) {
    Http2Server server(
        [&](const Http2Heard&) {
          return Http2Said{"one\n\ntwo\r\nthr", "200", {}, then};
        },
        TalkTls{own()});
    Calls calls(endpoint_of(server));
    const ApiAnswer answer = calls.ask(watch());
    CHECK(answer.status == 200);
    CHECK(answer.body.empty());
    CHECK(calls.lines[1] == std::vector<std::string>{"one", "two"});
  }
  Http2Server server([](const Http2Heard&) { return Http2Said{"no\n", "410"}; }, TalkTls{own()});
  Calls calls(endpoint_of(server));
  const ApiAnswer gone = calls.ask(watch());
  CHECK(gone.status == 410);
  CHECK(gone.body == "no\n");
  CHECK(calls.lines.empty());
}

TEST_CASE("api client over HTTP/2: watches share a connection, and hold up nobody") {
  Http2Server server(
      [](const Http2Heard& heard) {
        return has(heard.fields.at(":path"), "watch")
                   ? Http2Said{"line\n", "200", {}, Http2Then::kStay}
                   : Http2Said{"ok"};
      },
      TalkTls{own()});
  Calls calls(endpoint_of(server));
  for (int i = 0; i < 12; ++i) calls.client->send(calls.next++, watch());
  CHECK(calls.ask(bind_request()).status == 200);
  while (calls.lines.size() < 12) REQUIRE(calls.client->wait(test::kPatience, calls.listener));
  CHECK(server.connections() == 2);
  calls.client->cancel(1);
  CHECK(calls.ask(request(ApiLane::kWatch)).status == 200);
  CHECK(server.connections() == 2);
  CHECK(calls.answers.size() == 2);
}

TEST_CASE("api client over HTTP/2: what the server has not looked at is sent again") {
  for (const Http2Then then : {Http2Then::kRefuse, Http2Then::kLeave}) {
    Http2Server server(at_first({"", "", {}, then}), TalkTls{own()});
    Calls calls(endpoint_of(server));
    const ApiAnswer answer = calls.ask(bind_request());
    CHECK(answer.status == 200);
    CHECK(server.heard().size() == 2);
    CHECK(server.connections() == (then == Http2Then::kLeave ? 2 : 1));
  }
  Http2Server server(
      [](const Http2Heard&) {
        return Http2Said{"", "", {}, Http2Then::kRefuse};
      },
      TalkTls{own()});
  Calls calls(endpoint_of(server));
  const ApiAnswer answer = calls.ask(bind_request());
  CHECK(answer.status == 0);
  CHECK(answer.was_not_sent);
  CHECK(server.heard().size() == 2);
}

TEST_CASE("api client over HTTP/2: what it may have looked at is not, but for GET") {
  for (const Http2Said& said :
       {Http2Said{"", "", {}, Http2Then::kClose}, Http2Said{"par", "200", {}, Http2Then::kReset}}) {
    Http2Server server(at_first(said), TalkTls{own()});
    Calls calls(endpoint_of(server));
    const ApiAnswer answer = calls.ask(bind_request());
    CHECK(answer.status == 0);
    CHECK(answer.error.code == Errc::kUnreachable);
    CHECK_FALSE(answer.was_not_sent);
    CHECK(server.heard().size() == 1);
    CHECK(calls.ask(bind_request()).status == 200);
  }
  Http2Server server(at_first({"", "", {}, Http2Then::kClose}), TalkTls{own()});
  Calls calls(endpoint_of(server));
  CHECK(calls.get().status == 200);
  CHECK(server.heard().size() == 2);
}

TEST_CASE("api client over HTTP/2: no answer in time, and what becomes of the connection") {
  Http2Server server(stay_or_ok, TalkTls{own()});
  Calls calls(endpoint_of(server));
  CHECK(calls.ask(bind_request()).status == 200);
  ApiRequest hasty = bind_request();
  hasty.body = "stay";
  hasty.timeout = Nanos{50'000'000};
  const ApiAnswer answer = calls.ask(hasty);
  CHECK(answer.error.code == Errc::kTimeout);
  CHECK(has(answer.error.what, "no answer within 50"));
  CHECK_FALSE(answer.was_not_sent);
  // Who has said nothing since it was asked may be gone.
  CHECK(calls.ask(bind_request()).status == 200);
  CHECK(server.connections() == 2);
  calls.client->send(calls.next++, hasty);
  CHECK(calls.ask(bind_request()).status == 200);
  calls.wait_for(5);
  CHECK(calls.ask(bind_request()).status == 200);
  CHECK(server.connections() == 2);
}

TEST_CASE("api client over HTTP/2: what came in time is an answer, however late somebody looks") {
  Http2Server server(ok, TalkTls{own()});
  Calls calls(endpoint_of(server));
  std::size_t asked = 0;
  for (const ApiLane lane : {ApiLane::kWrite, ApiLane::kEvent}) {
    ApiRequest hasty = bind_request();
    hasty.lane = lane;
    CHECK(calls.ask(hasty).status == 200);
    hasty.timeout = Nanos{300'000'000};
    calls.client->send(calls.next++, hasty);
    REQUIRE(calls.client->wait(Nanos{0}, calls.listener));
    const Nanos late = Nanos(steady_clock().now()) + hasty.timeout;
    asked += 2;
    while (server.heard().size() < asked || Nanos(steady_clock().now()) < late)
      std::this_thread::yield();
    calls.wait_for(asked);
    CHECK(calls.answers.at(asked).status == 200);
  }
}

// Of each connection of this process to that port, in milliseconds.
std::multiset<unsigned> unconfirmed_to(std::uint16_t port) {
  std::multiset<unsigned> found;
  for (int socket = 0; socket < 1'024; ++socket) {
    sockaddr_in peer{};
    socklen_t size = sizeof peer;
    auto* const any = reinterpret_cast<sockaddr*>(&peer);
    if (::getpeername(socket, any, &size) != 0 || ntohs(peer.sin_port) != port) continue;
    unsigned milliseconds = 0;
    size = sizeof milliseconds;
    REQUIRE(::getsockopt(socket, IPPROTO_TCP, TCP_USER_TIMEOUT, &milliseconds, &size) == 0);
    found.insert(milliseconds);
  }
  return found;
}

TEST_CASE("api client: what leaves for a peer that is silent comes no later than a lease ends") {
  for (const char* const host : {"127.0.0.1", "localhost"}) {
    CAPTURE(host);
    Http2Server server(ok, TalkTls{own()});
    ApiLimits limits;
    limits.unconfirmed_write = Nanos{2'500'000'000};
    Calls calls(endpoint_at(server, host), limits);
    const std::string url = server.url();
    const auto port = static_cast<std::uint16_t>(std::stoi(url.substr(url.rfind(':') + 1)));
    for (const ApiLane lane : {ApiLane::kWrite, ApiLane::kEvent, ApiLane::kRead, ApiLane::kLease})
      CHECK(calls.ask(request(lane)).status == 200);
    CHECK(unconfirmed_to(port) == std::multiset<unsigned>{2'500, 2'500, 12'000, 12'000});
  }
}

TEST_CASE("api client: a call that hangs leaves its connection to no other") {
  for (const auto& asker :
       {std::pair("127.0.0.1", ApiLane::kLease), std::pair("localhost", ApiLane::kLease),
        std::pair("localhost", ApiLane::kWrite)}) {
    const char* const host = asker.first;
    CAPTURE(host);
    Http2Server server(
        [](const Http2Heard& heard) {
          return heard.nth == 1 ? Http2Said{"", "", {}, Http2Then::kMute} : Http2Said{"ok"};
        },
        TalkTls{own()});
    Calls calls(endpoint_at(server, host));
    ApiRequest asked = request(asker.second);
    CHECK(calls.ask(asked).status == 200);
    asked.timeout = Nanos{300'000'000};
    CHECK(calls.ask(asked).error.code == Errc::kTimeout);
    CHECK(server.connections() == 1);
    asked.timeout = test::kPatience;
    CHECK(calls.ask(asked).status == 200);
    CHECK(server.connections() == 2);
  }
}

TEST_CASE("api client over HTTP/2: each is late in its own time, whoever has ended before") {
  Http2Server server(stay_or_ok, TalkTls{own()});
  Calls calls(endpoint_of(server));
  CHECK(calls.ask(bind_request()).status == 200);
  const std::uint64_t first = calls.next;
  for (const auto& [body, milliseconds] : {std::pair{"stay", 120}, {"", 20'000}, {"stay", 60}}) {
    ApiRequest hasty = bind_request();
    hasty.body = body;
    hasty.timeout = Nanos{milliseconds * std::int64_t{1'000'000}};
    calls.client->send(calls.next++, hasty);
  }
  calls.wait_for(4);
  CHECK(has(calls.answers.at(first).error.what, "no answer within 120"));
  CHECK(calls.answers.at(first + 1).status == 200);
  CHECK(has(calls.answers.at(first + 2).error.what, "no answer within 60"));
}

TEST_CASE("api client over HTTP/2: a server that gives no sign of life is gone") {
  Http2Server server(
      [](const Http2Heard&) {
        return Http2Said{"", "", {}, Http2Then::kMute};
      },
      TalkTls{own()});
  ApiLimits limits;
  limits.silence = limits.sign_within = Nanos{20'000'000};
  Calls calls(endpoint_of(server), limits);
  const ApiAnswer answer = calls.ask(bind_request());
  CHECK(answer.error.code == Errc::kUnreachable);
  CHECK_FALSE(answer.was_not_sent);
  CHECK(server.heard().size() == 1);
}

TEST_CASE("api client over HTTP/2: bodies, heads and lines have limits") {
  ApiLimits limits;
  limits.most_body_bytes = 1'000;
  limits.most_header_bytes = 1'000;
  limits.most_line_bytes = 1'000;
  const std::string much(1'001, 'x');
  for (const Http2Said& said :
       {Http2Said{much}, Http2Said{"", "200", {{"x-much", much}}},
        Http2Said{much, "200", {{"content-length", "1001"}}, Http2Then::kEnd}}) {
    Http2Server server(at_first(said), TalkTls{own()});
    Calls calls(endpoint_of(server), limits);
    const ApiAnswer answer = calls.ask(bind_request());
    CHECK(answer.error.code == Errc::kInvalidInput);
    CHECK(has(answer.error.what, "more than 1000 bytes"));
    CHECK(calls.ask(bind_request()).status == 200);
    CHECK(server.connections() == 1);
  }
  Http2Server server(
      [&](const Http2Heard&) {
        return Http2Said{"a\n" + much, "200", {}, Http2Then::kStay};
      },
      TalkTls{own()});
  Calls calls(endpoint_of(server), limits);
  const ApiAnswer answer = calls.ask(watch());
  CHECK(has(answer.error.what, "a line of the answer"));
  CHECK(calls.lines[1] == std::vector<std::string>{"a"});
}

TEST_CASE("api client over HTTP/2: a server may say when to come again") {
  struct Row {
    std::string word;
    int seconds;  // -1: it does not
  };
  for (const Row& row :
       {Row{"7", 7}, Row{"-1", 0}, Row{"soon", -1}, Row{"Wed, 21 Oct 2015 07:28:00 GMT", 0}}) {
    Http2Server server(
        [&](const Http2Heard&) {
          return Http2Said{"", "429", {{"retry-after", row.word}}};
        },
        TalkTls{own()});
    Calls calls(endpoint_of(server));
    const ApiAnswer answer = calls.ask(bind_request());
    CHECK(answer.status == 429);
    CHECK(answer.retry_after.has_value() == (row.seconds >= 0));
    if (answer.retry_after) CHECK(*answer.retry_after == std::chrono::seconds(row.seconds));
  }
}

TEST_CASE("api client over HTTP/2: nobody is told who we are but a server that is trusted") {
  Http2Server server(ok, TalkTls{own()});
  ApiEndpoint endpoint = endpoint_of(server);
  endpoint.tls_server_name = "other.test";
  CHECK(Calls(endpoint).ask(bind_request()).error.code == Errc::kDenied);
  endpoint = endpoint_of(server);
  endpoint.trusted = make_credentials("kube.test", kYear).certificate;
  CHECK(Calls(endpoint).ask(bind_request()).error.code == Errc::kDenied);
  CHECK(server.heard().empty());
  endpoint.verify = false;
  CHECK(Calls(endpoint).ask(bind_request()).status == 200);
}

TEST_CASE("api client over HTTP/2: a client certificate is shown where the server wants one") {
  const Credentials client = make_credentials("gedge", kYear);
  Http2Server server(ok, TalkTls{own(), client.certificate});
  ApiEndpoint endpoint = endpoint_of(server);
  CHECK(Calls(endpoint).ask(bind_request()).status == 0);
  CHECK(server.heard().empty());
  endpoint.identity.certificate = client.certificate;
  endpoint.identity.key = Secret(client.key);
  CHECK(Calls(endpoint).ask(bind_request()).status == 200);
}

TEST_CASE("api client over HTTP/2: a server that speaks HTTP/1.1 alone is asked so") {
  for (const bool chooses_http1 : {false, true}) {
    CAPTURE(chooses_http1);
    test::TalkingServer server([](const test::Heard&) { return test::Said{{test::whole("ok")}}; },
                               TalkTls{own(), {}, chooses_http1});
    ApiEndpoint endpoint;
    endpoint.server = server.url();
    endpoint.tls_server_name = "kube.test";
    endpoint.trusted = own().certificate;
    Calls calls(endpoint);
    for (int i = 0; i < 5; ++i) CHECK(calls.ask(bind_request()).status == 200);
    CHECK(calls.ask(request(ApiLane::kRead)).status == 200);
    CHECK(server.heard().size() == 6);
    // The first one was that of somebody who wanted HTTP/2; then there is one a lane.
    CHECK(server.connections() == 3);
    CHECK_FALSE(calls.client->pings());
  }
}

}  // namespace gedge
