#include "io/client_tls.hpp"

#include <arpa/inet.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/x509_vfy.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <cstdint>
#include <string_view>

#include "io/openssl_handles.hpp"

namespace gedge {
namespace {

constexpr std::size_t kReadAhead = std::size_t{32} << 10;  // bytes of one call of the system

int no_passphrase(char* /*buffer*/, int /*size*/, int /*writing*/, void* /*nothing*/) { return -1; }

// The first one is ours; those behind it lead to one that the server knows.
bool show(SSL_CTX* context, const std::string& certificate, const std::string& key) {
  if (certificate.empty()) return true;
  const Bio chain = bio_of(certificate), secret = bio_of(key);
  const Certificate own(PEM_read_bio_X509(chain.get(), nullptr, nullptr, nullptr));
  const Key private_key(PEM_read_bio_PrivateKey(secret.get(), nullptr, no_passphrase, nullptr));
  if (!own || !private_key || SSL_CTX_use_certificate(context, own.get()) != 1 ||
      SSL_CTX_use_PrivateKey(context, private_key.get()) != 1)
    return false;
  while (X509* const next = PEM_read_bio_X509(chain.get(), nullptr, nullptr, nullptr)) {
    if (SSL_CTX_add0_chain_cert(context, next) == 1) continue;
    X509_free(next);
    return false;
  }
  return true;
}

bool trust(SSL_CTX* context, const std::string& trusted) {
  if (trusted.empty()) return SSL_CTX_set_default_verify_paths(context) == 1;
  X509_STORE* const store = SSL_CTX_get_cert_store(context);
  X509_STORE_set_flags(store, X509_V_FLAG_PARTIAL_CHAIN);  // as libcurl: one of them is enough
  const Bio bio = bio_of(trusted);
  bool any = false;
  while (true) {
    const Certificate next(PEM_read_bio_X509(bio.get(), nullptr, nullptr, nullptr));
    if (!next) return any;
    if (X509_STORE_add_cert(store, next.get()) != 1) return false;
    any = true;
  }
}

void free_kept(void* /*context*/, void* kept, CRYPTO_EX_DATA* /*data*/, int /*index*/,
               long /*number*/, void* /*nothing*/) {
  SSL_SESSION_free(static_cast<SSL_SESSION*>(kept));
}

int index_of_kept() {
  static const int index = SSL_CTX_get_ex_new_index(0, nullptr, nullptr, nullptr, free_kept);
  return index;
}

void keep(SSL_CTX* context, SSL_SESSION* agreed) {
  SSL_SESSION_free(static_cast<SSL_SESSION*>(SSL_CTX_get_ex_data(context, index_of_kept())));
  SSL_CTX_set_ex_data(context, index_of_kept(), agreed);
}

int keep_newest(SSL* session, SSL_SESSION* agreed) {
  keep(SSL_get_SSL_CTX(session), agreed);
  return 1;
}

// What was agreed with a server on one connection serves the next: to agree anew costs it
// milliseconds. It is of this context, and so of whoever shows the same to the same server.
void resume_sessions(SSL_CTX* context) {
  SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_CLIENT | SSL_SESS_CACHE_NO_INTERNAL_STORE);
  SSL_CTX_sess_set_new_cb(context, keep_newest);
}

bool prepare(SSL_CTX* context, const ApiEndpoint& endpoint) {
  SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION);
  SSL_CTX_set_options(context, SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION);
  resume_sessions(context);
  SSL_CTX_set_mode(context, SSL_MODE_RELEASE_BUFFERS | SSL_MODE_ENABLE_PARTIAL_WRITE |
                                SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
  SSL_CTX_set_read_ahead(context, 1);
  SSL_CTX_set_default_read_buffer_len(context, kReadAhead);
  SSL_CTX_set_verify(context, endpoint.verify ? SSL_VERIFY_PEER : SSL_VERIFY_NONE, nullptr);
  // Servers in Go that speak HTTP/1.1 alone refuse whoever does not offer that.
  constexpr std::string_view kProtocols = "\x02h2\x08http/1.1";
  const bool offered =
      SSL_CTX_set_alpn_protos(context, reinterpret_cast<const unsigned char*>(kProtocols.data()),
                              static_cast<unsigned>(kProtocols.size())) == 0;
  return offered && (!endpoint.verify || trust(context, endpoint.trusted)) &&
         show(context, endpoint.identity.certificate, endpoint.identity.key.reveal());
}

int socket_of(BIO* bio) {
  return static_cast<int>(reinterpret_cast<std::intptr_t>(BIO_get_data(bio)));
}

bool is_passing() { return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR; }

// As BIO_s_socket, but whoever writes to a peer that has gone gets no signal.
int send_bytes(BIO* bio, const char* bytes, int size) {
  const auto sent = ::send(socket_of(bio), bytes, static_cast<std::size_t>(size), MSG_NOSIGNAL);
  BIO_clear_retry_flags(bio);
  if (sent < 0 && is_passing()) BIO_set_retry_write(bio);
  return static_cast<int>(sent);
}

int receive_bytes(BIO* bio, char* bytes, int size) {
  const auto came = ::recv(socket_of(bio), bytes, static_cast<std::size_t>(size), 0);
  BIO_clear_retry_flags(bio);
  if (came < 0 && is_passing()) BIO_set_retry_read(bio);
  return static_cast<int>(came);
}

long control(BIO* /*bio*/, int what, long /*number*/, void* /*pointer*/) {
  return what == BIO_CTRL_FLUSH ? 1 : 0;
}

const BIO_METHOD* socket_method() {
  static BIO_METHOD* const method = [] {
    BIO_METHOD* const made = BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "socket");
    if (made == nullptr) return made;
    BIO_meth_set_write(made, send_bytes);
    BIO_meth_set_read(made, receive_bytes);
    BIO_meth_set_ctrl(made, control);
    return made;
  }();
  return method;
}

bool is_address(const std::string& text) {
  std::array<unsigned char, sizeof(in6_addr)> bytes{};
  return ::inet_pton(AF_INET, text.c_str(), bytes.data()) == 1 ||
         ::inet_pton(AF_INET6, text.c_str(), bytes.data()) == 1;
}

bool expect(SSL* session, const std::string& name) {
  if (is_address(name))
    return X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(session), name.c_str()) == 1;
  return SSL_set1_host(session, name.c_str()) == 1 &&
         SSL_set_tlsext_host_name(session, name.c_str()) == 1;
}

}  // namespace

ClientTls make_client_tls(const ApiEndpoint& endpoint) {
  ClientTls context(SSL_CTX_new(TLS_client_method()));
  const bool all = context != nullptr && prepare(context.get(), endpoint);
  ERR_clear_error();
  return all ? std::move(context) : nullptr;
}

TlsSession make_tls_session(SSL_CTX* context, int socket, const std::string& name) {
  TlsSession session(SSL_new(context));
  const BIO_METHOD* const method = socket_method();
  BIO* const bio = method == nullptr ? nullptr : BIO_new(method);
  if (session == nullptr || bio == nullptr) {
    BIO_free(bio);
    return nullptr;
  }
  // NOLINTNEXTLINE(performance-no-int-to-ptr): a number that fits, and is never followed.
  BIO_set_data(bio, reinterpret_cast<void*>(static_cast<std::intptr_t>(socket)));
  BIO_set_init(bio, 1);
  SSL_set_bio(session.get(), bio, bio);
  SSL_set_connect_state(session.get());
  auto* const kept = static_cast<SSL_SESSION*>(SSL_CTX_get_ex_data(context, index_of_kept()));
  if (kept != nullptr) SSL_set_session(session.get(), kept);
  return expect(session.get(), name) ? std::move(session) : nullptr;
}

void begin_anew(SSL* session) { keep(SSL_get_SSL_CTX(session), nullptr); }

bool speaks_http2(const SSL* session) {
  const unsigned char* chosen = nullptr;
  unsigned size = 0;
  SSL_get0_alpn_selected(session, &chosen, &size);
  return size == 2 && std::string_view(reinterpret_cast<const char*>(chosen), size) == "h2";
}

}  // namespace gedge
