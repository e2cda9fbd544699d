// Certificates that a test makes for itself.
#pragma once

#include <doctest/doctest.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/rsa.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>

#include <string>

namespace gedge::test {

struct Credentials {
  std::string certificate, key;  // PEM
};

constexpr long kYear = 365L * 24 * 3'600;  // seconds

enum class KeyKind { kP256, kWeakRsa };

inline std::string pem_of(BIO* bio) {
  char* bytes = nullptr;
  const long size = BIO_get_mem_data(bio, &bytes);
  std::string text(bytes, static_cast<std::size_t>(size));
  BIO_free(bio);
  return text;
}

/// Signed by itself, for "CN=`name`" and the DNS name, valid from an hour ago and for so many
/// seconds from now.
inline Credentials make_credentials(const char* name, long seconds, KeyKind kind = KeyKind::kP256,
                                    const char* passphrase = nullptr,
                                    const std::string& dns_name = {}) {
  constexpr long kHour = 3'600;
  EVP_PKEY* const key = kind == KeyKind::kP256 ? EVP_EC_gen("P-256") : EVP_RSA_gen(1'024);
  X509* const certificate = X509_new();
  REQUIRE(key != nullptr);
  ASN1_INTEGER_set(X509_get_serialNumber(certificate), 1);
  X509_gmtime_adj(X509_getm_notBefore(certificate), -kHour);
  X509_gmtime_adj(X509_getm_notAfter(certificate), seconds);
  X509_set_pubkey(certificate, key);
  X509_NAME* const subject = X509_get_subject_name(certificate);
  X509_NAME_add_entry_by_txt(subject, "CN", MBSTRING_ASC,
                             reinterpret_cast<const unsigned char*>(name), -1, -1, 0);
  X509_set_issuer_name(certificate, subject);
  if (!dns_name.empty()) {
    X509_set_version(certificate, X509_VERSION_3);
    X509_EXTENSION* const names =
        X509V3_EXT_conf_nid(nullptr, nullptr, NID_subject_alt_name, ("DNS:" + dns_name).c_str());
    REQUIRE(names != nullptr);
    X509_add_ext(certificate, names, -1);
    X509_EXTENSION_free(names);
  }
  REQUIRE(X509_sign(certificate, key, EVP_sha256()) > 0);
  BIO* const first = BIO_new(BIO_s_mem());
  BIO* const second = BIO_new(BIO_s_mem());
  PEM_write_bio_X509(first, certificate);
  PEM_write_bio_PKCS8PrivateKey(second, key, passphrase == nullptr ? nullptr : EVP_aes_128_cbc(),
                                nullptr, 0, nullptr, const_cast<char*>(passphrase));
  X509_free(certificate);
  EVP_PKEY_free(key);
  return {pem_of(first), pem_of(second)};
}

}  // namespace gedge::test
