#include "gedge/codec/exec_credential.hpp"

#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include <initializer_list>
#include <string>
#include <string_view>

namespace gedge {
namespace {

using Version = CredentialHelper::Version;

const std::string kHead =
    R"("apiVersion": "client.authentication.k8s.io/v1", "kind": "ExecCredential")";

Result<ExecCredential> read(const std::string& status) {
  return read_exec_credential("{" + kHead + R"(, "status": )" + status + "}", Version::kV1);
}

}  // namespace

TEST_CASE("exec credential: a token, or a certificate with its key, for a time or for ever") {
  const auto token = read(R"({"token": "abc", "expirationTimestamp": "2024-05-01T12:00:00Z"})");
  REQUIRE(token);
  CHECK(token->identity.token.reveal() == "abc");
  CHECK(token->expires == UnixSeconds{1'714'564'800});
  const auto pair = read(R"({"clientCertificateData": "-----BEGIN C-----\n",
                             "clientKeyData": "-----BEGIN K-----\n", "token": null, "more": [1]})");
  REQUIRE(pair);
  CHECK(pair->identity.certificate == "-----BEGIN C-----\n");
  CHECK(pair->identity.key.reveal() == "-----BEGIN K-----\n");
  CHECK_FALSE(pair->expires);
  const auto yaml = read_exec_credential(
      "apiVersion: client.authentication.k8s.io/v1beta1\nkind: ExecCredential\nstatus:\n  token: "
      "t\n",
      Version::kV1Beta1);
  REQUIRE(yaml);
  CHECK(yaml->identity.token.reveal() == "t");
}

TEST_CASE("exec credential: what is none is refused without a word of it") {
  struct Row {
    std::string output, words;
  };
  for (const Row& row : std::initializer_list<Row>{
           {"", "wrote nothing"},
           {" \n", "wrote nothing"},
           {"s3cret", "no ExecCredential"},
           {"{\"s3cret", "no ExecCredential"},
           {"[]", "no ExecCredential"},
           {"{\"kind\": \"Pod\"}", "no ExecCredential"},
           {R"({"apiVersion": "client.authentication.k8s.io/v1beta1", "kind": "ExecCredential",
               "status": {"token": "s3cret"}})",
            "another version than client.authentication.k8s.io/v1"},
           {"{" + kHead + "}", "without a status"},
           {"{" + kHead + R"(, "status": "s3cret"})", "without a status"},
           {"{" + kHead + R"(, "status": {}})", "neither a token nor"},
           {"{" + kHead + R"(, "status": {"token": ["s3cret"]}})", "neither a token nor"},
           {"{" + kHead + R"(, "status": {"clientKeyData": "s3cret"}})", "but not both"},
           {"{" + kHead +
                R"(, "status": {"clientKeyData": "s3cret", "clientCertificateData": "x"}})",
            "no PEM"},
           {"{" + kHead + R"(, "status": {"token": "s3cret", "expirationTimestamp": "s3cret"}})",
            "is no time"},
           {std::string((1 << 20) + 1, 's'), "no ExecCredential"}}) {
    CAPTURE(row.words);
    const auto credential = read_exec_credential(row.output, Version::kV1);
    REQUIRE_FALSE(credential);
    CHECK(credential.error().what.find(row.words) != std::string::npos);
    CHECK((credential.error().what + credential.error().hint).find("s3cret") == std::string::npos);
  }
}

TEST_CASE("exec credential: what the program is told") {
  CredentialHelper helper;
  ApiEndpoint endpoint;
  endpoint.server = "https://k";
  auto info = nlohmann::json::parse(write_exec_info(helper, endpoint));
  CHECK(info == nlohmann::json::parse("{" + kHead + R"(, "spec": {"interactive": false}})"));
  helper.version = Version::kV1Beta1;
  helper.wants_cluster = true;
  helper.cluster_config = R"({"a": [1, 2]})";
  endpoint.tls_server_name = "kube";
  endpoint.trusted = "pem";
  endpoint.verify = false;
  endpoint.proxy = Secret("http://p");
  info = nlohmann::json::parse(write_exec_info(helper, endpoint));
  CHECK(info["apiVersion"] == "client.authentication.k8s.io/v1beta1");
  CHECK(info["spec"]["cluster"] == nlohmann::json::parse(R"({"server": "https://k",
      "tls-server-name": "kube", "insecure-skip-tls-verify": true,
      "certificate-authority-data": "cGVt", "proxy-url": "http://p", "config": {"a": [1, 2]}})"));
}

}  // namespace gedge
