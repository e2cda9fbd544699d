// The API client as somebody whose credentials change.
#include <doctest/doctest.h>

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "api_calls.hpp"
#include "support/folder.hpp"
#include "talking_server.hpp"

namespace gedge {
namespace {

using test::bind_request;
using test::Calls;
using test::Credentials;
using test::Folder;
using test::Heard;
using test::kYear;
using test::make_credentials;
using test::Said;
using test::TalkingServer;
using test::TalkTls;
using test::watch;
using test::whole;

bool has(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

/// Knows one token.
struct Guarded {
  explicit Guarded(std::string token)
      : own(make_credentials("localhost", kYear)),
        server(
            [token = std::move(token)](const Heard& heard) {
              const bool known = heard.has("\r\nAuthorization: Bearer " + token + "\r\n");
              return Said{
                  {whole(known ? "welcome" : "who?", known ? "200 OK" : "401 Unauthorized")}};
            },
            TalkTls{own}) {}

  ApiEndpoint endpoint(std::string token = {}) const {
    ApiEndpoint endpoint;
    endpoint.server = server.url("localhost");
    endpoint.trusted = own.certificate;
    endpoint.identity.token = Secret(std::move(token));
    return endpoint;
  }

  Credentials own;
  TalkingServer server;
};

Calls calls_with(ApiEndpoint endpoint, CredentialSource source) {
  auto opened = ApiClient::open(std::move(endpoint), {}, std::move(source));
  REQUIRE(opened);
  return Calls(*std::move(opened));
}

CredentialSource script(const Folder& folder, const std::string& text) {
  CredentialSource source;
  CredentialHelper& helper = source.helper.emplace();
  helper.command = "sh";
  helper.arguments = {folder.put("helper.sh", text)};
  return source;
}

std::string answer(const std::string& token) {
  return R"(echo '{"apiVersion": "client.authentication.k8s.io/v1", "kind": "ExecCredential", )"
         R"("status": {"token": ")" +
         token + "\"}}'\n";
}

}  // namespace

TEST_CASE("api client: who was refused reads the token again and asks once more") {
  const Guarded guarded("new");
  const Folder folder;
  CredentialSource source;
  source.files.token = folder.put("token", "new\n");
  Calls calls = calls_with(guarded.endpoint("old"), source);
  const ApiAnswer bound = calls.ask(bind_request());
  CHECK(bound.status == 200);
  CHECK(bound.body == "welcome");
  const auto heard = guarded.server.heard();
  REQUIRE(heard.size() == 2);
  CHECK(heard[0].has("Bearer old"));
  CHECK(heard[1].body == bind_request().body);
  CHECK(heard[1].has("Content-Type: application/json"));
  // Another token is no reason for another connection.
  CHECK(guarded.server.connections() == 1);
  CHECK(calls.ask(bind_request()).status == 200);
  CHECK(guarded.server.heard().size() == 3);
}

TEST_CASE("api client: who is asked once more is not given the whole time again") {
  struct Sleeper final : Clock {
    std::atomic<std::int64_t> slept{1'000'000};
    Micros now() const override { return Micros(slept.load()); }
  } clock;
  const Credentials own = make_credentials("localhost", kYear);
  TalkingServer server(
      [&](const Heard& heard) {
        clock.slept += 80'000'000;
        return Said{{heard.has("Bearer new") ? whole("ok") : whole("who?", "401 Unauthorized")}};
      },
      TalkTls{own});
  ApiEndpoint endpoint;
  endpoint.server = server.url("localhost");
  endpoint.trusted = own.certificate;
  endpoint.identity.token = Secret("old");
  const Folder folder;
  CredentialSource source;
  source.files.token = folder.put("token", "new\n");
  auto opened = ApiClient::open(endpoint, {}, source, {}, clock);
  REQUIRE(opened);
  Calls calls(*std::move(opened));
  ApiRequest bind = bind_request();
  bind.send_by = Nanos(clock.now()) + Nanos{100'000'000'000};
  bind.ends_by_then = true;
  CHECK(calls.ask(bind).status == 200);
  const auto heard = server.heard();
  REQUIRE(heard.size() == 2);
  CHECK(heard[0].has("/binding?timeout=30000ms HTTP/1.1\r\n"));
  CHECK(heard[1].has("/binding?timeout=20000ms HTTP/1.1\r\n"));
}

TEST_CASE("api client: a refusal that nothing helps against is an answer") {
  const Guarded guarded("new");
  const Folder folder;
  CredentialSource source;
  source.files.token = folder.put("token", "wrong");
  Calls calls = calls_with(guarded.endpoint("wrong"), source);
  for (int i = 0; i < 20; ++i) {
    const ApiAnswer answer = calls.ask(i == 7 ? watch() : bind_request());
    CHECK(answer.status == 401);
    CHECK(answer.body == "who?");
  }
  CHECK(guarded.server.heard().size() == 20);
}

TEST_CASE("api client: requests wait for the program that says who we are, which runs once") {
  const Guarded guarded("abc");
  const Folder folder;
  const std::string log = folder / "log";
  Calls calls =
      calls_with(guarded.endpoint(), script(folder, "echo >> " + log + "\n" + answer("abc")));
  for (int i = 0; i < 30; ++i) calls.client->send(calls.next++, bind_request());
  calls.client->cancel(7);
  calls.wait_for(29);
  for (const auto& [ticket, answer] : calls.answers) CHECK(answer.status == 200);
  CHECK(calls.answers.count(7) == 0);
  CHECK(std::filesystem::file_size(log) == 1);
  CHECK(guarded.server.heard().size() == 29);
}

TEST_CASE("api client: a program whose token is refused is asked once more, not without end") {
  const Guarded guarded("abc");
  const Folder folder;
  const std::string log = folder / "log";
  Calls calls =
      calls_with(guarded.endpoint(), script(folder, "echo >> " + log + "\n" + answer("wrong")));
  for (int i = 0; i < 20; ++i) CHECK(calls.ask(bind_request()).status == 401);
  // The pauses double from a second on: this many would take a quarter of an hour.
  CHECK(std::filesystem::file_size(log) >= 2);
  CHECK(std::filesystem::file_size(log) <= 12);
  CHECK(guarded.server.heard().size() <= 20 + 12);
}

TEST_CASE("api client: without a program that says who we are nothing is sent") {
  const Guarded guarded("abc");
  CredentialSource source;
  source.helper.emplace().command = "/nowhere/helper";
  source.helper->install_hint = "get it";
  Calls calls = calls_with(guarded.endpoint(), source);
  for (int i = 0; i < 3; ++i) {
    const ApiAnswer answer = calls.ask(bind_request());
    CHECK(answer.status == 0);
    CHECK(answer.was_not_sent);
    CHECK(answer.error.code == Errc::kDenied);
    CHECK(has(answer.error.what, "/nowhere/helper"));
    CHECK(answer.error.hint == "get it");
  }
  CHECK(guarded.server.heard().empty());
}

TEST_CASE("api client: a request does not wait longer than it may for who we are") {
  const Guarded guarded("abc");
  const Folder folder;
  Calls calls = calls_with(guarded.endpoint(), script(folder, "sleep 100000\n"));
  ApiRequest hasty = bind_request();
  hasty.timeout = Nanos{50'000'000};
  const ApiAnswer answer = calls.ask(hasty);
  CHECK(answer.error.code == Errc::kTimeout);
  CHECK(answer.was_not_sent);
}

TEST_CASE("api client: over http no program is asked who we are") {
  TalkingServer server([](const Heard&) { return Said{{whole("ok")}}; });
  const Folder folder;
  const std::string log = folder / "log";
  ApiEndpoint endpoint;
  endpoint.server = server.url();
  Calls calls = calls_with(endpoint, script(folder, "echo >> " + log + "\n" + answer("abc")));
  CHECK(calls.get().status == 200);
  CHECK_FALSE(std::filesystem::exists(log));
  CHECK_FALSE(server.heard().at(0).has("Authorization"));
}

TEST_CASE("api client: a program may say it with a certificate") {
  const Credentials own = make_credentials("localhost", kYear),
                    client = make_credentials("gedge", kYear);
  TalkingServer server([](const Heard&) { return Said{{whole("ok")}}; },
                       TalkTls{own, client.certificate});
  ApiEndpoint endpoint;
  endpoint.server = server.url("localhost");
  endpoint.trusted = own.certificate;
  const auto escaped = [](std::string pem) {
    for (std::size_t at = 0; (at = pem.find('\n', at)) != std::string::npos;)
      pem.replace(at, 1, "\\n");
    return pem;
  };
  const Folder folder;
  const std::string credential =
      folder.put("answer", R"({"apiVersion": "client.authentication.k8s.io/v1", "kind":
          "ExecCredential", "status": {"clientCertificateData": ")" +
                               escaped(client.certificate) + R"(", "clientKeyData": ")" +
                               escaped(client.key) + "\"}}");
  Calls calls = calls_with(endpoint, script(folder, "cat " + credential + "\n"));
  CHECK(calls.ask(bind_request()).status == 200);
  // Half a pair, of another one, or expired: found out before anybody is asked.
  const Credentials other = make_credentials("gedge", kYear), old = make_credentials("gedge", -60);
  endpoint.identity = {{}, client.certificate, Secret(other.key)};
  CHECK(ApiClient::open(endpoint).error().code == Errc::kInvalidInput);
  endpoint.identity = {{}, old.certificate, Secret(old.key)};
  const auto opened = ApiClient::open(endpoint);
  CHECK(opened.error().code == Errc::kDenied);
  CHECK(has(opened.error().what, "has expired on 20"));
}

TEST_CASE("api client: a certificate that was renewed on disk is shown on the next connection") {
  const Credentials own = make_credentials("localhost", kYear),
                    old = make_credentials("old", kYear), fresh = make_credentials("new", kYear);
  std::atomic<bool> is_revoked = false;
  TalkingServer server(
      [&](const Heard& heard) {
        const bool is_known = !is_revoked || heard.client == fresh.certificate;
        return Said{{whole(is_known ? "ok" : "who?", is_known ? "200 OK" : "401 Unauthorized")}};
      },
      TalkTls{own, old.certificate + fresh.certificate});
  const Folder folder;
  CredentialSource source;
  source.files.certificate = folder.put("client.crt", old.certificate);
  source.files.key = folder.put("client.key", old.key);
  ApiEndpoint endpoint;
  endpoint.server = server.url("localhost");
  endpoint.trusted = own.certificate;
  endpoint.identity.certificate = old.certificate;
  endpoint.identity.key = Secret(old.key);
  Calls calls = calls_with(endpoint, source);
  CHECK(calls.ask(bind_request()).status == 200);
  folder.put("client.crt", fresh.certificate);
  folder.put("client.key", fresh.key);
  is_revoked = true;
  CHECK(calls.ask(bind_request()).status == 200);
  CHECK(calls.ask(bind_request()).status == 200);
  const std::vector<Heard> heard = server.heard();
  REQUIRE(heard.size() == 4);
  const std::vector<std::size_t> connections{0, 0, 1, 1};
  for (std::size_t i = 0; i < heard.size(); ++i) {
    CHECK(heard[i].connection == connections[i]);
    CHECK(heard[i].client == (i < 2 ? old : fresh).certificate);
  }
}

}  // namespace gedge
