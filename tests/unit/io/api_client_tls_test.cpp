// The API client over TLS: whom it believes, and to whom it says who we are.
#include <doctest/doctest.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <sys/socket.h>

#include <string>
#include <string_view>
#include <utility>

#include "api_calls.hpp"
#include "io/client_tls.hpp"
#include "io/descriptor.hpp"
#include "io/socket_address.hpp"
#include "talking_server.hpp"

namespace gedge {
namespace {

using test::bind_request;
using test::Calls;
using test::Credentials;
using test::Heard;
using test::kYear;
using test::make_credentials;
using test::Said;
using test::TalkingServer;
using test::TalkTls;
using test::whole;

bool has(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

Said ok(const Heard&) { return {{whole("ok")}}; }

ApiEndpoint endpoint_of(const TalkingServer& server, std::string trusted) {
  ApiEndpoint endpoint;
  endpoint.server = server.url("localhost");
  endpoint.trusted = std::move(trusted);
  return endpoint;
}

Descriptor connect_to(const TalkingServer& server) {
  IpAddress at;
  at.bytes = {127, 0, 0, 1};
  at.port = server.port();
  const SocketAddress address = to_socket_address(at);
  Descriptor socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  REQUIRE(::connect(socket.get(), &address.any, length_of(address)) == 0);
  return socket;
}

}  // namespace

TEST_CASE("api client: over TLS a token goes along, on one connection") {
  const Credentials own = make_credentials("localhost", kYear);
  TalkingServer server(ok, TalkTls{own});
  ApiEndpoint endpoint = endpoint_of(server, own.certificate);
  endpoint.identity.token = Secret("t0ken");
  Calls calls(endpoint);
  for (int i = 0; i < 5; ++i) CHECK(calls.ask(bind_request()).status == 200);
  CHECK(server.connections() == 1);
  for (const Heard& heard : server.heard()) CHECK(heard.has("\r\nAuthorization: Bearer t0ken\r\n"));
}

TEST_CASE("api client: no credentials over http, not even to this machine") {
  TalkingServer server(ok);
  const Credentials own = make_credentials("someone", kYear);
  ApiEndpoint endpoint;
  endpoint.server = server.url();
  endpoint.identity = {Secret("t0ken"), own.certificate, Secret(own.key)};
  Calls calls(endpoint);
  CHECK(calls.get().status == 200);
  REQUIRE(server.heard().size() == 1);
  CHECK_FALSE(has(server.heard()[0].head, "Authorization"));
  CHECK_FALSE(has(server.heard()[0].head, "t0ken"));
}

TEST_CASE("api client: a server of another name, an unknown one and one of yesterday are refused") {
  const Credentials other = make_credentials("elsewhere", kYear),
                    own = make_credentials("localhost", kYear),
                    old = make_credentials("localhost", -60);
  for (const auto& [shown, trusted] : {std::pair(other, other), std::pair(own, other),
                                       std::pair(old, old), std::pair(own, Credentials{})}) {
    TalkingServer server(ok, TalkTls{shown});
    ApiEndpoint endpoint = endpoint_of(server, trusted.certificate);
    endpoint.identity.token = Secret("t0ken");
    Calls calls(endpoint);
    const ApiAnswer answer = calls.ask(bind_request());
    CHECK(answer.status == 0);
    CHECK(answer.error.code == Errc::kDenied);
    CHECK(has(answer.error.what, "its certificate is not trusted"));
    CHECK(answer.was_not_sent);
    CHECK(server.heard().empty());
    // Whoever answers is believed, where the user says so.
    endpoint.verify = false;
    Calls careless(endpoint);
    CHECK(careless.get().status == 200);
  }
}

TEST_CASE("api client: a server of TLS 1.1 is refused, and hears nothing of who asks") {
  const Credentials own = make_credentials("localhost", kYear),
                    client = make_credentials("gedge", kYear);
  for (const bool by_address : {false, true}) {
    for (const int highest : {TLS1_1_VERSION, TLS1_2_VERSION}) {
      CAPTURE(by_address);
      CAPTURE(highest);
      TalkTls tls{own};
      tls.highest = highest;
      TalkingServer server(ok, tls);
      ApiEndpoint endpoint = endpoint_of(server, own.certificate);
      endpoint.identity = {Secret("t0ken"), client.certificate, Secret(client.key)};
      if (by_address) {
        endpoint.server = server.url("127.0.0.1");
        endpoint.tls_server_name = "localhost";
      }
      const ApiAnswer answer = Calls(endpoint).ask(bind_request());
      const bool is_old = highest == TLS1_1_VERSION;
      CHECK(answer.status == (is_old ? 0U : 200U));
      CHECK(server.heard().empty() == is_old);
      if (!is_old) continue;
      CHECK(answer.error.code == Errc::kUnreachable);
      CHECK(has(answer.error.what, "no TLS with it"));
      CHECK(answer.was_not_sent);
      // Who is named by an address is asked for HTTP/2 before.
      CHECK(server.connections() >= (by_address ? 2U : 1U));
    }
  }
}

TEST_CASE("client tls: nothing before 1.2 is spoken, on whatever level of security") {
  const Credentials own = make_credentials("localhost", kYear);
  TalkTls tls{own};
  tls.highest = TLS1_1_VERSION;
  TalkingServer server(ok, tls);
  for (const bool is_lowered : {false, true}) {
    CAPTURE(is_lowered);
    const ClientTls context = make_client_tls(endpoint_of(server, own.certificate));
    REQUIRE((context != nullptr));
    SSL_CTX_set_security_level(context.get(), 0);
    if (is_lowered) SSL_CTX_set_min_proto_version(context.get(), TLS1_1_VERSION);
    const Descriptor socket = connect_to(server);
    const TlsSession session = make_tls_session(context.get(), socket.get(), "localhost");
    REQUIRE((session != nullptr));
    CHECK((SSL_do_handshake(session.get()) == 1) == is_lowered);
    ERR_clear_error();
  }
}

TEST_CASE("api client: the name that a certificate must have can be another one than the host's") {
  const Credentials own = make_credentials("kube.test", kYear);
  TalkingServer server(ok, TalkTls{own});
  ApiEndpoint endpoint;
  endpoint.server = server.url("127.0.0.1");
  endpoint.trusted = own.certificate;
  CHECK(Calls(endpoint).get().error.code == Errc::kDenied);
  endpoint.tls_server_name = "kube.test";
  CHECK(Calls(endpoint).get().status == 200);
  REQUIRE(server.heard().size() == 1);
  CHECK(server.heard()[0].has("\r\nHost: 127.0.0.1:" + std::to_string(server.port()) + "\r\n"));
}

TEST_CASE("api client: a client certificate is shown where the server wants one") {
  const Credentials own = make_credentials("localhost", kYear),
                    client = make_credentials("gedge", kYear);
  TalkingServer server(ok, TalkTls{own, client.certificate});
  ApiEndpoint endpoint = endpoint_of(server, own.certificate);
  CHECK(Calls(endpoint).ask(bind_request()).status == 0);
  CHECK(server.heard().empty());
  endpoint.identity.certificate = client.certificate;
  endpoint.identity.key = Secret(client.key);
  Calls calls(endpoint);
  CHECK(calls.ask(bind_request()).status == 200);
  CHECK(calls.ask(bind_request()).status == 200);
  CHECK(server.heard().size() == 2);
  // Of another pair, and what is none at all.
  for (const std::string& key : {make_credentials("gedge", kYear).key, std::string("none")}) {
    endpoint.identity.key = Secret(key);
    CHECK(ApiClient::open(endpoint).error().code == Errc::kInvalidInput);
  }
}

TEST_CASE("api client: certificates that cannot be read, and a server without TLS") {
  const Credentials own = make_credentials("localhost", kYear);
  TalkingServer server(ok, TalkTls{own});
  const ApiAnswer unread = Calls(endpoint_of(server, "no PEM")).get();
  CHECK(unread.status == 0);
  CHECK(unread.was_not_sent);
  CHECK(unread.error.code == Errc::kInvalidInput);
  TalkingServer plain([](const Heard&) { return Said{{whole("ok")}}; });
  ApiEndpoint endpoint;
  endpoint.server = "https" + plain.url().substr(4);
  endpoint.identity.token = Secret("t0ken");
  ApiRequest hasty = bind_request();
  hasty.timeout = Nanos{300'000'000};  // the server waits for the end of a request that never comes
  const ApiAnswer answer = Calls(endpoint).ask(hasty);
  CHECK(answer.status == 0);
  CHECK(answer.was_not_sent);
  CHECK(plain.heard().empty());
}

TEST_CASE("api client: another user is named in headers, and none smuggles one") {
  TalkingServer server(ok);
  ApiEndpoint endpoint;
  endpoint.server = server.url();
  endpoint.as = {"jane", "42", {"dev", "ops"}, {{"example.org/scope x", {"a", "b"}}}};
  CHECK(Calls(endpoint).get().status == 200);
  const Heard heard = server.heard().at(0);
  for (const char* line :
       {"Impersonate-User: jane", "Impersonate-Uid: 42", "Impersonate-Group: dev",
        "Impersonate-Group: ops", "Impersonate-Extra-example.org%2Fscope%20x: a",
        "Impersonate-Extra-example.org%2Fscope%20x: b"})
    CHECK(heard.has("\r\n" + std::string(line) + "\r\n"));
  endpoint.as.groups.push_back("x\r\nAuthorization: y");
  CHECK_FALSE(ApiClient::open(endpoint));
  endpoint.as = {{}, {}, {"dev"}, {}};
  CHECK_FALSE(ApiClient::open(endpoint));
}

TEST_CASE(
    "api client: an endpoint that nobody can be asked at is refused at once, without secrets") {
  for (const std::string server :
       {"", "10.0.0.1:6443", "ftp://x", "https://me:s3cret@x", "https://x/?q=1"}) {
    CAPTURE(server);
    ApiEndpoint endpoint;
    endpoint.server = server;
    const auto opened = ApiClient::open(endpoint);
    REQUIRE_FALSE(opened);
    CHECK(opened.error().code == Errc::kInvalidInput);
    CHECK_FALSE(has(opened.error().what + opened.error().hint, "s3cret"));
  }
  for (const std::string token : {"s3cret x", "s3cret\n", "s3cret\r\nX: y"}) {
    ApiEndpoint endpoint;
    endpoint.server = "https://127.0.0.1";
    endpoint.identity.token = Secret(token);
    const auto opened = ApiClient::open(endpoint);
    REQUIRE_FALSE(opened);
    CHECK_FALSE(has(opened.error().what + opened.error().hint, "s3cret"));
  }
}

TEST_CASE("api client: a path in the URL of the server stands before every target") {
  TalkingServer server(ok);
  ApiEndpoint endpoint;
  endpoint.server = server.url() + "/k8s/clusters/c-1/";
  CHECK(Calls(endpoint).get("/api/v1/nodes").status == 200);
  CHECK(server.heard().at(0).has("GET /k8s/clusters/c-1/api/v1/nodes HTTP/1.1\r\n"));
}

TEST_CASE("api client: the server is told what is left of the time as a request leaves") {
  struct HandClock final : Clock {
    Micros time{1'000'000};
    Micros now() const override { return time; }
  } clock;
  const Credentials own = make_credentials("localhost", kYear);
  TalkingServer server(ok, TalkTls{own});
  ApiEndpoint endpoint = endpoint_of(server, own.certificate);
  endpoint.server += "/base";
  auto opened = ApiClient::open(endpoint, {}, {}, {}, clock);
  REQUIRE(opened);
  Calls calls(*std::move(opened));
  ApiRequest bind = bind_request();
  bind.send_by = Nanos(clock.time) + Nanos{60'000'000'000};
  bind.ends_by_then = true;
  calls.client->send(calls.next++, bind);
  clock.time += Micros{40'000'000};  // while it waits for a connection
  calls.wait_for(1);
  CHECK(calls.answers.at(1).status == 200);
  CHECK(calls.ask(bind_request()).status == 200);
  const std::string line = "POST /base" + bind_request().target;
  REQUIRE(server.heard().size() == 2);
  CHECK(server.heard()[0].has(line + "?timeout=20000ms HTTP/1.1\r\n"));
  CHECK(server.heard()[1].has(line + " HTTP/1.1\r\n"));
}

TEST_CASE(
    "api client: the proxy that is named gets the request, that of the environment does not") {
  TalkingServer proxy(ok), server(ok);
  ::setenv("http_proxy", proxy.url().c_str(), 1);
  ApiEndpoint endpoint;
  endpoint.server = server.url();
  CHECK(Calls(endpoint).get().status == 200);
  ::unsetenv("http_proxy");
  CHECK(proxy.heard().empty());
  endpoint.server = "http://kube.invalid";
  endpoint.proxy = Secret(proxy.url());
  CHECK(Calls(endpoint).get().status == 200);
  REQUIRE(proxy.heard().size() == 1);
  CHECK(proxy.heard()[0].has("GET http://kube.invalid/api HTTP/1.1\r\n"));
}

}  // namespace gedge
