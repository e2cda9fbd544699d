// The API client behind a proxy of HTTP: TLS goes through it, and it learns only where that leads.
#include <doctest/doctest.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/socket.h>

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api_calls.hpp"
#include "io/descriptor.hpp"
#include "io/socket_address.hpp"
#include "talking_server.hpp"
#include "tls_listener.hpp"

namespace gedge {
namespace {

using test::After;
using test::bind_request;
using test::Calls;
using test::Credentials;
using test::Heard;
using test::kYear;
using test::make_credentials;
using test::Said;
using test::TalkingServer;
using test::TalkTls;
using test::TlsListener;
using test::whole;

bool has(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

Said ok(const Heard&) { return {{whole("ok")}}; }

/// Leads everybody to one port of loopback, whatever name it is asked for.
class LeadingProxy {
 public:
  /// `refusal`: what it says instead of leading on; then it hangs up.
  explicit LeadingProxy(std::uint16_t to, std::optional<std::string> refusal = {})
      : to_(to), refusal_(std::move(refusal)), listener_(std::nullopt) {
    listener_.start([this](const TlsListener::Link& link) { lead(link.socket); });
  }

  std::string place() const { return "127.0.0.1:" + std::to_string(listener_.port()); }
  std::string url(const std::string& user = {}) const { return "http://" + user + place(); }
  /// Heads of requests.
  std::vector<std::string> asked() const {
    const std::lock_guard lock(mutex_);
    return asked_;
  }
  /// All that went on to the server.
  std::string passed() const {
    const std::lock_guard lock(mutex_);
    return passed_;
  }

 private:
  static bool send(int to, std::string_view bytes) {
    while (!bytes.empty()) {
      const ssize_t sent = ::send(to, bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (sent <= 0) return false;
      bytes.remove_prefix(static_cast<std::size_t>(sent));
    }
    return true;
  }
  static bool receive(int from, std::string& into) {
    char buffer[16'384];
    const ssize_t came = ::recv(from, buffer, sizeof buffer, 0);
    if (came <= 0) return false;
    into.append(buffer, static_cast<std::size_t>(came));
    return true;
  }

  void lead(int client) {
    std::string head;
    // Whoever wants to be led on says no more before there is an answer.
    while (!head.ends_with("\r\n\r\n"))
      if (!receive(client, head)) return;
    {
      const std::lock_guard lock(mutex_);
      asked_.push_back(head);
    }
    if (refusal_) {
      send(client, *refusal_);
      return;
    }
    const Descriptor server(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    IpAddress at;
    at.bytes = {127, 0, 0, 1};
    at.port = to_;
    const SocketAddress address = to_socket_address(at);
    if (::connect(server.get(), &address.any, length_of(address)) != 0) return;
    if (send(client, "HTTP/1.1 200 Connection established\r\n\r\n")) pass(client, server.get());
  }

  // Until one of them hangs up.
  void pass(int client, int server) {
    pollfd ends[] = {{client, POLLIN, 0}, {server, POLLIN, 0}};
    while (::poll(ends, 2, -1) > 0) {
      std::string there, back;
      if (ends[0].revents != 0 && !receive(client, there)) return;
      if (ends[1].revents != 0 && !receive(server, back)) return;
      {
        const std::lock_guard lock(mutex_);
        passed_ += there;
      }
      if (!send(server, there) || !send(client, back)) return;
    }
  }

  std::uint16_t to_;
  std::optional<std::string> refusal_;
  mutable std::mutex mutex_;
  std::vector<std::string> asked_;
  std::string passed_;
  TlsListener listener_;  // the last: its threads use all that stands before
};

/// Whom the environment names as proxies: nobody, but for what is set. In the end it is as before.
class ProxyVariables {
 public:
  ProxyVariables() {
    for (const char* const name : {"http_proxy", "https_proxy", "HTTPS_PROXY", "all_proxy",
                                   "ALL_PROXY", "no_proxy", "NO_PROXY"}) {
      std::optional<std::string> value;
      if (const char* const known = ::getenv(name)) value = known;
      before_.emplace_back(name, std::move(value));
      ::unsetenv(name);
    }
  }
  ProxyVariables(const ProxyVariables&) = delete;
  ProxyVariables& operator=(const ProxyVariables&) = delete;
  ~ProxyVariables() {
    for (const auto& [name, value] : before_) {
      if (value)
        ::setenv(name, value->c_str(), 1);
      else
        ::unsetenv(name);
    }
  }
  void set(const char* name, const std::string& value) { ::setenv(name, value.c_str(), 1); }

 private:
  std::vector<std::pair<const char*, std::optional<std::string>>> before_;
};

ApiEndpoint endpoint_of(const std::string& server, const Credentials& trusted) {
  ApiEndpoint endpoint;
  endpoint.server = server;
  endpoint.trusted = trusted.certificate;
  endpoint.identity.token = Secret("t0ken");
  return endpoint;
}

}  // namespace

TEST_CASE("api client: through a proxy the request arrives, and the proxy reads none of it") {
  const Credentials own = make_credentials("kube.invalid", kYear);
  TalkingServer server(ok, TalkTls{own});
  LeadingProxy proxy(server.port());
  ApiEndpoint endpoint = endpoint_of("https://kube.invalid:6443", own);
  endpoint.proxy = Secret(proxy.url());
  Calls calls(endpoint);
  for (int i = 0; i < 5; ++i) CHECK(calls.ask(bind_request()).status == 200);
  const std::vector<Heard> heard = server.heard();
  CHECK(heard.size() == 5);
  for (const Heard& request : heard) {
    CHECK(request.has("\r\nHost: kube.invalid:6443\r\n"));
    CHECK(request.has("\r\nAuthorization: Bearer t0ken\r\n"));
  }
  const std::vector<std::string> asked = proxy.asked();
  REQUIRE(asked.size() == 1);
  CHECK(asked[0].starts_with("CONNECT kube.invalid:6443 HTTP/1.1\r\n"));
  for (const char* const secret : {"t0ken", "Authorization", "/binding"}) {
    CAPTURE(secret);
    CHECK_FALSE(has(asked[0], secret));
    CHECK_FALSE(has(proxy.passed(), secret));
  }
}

TEST_CASE("api client: behind a proxy, too, a server of another name is refused") {
  for (const char* const name : {"elsewhere.invalid", "localhost", "127.0.0.1"}) {
    CAPTURE(name);
    const Credentials other = make_credentials(name, kYear);
    TalkingServer server(ok, TalkTls{other});
    LeadingProxy proxy(server.port());
    ApiEndpoint endpoint = endpoint_of("https://kube.invalid:6443", other);
    endpoint.proxy = Secret(proxy.url());
    const ApiAnswer answer = Calls(endpoint).ask(bind_request());
    CHECK(answer.status == 0);
    CHECK(answer.error.code == Errc::kDenied);
    CHECK(has(answer.error.what, "its certificate is not trusted"));
    CHECK(answer.was_not_sent);
    CHECK(server.heard().empty());
    CHECK(proxy.asked().size() == 1);
  }
}

TEST_CASE("api client: a proxy leads to the host, whatever name its certificate must have") {
  const Credentials own = make_credentials("kube.test", kYear);
  TalkingServer server(ok, TalkTls{own});
  LeadingProxy proxy(server.port());
  ApiEndpoint endpoint = endpoint_of("https://10.1.2.3:6443", own);
  endpoint.tls_server_name = "kube.test";
  endpoint.proxy = Secret(proxy.url());
  CHECK(Calls(endpoint).get().status == 200);
  REQUIRE(proxy.asked().size() == 1);
  CHECK(proxy.asked()[0].starts_with("CONNECT 10.1.2.3:6443 HTTP/1.1\r\n"));
  REQUIRE(server.heard().size() == 1);
  CHECK(server.heard()[0].has("\r\nHost: 10.1.2.3:6443\r\n"));
}

TEST_CASE("api client: who may use a proxy is told to it, and to nobody else") {
  const Credentials own = make_credentials("kube.invalid", kYear);
  TalkingServer server(ok, TalkTls{own});
  LeadingProxy proxy(server.port());
  ApiEndpoint endpoint = endpoint_of("https://kube.invalid:6443", own);
  endpoint.proxy = Secret(proxy.url("me:pa55@"));
  CHECK(Calls(endpoint).get().status == 200);
  REQUIRE(proxy.asked().size() == 1);
  CHECK(has(proxy.asked()[0], "\r\nProxy-Authorization: Basic bWU6cGE1NQ==\r\n"));
  CHECK_FALSE(has(proxy.asked()[0], "t0ken"));
  REQUIRE(server.heard().size() == 1);
  CHECK_FALSE(server.heard()[0].has("Proxy-Authorization"));
}

TEST_CASE("api client: a proxy that does not lead on is named, but not who may use it") {
  const Credentials own = make_credentials("kube.invalid", kYear);
  struct Row {
    std::string user, said, told;
  };
  const std::string end = "Content-Length: 0\r\n\r\n";
  for (const Row& row : {Row{"", "HTTP/1.1 403 Forbidden\r\n" + end, "it answers 403"},
                         Row{"me:pa55@", "HTTP/1.1 403 Forbidden\r\n" + end, "it answers 403"},
                         Row{"",
                             "HTTP/1.1 407 Proxy Authentication Required\r\n"
                             "Proxy-Authenticate: Basic realm=\"x\"\r\n" +
                                 end,
                             "it answers 407"},
                         Row{"", "HTTP/1.1 503 Service Unavailable\r\n" + end, "it answers 503"},
                         Row{"", "", "proxy"}}) {
    CAPTURE(row.said);
    TalkingServer server(ok, TalkTls{own});
    LeadingProxy proxy(server.port(), row.said);
    ApiEndpoint endpoint = endpoint_of("https://kube.invalid:6443", own);
    endpoint.proxy = Secret(proxy.url(row.user));
    const ApiAnswer answer = Calls(endpoint).ask(bind_request());
    CAPTURE(answer.error.what);
    CHECK(answer.status == 0);
    CHECK(answer.error.code == Errc::kUnreachable);
    CHECK(answer.was_not_sent);
    CHECK(has(answer.error.what, row.told));
    CHECK((row.said.empty() || has(answer.error.what, "the proxy at " + proxy.place())));
    CHECK_FALSE(has(answer.error.what, "pa55"));
    CHECK(server.connections() == 0);
  }
  ApiEndpoint endpoint = endpoint_of("https://kube.invalid:6443", own);
  endpoint.proxy = Secret("http://me:pa55@127.0.0.1:1");  // nobody is there
  const ApiAnswer answer = Calls(endpoint).ask(bind_request());
  CHECK(answer.error.code == Errc::kUnreachable);
  CHECK(has(answer.error.what, "no connection to the proxy at 127.0.0.1:1"));
  CHECK_FALSE(has(answer.error.what, "pa55"));
}

TEST_CASE("api client: what a proxy says as it leads on is nothing that the server says") {
  const Credentials own = make_credentials("kube.invalid", kYear);
  TalkingServer server([](const Heard&) { return Said{{}, After::kHang}; }, TalkTls{own});
  LeadingProxy proxy(server.port());
  ApiEndpoint endpoint = endpoint_of("https://kube.invalid:6443", own);
  endpoint.proxy = Secret(proxy.url());
  ApiRequest hasty = bind_request();
  hasty.timeout = Nanos{500'000'000};
  const ApiAnswer answer = Calls(endpoint).ask(hasty);
  CHECK(answer.error.code == Errc::kTimeout);
  CHECK_FALSE(has(answer.error.what, "did not end"));
}

TEST_CASE("api client: the proxy of the environment leads to other machines, by any of its names") {
  const Credentials own = make_credentials("api.example.invalid", kYear);
  for (const char* const name : {"https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"}) {
    CAPTURE(name);
    ProxyVariables variables;
    TalkingServer server(ok, TalkTls{own});
    LeadingProxy proxy(server.port());
    variables.set(name, proxy.url());
    ApiEndpoint endpoint = endpoint_of("https://api.example.invalid:6443", own);
    CHECK(Calls(endpoint).get().status == 200);
    REQUIRE(proxy.asked().size() == 1);
    CHECK(proxy.asked()[0].starts_with("CONNECT api.example.invalid:6443 HTTP/1.1\r\n"));
    CHECK_FALSE(has(proxy.asked()[0], "t0ken"));
    REQUIRE(server.heard().size() == 1);
    CHECK(server.heard()[0].has("\r\nAuthorization: Bearer t0ken\r\n"));
    // For this machine it is not asked, and where another one is named it is not, either.
    for (const char* const host : {"127.0.0.1", "localhost"}) {
      endpoint.server = server.url(host);
      endpoint.verify = false;
      CHECK(Calls(endpoint).get().status == 200);
    }
    LeadingProxy named(server.port());
    variables.set("no_proxy", "*");
    endpoint.server = "https://api.example.invalid:6443";
    endpoint.proxy = Secret(named.url());
    CHECK(Calls(endpoint).get().status == 200);
    CHECK(named.asked().size() == 1);
    CHECK(proxy.asked().size() == 1);
  }
}

TEST_CASE("api client: machines that no_proxy names are asked without the proxy") {
  const Credentials own = make_credentials("anybody", kYear);
  for (const char* const name : {"no_proxy", "NO_PROXY"}) {
    for (const bool is_named : {false, true}) {
      CAPTURE(name);
      CAPTURE(is_named);
      ProxyVariables variables;
      TalkingServer server(ok, TalkTls{own});
      LeadingProxy proxy(server.port());
      variables.set("HTTPS_PROXY", proxy.url());
      // It leads to this machine, but is none of the addresses that are known to do so.
      const std::string host = "0.0.0.0";
      variables.set(name, is_named ? "10.1.2.3," + host : "10.1.2.3");
      ApiEndpoint endpoint = endpoint_of(server.url(host), own);
      endpoint.verify = false;
      CHECK(Calls(endpoint).get().status == 200);
      CHECK(server.heard().size() == 1);
      CHECK(proxy.asked().empty() == is_named);
    }
  }
}

}  // namespace gedge
