#include "io/client_names.hpp"

#include <openssl/x509v3.h>

#include <memory>

#include "io/openssl_handles.hpp"

namespace gedge {
namespace {

std::string text_of(const ASN1_STRING* text) {
  return {reinterpret_cast<const char*>(ASN1_STRING_get0_data(text)),
          static_cast<std::size_t>(ASN1_STRING_length(text))};
}

void add_dns_names(X509* certificate, std::vector<std::string>& names) {
  const std::unique_ptr<GENERAL_NAMES, decltype(&GENERAL_NAMES_free)> all(
      static_cast<GENERAL_NAMES*>(
          X509_get_ext_d2i(certificate, NID_subject_alt_name, nullptr, nullptr)),
      GENERAL_NAMES_free);
  for (int i = 0; all && i < sk_GENERAL_NAME_num(all.get()); ++i) {
    const GENERAL_NAME* const name = sk_GENERAL_NAME_value(all.get(), i);
    if (name->type == GEN_DNS) names.push_back(text_of(name->d.dNSName));
  }
}

void add_common_names(X509* certificate, std::vector<std::string>& names) {
  const X509_NAME* const subject = X509_get_subject_name(certificate);
  for (int at = -1; (at = X509_NAME_get_index_by_NID(subject, NID_commonName, at)) >= 0;) {
    unsigned char* utf8 = nullptr;
    const int size =
        ASN1_STRING_to_UTF8(&utf8, X509_NAME_ENTRY_get_data(X509_NAME_get_entry(subject, at)));
    if (size < 0) continue;
    names.emplace_back(reinterpret_cast<const char*>(utf8), static_cast<std::size_t>(size));
    OPENSSL_free(utf8);
  }
}

}  // namespace

std::optional<std::vector<std::string>> names_of_client(SSL* connection) {
  if ((SSL_get_verify_mode(connection) & SSL_VERIFY_PEER) == 0) return std::nullopt;
  const Certificate certificate(SSL_get1_peer_certificate(connection));
  if (!certificate || SSL_get_verify_result(connection) != X509_V_OK) return std::nullopt;
  std::vector<std::string> names;
  add_dns_names(certificate.get(), names);
  add_common_names(certificate.get(), names);
  return names;
}

}  // namespace gedge
