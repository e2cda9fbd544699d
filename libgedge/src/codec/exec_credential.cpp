#include "gedge/codec/exec_credential.hpp"

#include <nlohmann/json.hpp>

#include <utility>

#include "codec/base64.hpp"
#include "codec/cursor.hpp"
#include "codec/fields.hpp"
#include "codec/kubeconfig_entries.hpp"
#include "gedge/codec/timestamp.hpp"

namespace gedge {
namespace {

using codec::Cursor;
using Json = nlohmann::ordered_json;

constexpr std::uint64_t kMostBytes = 1 << 20;

const char* name_of(CredentialHelper::Version version) {
  return version == CredentialHelper::Version::kV1 ? "client.authentication.k8s.io/v1"
                                                   : "client.authentication.k8s.io/v1beta1";
}

Error wrong(std::string what) {
  return invalid_input("the program that says who you are wrote " + std::move(what));
}

std::string text_of(Cursor value) {
  return value.shape() == codec::Shape::kScalar && !value.is_null() ? std::string(value.raw_text())
                                                                    : std::string();
}

Status read_status(Cursor status, ExecCredential& credential) {
  std::string token, key, expires;
  status.fields([&](std::string_view name, Cursor value) {
    if (name == "token") token = text_of(value);
    if (name == "clientCertificateData") credential.identity.certificate = text_of(value);
    if (name == "clientKeyData") key = text_of(value);
    if (name == "expirationTimestamp") expires = text_of(value);
  });
  credential.identity.token = Secret(std::move(token));
  credential.identity.key = Secret(std::move(key));
  const ApiIdentity& own = credential.identity;
  if (own.empty()) return wrong("neither a token nor a certificate");
  if (own.certificate.empty() != own.key.empty())
    return wrong("a certificate or a key, but not both");
  for (const std::string* pem : {&own.certificate, &own.key.reveal()})
    if (!pem->empty() && !codec::check_pem(*pem))
      return wrong("a certificate or key that is no PEM");
  if (expires.empty()) return {};
  credential.expires = codec::parse_timestamp(expires);
  if (!credential.expires) return wrong("an expirationTimestamp that is no time");
  return {};
}

}  // namespace

std::string write_exec_info(const CredentialHelper& helper, const ApiEndpoint& endpoint) {
  Json spec{{"interactive", false}};
  if (helper.wants_cluster) {
    Json cluster{{"server", endpoint.server}};
    if (!endpoint.tls_server_name.empty()) cluster["tls-server-name"] = endpoint.tls_server_name;
    if (!endpoint.verify) cluster["insecure-skip-tls-verify"] = true;
    if (!endpoint.trusted.empty())
      cluster["certificate-authority-data"] = codec::encode_base64(endpoint.trusted);
    if (!endpoint.proxy.empty()) cluster["proxy-url"] = endpoint.proxy.reveal();
    if (!helper.cluster_config.empty())
      cluster["config"] = Json::parse(helper.cluster_config, nullptr, false);
    spec["cluster"] = std::move(cluster);
  }
  const Json info{{"apiVersion", name_of(helper.version)},
                  {"kind", "ExecCredential"},
                  {"spec", std::move(spec)}};
  return info.dump(-1, ' ', false, Json::error_handler_t::replace);
}

Result<ExecCredential> read_exec_credential(std::string_view output,
                                            CredentialHelper::Version version) {
  codec::Diagnostics quiet;
  const codec::Source source("", output);
  if (output.find_first_not_of(" \t\r\n") == std::string_view::npos) return wrong("nothing");
  const auto document = codec::Document::parse(source, quiet, kMostBytes);
  if (!document || !document->root().is_map()) return wrong("no ExecCredential");
  const Cursor root = document->root();
  if (codec::text_at(root, "kind") != "ExecCredential") return wrong("no ExecCredential");
  if (codec::text_at(root, "apiVersion") != name_of(version))
    return wrong(std::string("an ExecCredential of another version than ") + name_of(version));
  const auto status = root.find("status");
  if (!status || !status->is_map()) return wrong("an ExecCredential without a status");
  ExecCredential credential;
  if (Status read = read_status(*status, credential); !read) return std::move(read).error();
  return credential;
}

}  // namespace gedge
