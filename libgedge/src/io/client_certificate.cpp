#include "io/client_certificate.hpp"

#include <openssl/err.h>
#include <openssl/pem.h>

#include "gedge/codec/timestamp.hpp"
#include "io/openssl_handles.hpp"

namespace gedge {
namespace {

int no_passphrase(char* /*buffer*/, int /*size*/, int /*writing*/, void* /*nothing*/) { return -1; }

Status check(const std::string& certificate, const std::string& key, UnixSeconds date) {
  const Bio first = bio_of(certificate), second = bio_of(key);
  const Certificate own(PEM_read_bio_X509(first.get(), nullptr, nullptr, nullptr));
  if (!own)
    return invalid_input("there is no client certificate in what is said to be one", {},
                         "PEM is read: -----BEGIN CERTIFICATE-----");
  const Key secret(PEM_read_bio_PrivateKey(second.get(), nullptr, no_passphrase, nullptr));
  if (!secret)
    return invalid_input("there is no private key that needs no passphrase", {},
                         "PEM is read: -----BEGIN PRIVATE KEY-----");
  if (X509_check_private_key(own.get(), secret.get()) != 1)
    return invalid_input("the private key is not that of the client certificate", {},
                         "give both of one pair");
  const UnixSeconds end = seconds_of(X509_get0_notAfter(own.get()));
  if (end >= date) return {};
  return Error{Errc::kDenied,
               "the client certificate has expired on " + codec::format_timestamp(end),
               {},
               "have it renewed; on a control plane: `kubeadm certs renew`"};
}

}  // namespace

Status check_client_certificate(const std::string& certificate, const std::string& key,
                                UnixSeconds date) {
  Status checked = check(certificate, key, date);
  ERR_clear_error();
  return checked;
}

Status check_trusted(const std::string& certificates) {
  const Bio bio = bio_of(certificates);
  const Certificate first(PEM_read_bio_X509(bio.get(), nullptr, nullptr, nullptr));
  ERR_clear_error();
  if (first) return {};
  return invalid_input("there is no certificate in what says whom to trust", {},
                       "PEM is read: -----BEGIN CERTIFICATE-----");
}

}  // namespace gedge
