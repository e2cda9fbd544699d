// Who is answered by what listens.
#include "gate.hpp"

#include <doctest/doctest.h>

#include <optional>
#include <string>
#include <vector>

#include "support/folder.hpp"

namespace gate_test {

using gedge::cli::AgentGuard;
using gedge::cli::Gate;
using Names = std::optional<std::vector<std::string>>;

constexpr const char* kToken = "0123456789abcdef";

struct Asked {
  std::string target = "/metrics", token = {};
  Names names = {};
};

bool lets_in(Gate& gate, const Asked& asked) {
  gedge::HttpRequest request;
  request.method = "GET";
  request.target = asked.target;
  if (!asked.token.empty()) request.authorization = "Bearer " + asked.token;
  request.client_names = asked.names;
  return gate.lets_in(request, [](const gedge::Error&) {});
}

Gate open(const AgentGuard& guard) {
  auto gate = Gate::open(guard);
  REQUIRE(gate);
  return *std::move(gate);
}

AgentGuard by_certificate(std::vector<std::string> names) {
  AgentGuard guard;
  guard.clients = "clients.pem";
  guard.client_names = std::move(names);
  return guard;
}

TEST_CASE("gate: without a guard everybody is let in, and a certificate is nothing to it") {
  Gate gate;
  CHECK_FALSE(gate.is_guarded());
  CHECK(lets_in(gate, {}));
  CHECK(lets_in(gate, {.names = Names({"a"})}));
}

TEST_CASE("gate: a certificate that is trusted lets in, and what probes ask for needs none") {
  Gate gate = open(by_certificate({}));
  CHECK(gate.is_guarded());
  CHECK_FALSE(lets_in(gate, {}));
  CHECK_FALSE(lets_in(gate, {.token = kToken}));
  CHECK(lets_in(gate, {.names = Names(std::vector<std::string>{})}));
  CHECK(lets_in(gate, {.names = Names({"prometheus"})}));
  for (const char* target : {"/livez", "/readyz?verbose"}) CHECK(lets_in(gate, {.target = target}));
}

TEST_CASE("gate: where names are given, the certificate is for one of them, whole") {
  Gate gate = open(by_certificate({"prometheus", "other.example"}));
  CHECK(lets_in(gate, {.names = Names({"x", "other.example"})}));
  CHECK_FALSE(lets_in(gate, {.names = Names(std::vector<std::string>{})}));
  for (const char* name : {"", "prometheu", "prometheus.example", "Prometheus", "*"})
    CHECK_FALSE(lets_in(gate, {.names = Names({name})}));
  CHECK_FALSE(lets_in(gate, {.names = Names({std::string("prometheus\0.evil", 16)})}));
}

TEST_CASE(
    "gate: a token or a certificate will do, and a certificate does not where none is asked") {
  const gedge::test::Folder folder;
  AgentGuard guard;
  guard.tokens = folder.put("token", std::string(kToken) + "\n");
  Gate by_token = open(guard);
  CHECK(lets_in(by_token, {.token = kToken}));
  CHECK_FALSE(lets_in(by_token, {.names = Names({"prometheus"})}));
  guard.clients = "clients.pem";
  guard.client_names = {"prometheus"};
  Gate by_both = open(guard);
  CHECK(lets_in(by_both, {.token = kToken, .names = Names({"x"})}));
  CHECK(lets_in(by_both, {.names = Names({"prometheus"})}));
  CHECK_FALSE(lets_in(by_both, {.token = "0123456789abcdeX", .names = Names({"x"})}));
}

}  // namespace gate_test
