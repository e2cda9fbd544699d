#include "io/tls_context.hpp"

#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>

#include <string>
#include <string_view>

#include "gedge/io/files.hpp"
#include "io/openssl_handles.hpp"

namespace gedge {
namespace {

namespace ssl = boost::asio::ssl;

constexpr std::uint64_t kMostBytes = 1 << 20;
// TLS 1.2 with forward secrecy and authenticated encryption only; TLS 1.3 knows nothing else.
constexpr const char* kCiphers = "ECDHE+AESGCM:ECDHE+CHACHA20";
constexpr const char* kPem = "PEM is read: -----BEGIN CERTIFICATE-----";
constexpr int kSecurityLevel = 2;  // RSA of 2,048 bits, curves of 224, no SHA-1

Error wrong(const std::string& path, std::string what, std::string hint) {
  SourceSpan where;
  where.origin = path;
  return invalid_input(std::move(what), std::move(where), std::move(hint));
}

// Nobody is there to type a passphrase; that one would be needed is all that is noticed.
int note_passphrase(char* /*buffer*/, int /*size*/, int /*writing*/, void* needed) {
  *static_cast<bool*>(needed) = true;
  return -1;
}

TlsCertificate about(X509* certificate) {
  TlsCertificate about;
  const Bio text(BIO_new(BIO_s_mem()));
  X509_NAME_print_ex(text.get(), X509_get_subject_name(certificate), 0, XN_FLAG_RFC2253);
  char* bytes = nullptr;
  const long size = BIO_get_mem_data(text.get(), &bytes);
  if (size > 0) about.subject.assign(bytes, static_cast<std::size_t>(size));
  about.not_before = seconds_of(X509_get0_notBefore(certificate));
  about.not_after = seconds_of(X509_get0_notAfter(certificate));
  return about;
}

// The first certificate is the server's; those behind it lead to one that clients know.
Result<TlsCertificate> use_chain(SSL_CTX* context, const std::string& path, std::string_view text) {
  const Bio bio = bio_of(text);
  const Certificate own(PEM_read_bio_X509(bio.get(), nullptr, nullptr, nullptr));
  if (!own) return wrong(path, "there is no certificate in the file", kPem);
  if (SSL_CTX_use_certificate(context, own.get()) != 1)
    return wrong(path, "the certificate is too weak, or of a kind that is not supported",
                 "use a key of RSA with 2048 bits or of P-256, and SHA-256");
  while (X509* next = PEM_read_bio_X509(bio.get(), nullptr, nullptr, nullptr)) {
    if (SSL_CTX_add0_chain_cert(context, next) == 1) continue;
    X509_free(next);
    return wrong(path, "a certificate behind the first one is too weak", {});
  }
  return about(own.get());
}

// Who shows none is let in, to what everybody may ask; who shows one that nobody of these has
// signed is not.
Status trust_clients(SSL_CTX* context, const std::string& path, std::string_view text) {
  X509_STORE* const store = SSL_CTX_get_cert_store(context);
  const Bio bio = bio_of(text);
  bool any = false;
  while (const Certificate next{PEM_read_bio_X509(bio.get(), nullptr, nullptr, nullptr)}) {
    if (X509_STORE_add_cert(store, next.get()) != 1 ||
        SSL_CTX_add_client_CA(context, next.get()) != 1)
      return wrong(path, "a certificate of the file cannot be used", {});
    any = true;
  }
  if (!any) return wrong(path, "there is no certificate in the file", kPem);
  SSL_CTX_set_verify(context, SSL_VERIFY_PEER, nullptr);
  return {};
}

Status use_key(SSL_CTX* context, const TlsFiles& files, std::string_view text) {
  bool encrypted = false;
  const Bio bio = bio_of(text);
  const Key key(PEM_read_bio_PrivateKey(bio.get(), nullptr, note_passphrase, &encrypted));
  if (encrypted)
    return wrong(files.key, "the private key needs a passphrase, and nobody is there to type it",
                 "take it off: `openssl pkey -in " + files.key + "`");
  if (!key)
    return wrong(files.key, "there is no private key in the file",
                 "PEM is read: -----BEGIN PRIVATE KEY-----");
  if (SSL_CTX_use_PrivateKey(context, key.get()) != 1 || SSL_CTX_check_private_key(context) != 1)
    return wrong(files.key,
                 "the private key is not that of the certificate in " + files.certificate,
                 "give both files of one pair");
  return {};
}

std::unique_ptr<ssl::context> new_context() {
  auto context = std::make_unique<ssl::context>(ssl::context::tls_server);
  SSL_CTX* const native = context->native_handle();
  SSL_CTX_set_security_level(native, kSecurityLevel);
  SSL_CTX_set_min_proto_version(native, TLS1_2_VERSION);
  SSL_CTX_set_cipher_list(native, kCiphers);
  SSL_CTX_set_options(native, SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION | SSL_OP_NO_TICKET |
                                  SSL_OP_CIPHER_SERVER_PREFERENCE);
  // Every connection shows who it is anew, and nothing is kept of those that are gone.
  SSL_CTX_set_session_cache_mode(native, SSL_SESS_CACHE_OFF);
  SSL_CTX_set_num_tickets(native, 0);
  SSL_CTX_set_mode(native, SSL_MODE_RELEASE_BUFFERS);
  return context;
}

}  // namespace

Result<bool> TlsContext::refresh() {
  const bool other_certificate = certificate_.changed();
  const bool other_key = key_.changed();
  const bool other_clients = clients_ && clients_->changed();
  if (!other_certificate && !other_key && !other_clients) return false;
  DiskFiles files;
  const auto chain = files.read(certificate_.path(), kMostBytes);
  if (!chain) return chain.error();
  auto signers = clients_ ? files.read(clients_->path(), kMostBytes) : Result<std::string>("");
  if (!signers) return std::move(signers).error();
  auto secret = files.read(key_.path(), kMostBytes);
  if (!secret) return std::move(secret).error();

  auto context = new_context();
  auto read = use_chain(context->native_handle(), certificate_.path(), *chain);
  Status keyed;
  if (read) keyed = use_key(context->native_handle(), {certificate_.path(), key_.path()}, *secret);
  OPENSSL_cleanse(secret->data(), secret->size());
  Status trusted;
  if (clients_) trusted = trust_clients(context->native_handle(), clients_->path(), *signers);
  ERR_clear_error();
  if (!read) return std::move(read).error();
  if (!keyed) return std::move(keyed).error();
  if (!trusted) return std::move(trusted).error();
  context_ = std::move(context);
  about_ = *std::move(read);
  return true;
}

}  // namespace gedge
