// io/openssl_handles.hpp - OpenSSL's objects, freed by themselves.
#pragma once

#include <openssl/bio.h>
#include <openssl/evp.h>
#include <openssl/x509.h>

#include <ctime>
#include <memory>
#include <string_view>

#include "gedge/base/units.hpp"

namespace gedge {

struct OpensslFree {
  void operator()(BIO* bio) const { BIO_free(bio); }
  void operator()(X509* certificate) const { X509_free(certificate); }
  void operator()(EVP_PKEY* key) const { EVP_PKEY_free(key); }
};
using Bio = std::unique_ptr<BIO, OpensslFree>;
using Certificate = std::unique_ptr<X509, OpensslFree>;
using Key = std::unique_ptr<EVP_PKEY, OpensslFree>;

/// Borrows the text.
inline Bio bio_of(std::string_view text) {
  return Bio(BIO_new_mem_buf(text.data(), static_cast<int>(text.size())));
}

inline UnixSeconds seconds_of(const ASN1_TIME* time) {
  std::tm parts{};
  return ASN1_TIME_to_tm(time, &parts) == 1 ? ::timegm(&parts) : 0;
}

}  // namespace gedge
