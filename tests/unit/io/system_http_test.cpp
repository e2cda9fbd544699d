#include "gedge/io/system_http.hpp"

#include <doctest/doctest.h>

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "scripted_server.hpp"

namespace gedge {
namespace {

using test::answer;
using test::ScriptedServer;
using test::Then;

using Outcomes = std::map<std::size_t, Result<HttpAnswer>>;

Outcomes fetch(const std::vector<HttpCall>& calls, const HttpTerms& terms = {}) {
  Outcomes outcomes;
  SystemHttp http;
  const Status status = http.fetch(calls, terms, [&](std::size_t call, Result<HttpAnswer> outcome) {
    REQUIRE(outcomes.emplace(call, std::move(outcome)).second);
  });
  REQUIRE(status);
  REQUIRE(outcomes.size() == calls.size());
  return outcomes;
}

Result<HttpAnswer> fetch_one(const std::string& url, const HttpTerms& terms = {}) {
  return fetch({{url, {}}}, terms).at(0);
}

HttpTerms hasty() {
  HttpTerms terms;
  terms.timeout = Micros{300'000};
  return terms;
}

bool has(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("http client: status and body come whole, over IPv4 and IPv6") {
  for (const bool v6 : {false, true}) {
    ScriptedServer server(answer("{\"a\": 1}\n"), Then::kClose, v6);
    const auto outcome = fetch_one(server.url() + "/matrix.json?x=1");
    REQUIRE(outcome);
    CHECK(outcome->status == 200);
    CHECK(outcome->body == "{\"a\": 1}\n");
    REQUIRE(server.requests().size() == 1);
    CHECK(server.requests()[0].starts_with("GET /matrix.json?x=1 HTTP/1.1\r\n"));
    CHECK(has(server.requests()[0], "\r\nUser-Agent: gedge\r\n"));
    CHECK_FALSE(has(server.requests()[0], "Authorization"));
    CHECK_FALSE(has(server.requests()[0], "Accept-Encoding"));
  }
}

TEST_CASE("http client: a status that is no success is an answer, a redirect is not followed") {
  ScriptedServer gone(answer("no\n", "404 Not Found"));
  CHECK(fetch_one(gone.url())->status == 404);
  ScriptedServer elsewhere(answer("secret"));
  ScriptedServer moved("HTTP/1.1 307 Moved\r\nContent-Length: 0\r\nLocation: " + elsewhere.url() +
                       "/x\r\n\r\n");
  const auto outcome = fetch({{moved.url(), "s3cr3t"}}).at(0);
  REQUIRE(outcome);
  CHECK(outcome->status == 307);
  CHECK(outcome->location == elsewhere.url() + "/x");
  CHECK(elsewhere.requests().empty());
}

TEST_CASE("http client: many calls at once, each is told once, one failure stops no other") {
  ScriptedServer good(answer("good")), broken("no HTTP at all\n");
  std::vector<HttpCall> calls;
  for (int i = 0; i < 50; ++i) calls.push_back({i % 5 == 3 ? broken.url() : good.url(), {}});
  HttpTerms terms;
  terms.most_at_once = 7;
  const Outcomes outcomes = fetch(calls, terms);
  for (const auto& [call, outcome] : outcomes) {
    CHECK(static_cast<bool>(outcome) == (call % 5 != 3));
    if (!outcome) CHECK(has(outcome.error().what, "does not speak HTTP"));
  }
}

TEST_CASE("http client: a token goes to this machine or over TLS, and nowhere else") {
  ScriptedServer server(answer("ok"));
  CHECK(fetch({{server.url(), "t0ken"}}).at(0));
  CHECK(has(server.requests()[0], "\r\nAuthorization: Bearer t0ken\r\n"));
  const auto readable = fetch({{"http://192.0.2.1/", "t0ken"}}).at(0);
  REQUIRE_FALSE(readable);
  CHECK(has(readable.error().what, "readable on its way"));
  for (const std::string token : {"a b", "a\r\nX: y", "a\n", "\x80"}) {
    const auto outcome = fetch({{server.url(), token}}).at(0);
    REQUIRE_FALSE(outcome);
    CHECK_FALSE(has(outcome.error().what, token));
  }
  CHECK(server.requests().size() == 1);
}

TEST_CASE("http client: an answer that never comes, never ends or breaks off is an error in time") {
  ScriptedServer silent("", Then::kHang), half("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc"),
      slow("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc", Then::kHang), closed("");
  const auto never = fetch_one(silent.url(), hasty());
  REQUIRE_FALSE(never);
  CHECK(never.error().code == Errc::kTimeout);
  CHECK(has(never.error().what, " within 300ms"));  // on a busy machine not even connected
  const auto unended = fetch_one(slow.url(), hasty());
  REQUIRE_FALSE(unended);
  CHECK(unended.error().code == Errc::kTimeout);
  CHECK(has(unended.error().what, " within 300ms"));
  ScriptedServer headless("HTTP/1.1 200 OK\r\nContent-Len");
  for (const ScriptedServer* server : {&half, &closed, &headless}) {
    const auto outcome = fetch_one(server->url());
    REQUIRE_FALSE(outcome);
    CHECK(outcome.error().code == Errc::kUnreachable);
    CHECK(has(outcome.error().what, "the connection broke off"));
  }
}

TEST_CASE("http client: endless data and endless headers end at their bounds") {
  const std::string head = "HTTP/1.1 200 OK\r\n";
  ScriptedServer data(head + "\r\n", Then::kSendOn), headers(head, Then::kSendOn),
      honest(answer(std::string(2'000, 'x')));
  HttpTerms terms;
  terms.most_body_bytes = 1'000;
  terms.most_header_bytes = 500;
  for (const auto& [url, words] : {std::pair{data.url(), "answer has more than 1000 bytes"},
                                   std::pair{honest.url(), "answer has more than 1000 bytes"},
                                   std::pair{headers.url(), "headers of the answer have more"}}) {
    const auto outcome = fetch_one(url, terms);
    REQUIRE_FALSE(outcome);
    CHECK(outcome.error().code == Errc::kInvalidInput);
    CHECK(has(outcome.error().what, words));
  }
  terms.most_body_bytes = 2'000;
  CHECK(fetch_one(honest.url(), terms));
}

TEST_CASE("http client: nobody there, no such name, no TLS") {
  std::string url;
  {
    ScriptedServer gone("");
    url = gone.url();
  }
  const auto refused = fetch_one(url);
  REQUIRE_FALSE(refused);
  CHECK(refused.error().code == Errc::kUnreachable);
  CHECK(has(refused.error().what, "connection refused"));
  CHECK_FALSE(fetch_one("http://nobody.invalid/", hasty()));
  ScriptedServer plain("this is no TLS\n", Then::kTalkFirst);
  const auto untrusted = fetch_one("https" + plain.url().substr(4));
  REQUIRE_FALSE(untrusted);
  CHECK(has(untrusted.error().what, "no TLS with it"));
}

TEST_CASE("http client: only http and https, without users, passwords and line ends") {
  for (const std::string url :
       {"file:///etc/passwd", "ftp://127.0.0.1/", "gopher://127.0.0.1/", "127.0.0.1", "", "http://",
        "http://a b/", "http://a/\r\nX: y", "http://me:secret@127.0.0.1/", "http://127.0.0.1/#x"}) {
    CAPTURE(url);
    CHECK_FALSE(take_url_apart(url));
    const auto outcome = fetch_one(url);
    REQUIRE_FALSE(outcome);
    CHECK(outcome.error().code == Errc::kInvalidInput);
    CHECK_FALSE(has(outcome.error().what + outcome.error().hint, "secret"));
  }
}

TEST_CASE("http client: a URL is taken apart as it will be used") {
  const auto plain = take_url_apart("http://Edge-1:8787");
  REQUIRE(plain);
  CHECK(plain->host == "Edge-1");
  CHECK(plain->bare);
  CHECK(plain->url == "http://Edge-1:8787/");
  CHECK_FALSE(take_url_apart("http://edge-1/?a=b")->bare);
  CHECK_FALSE(plain->secure);
  const auto v6 = take_url_apart("https://[fd00::7]:8787/a/b?c=d");
  REQUIRE(v6);
  CHECK(v6->host == "fd00::7");
  CHECK_FALSE(v6->bare);
  CHECK(v6->secure);
  CHECK(v6->url == "https://[fd00::7]:8787/a/b?c=d");
}

}  // namespace gedge
