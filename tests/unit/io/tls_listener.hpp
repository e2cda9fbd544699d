// tls_listener.hpp - takes connections on loopback, with or without TLS, and gives each a thread.
#pragma once

#include <doctest/doctest.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <sys/socket.h>

#include <atomic>
#include <condition_variable>
#include <csignal>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "io/descriptor.hpp"
#include "io/socket_address.hpp"
#include "unit/io/certificates.hpp"

namespace gedge::test {

/// With TLS; and what client certificates must be, where one is wanted.
struct TalkTls {
  Credentials own;
  std::string clients = {};      // PEM, of one or more; empty: none is asked for
  bool chooses_http1 = false;    // by ALPN, and refuses who offers other protocols alone
  bool breaks_sessions = false;  // hangs up on who would go on from another connection
  int highest = 0;               // version that it speaks, TLS1_1_VERSION say; 0: OpenSSL's own
};

inline int choose_http1(SSL*, const unsigned char** out, unsigned char* size,
                        const unsigned char* in, unsigned in_size, void*) {
  static constexpr unsigned char kHttp1[] = {8, 'h', 't', 't', 'p', '/', '1', '.', '1'};
  return SSL_select_next_proto(const_cast<unsigned char**>(out), size, kHttp1, sizeof kHttp1, in,
                               in_size) == OPENSSL_NPN_NEGOTIATED
             ? SSL_TLSEXT_ERR_OK
             : SSL_TLSEXT_ERR_ALERT_FATAL;
}

inline int hang_up_on_sessions(SSL* session, int*, void*) {
  const unsigned char* offered = nullptr;
  std::size_t size = 0;
  if (SSL_client_hello_get0_ext(session, TLSEXT_TYPE_psk, &offered, &size) != 1)
    return SSL_CLIENT_HELLO_SUCCESS;
  ::shutdown(SSL_get_fd(session), SHUT_RDWR);
  return SSL_CLIENT_HELLO_ERROR;
}

// On a higher level of security OpenSSL speaks no old version, whoever asks.
inline void speak_at_most(SSL_CTX* context, int version) {
  REQUIRE(SSL_CTX_set_cipher_list(context, "DEFAULT@SECLEVEL=0") == 1);
  REQUIRE(SSL_CTX_set_min_proto_version(context, 0) == 1);
  REQUIRE(SSL_CTX_set_max_proto_version(context, version) == 1);
}

inline SSL_CTX* make_server_context(const TalkTls& tls) {
  SSL_CTX* const context = SSL_CTX_new(TLS_server_method());
  const auto bio = [](const std::string& text) {
    return BIO_new_mem_buf(text.data(), static_cast<int>(text.size()));
  };
  BIO* const certificate = bio(tls.own.certificate);
  BIO* const key = bio(tls.own.key);
  X509* const own = PEM_read_bio_X509(certificate, nullptr, nullptr, nullptr);
  EVP_PKEY* const secret = PEM_read_bio_PrivateKey(key, nullptr, nullptr, nullptr);
  REQUIRE(SSL_CTX_use_certificate(context, own) == 1);
  REQUIRE(SSL_CTX_use_PrivateKey(context, secret) == 1);
  // OpenSSL wants one of whom it asks for a certificate.
  constexpr unsigned char kContext[] = {'t', 'e', 's', 't'};
  REQUIRE(SSL_CTX_set_session_id_context(context, kContext, sizeof kContext) == 1);
  if (tls.highest != 0) speak_at_most(context, tls.highest);
  if (tls.breaks_sessions) SSL_CTX_set_client_hello_cb(context, hang_up_on_sessions, nullptr);
  if (!tls.clients.empty()) {
    BIO* const trusted = bio(tls.clients);
    while (X509* const client = PEM_read_bio_X509(trusted, nullptr, nullptr, nullptr)) {
      X509_STORE_add_cert(SSL_CTX_get_cert_store(context), client);
      X509_free(client);
    }
    ERR_clear_error();
    SSL_CTX_set_verify(context, SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, nullptr);
    BIO_free(trusted);
  }
  if (tls.chooses_http1) SSL_CTX_set_alpn_select_cb(context, choose_http1, nullptr);
  X509_free(own);
  EVP_PKEY_free(secret);
  BIO_free(certificate);
  BIO_free(key);
  return context;
}

class TlsListener {
 public:
  struct Link {
    std::size_t number;  // of the listener
    int socket;
    SSL* tls;  // none without TLS
  };

  explicit TlsListener(const std::optional<TalkTls>& tls)
      : context_(tls ? make_server_context(*tls) : nullptr, SSL_CTX_free),
        listener_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    IpAddress at;
    at.bytes = {127, 0, 0, 1};
    SocketAddress address = to_socket_address(at);
    socklen_t length = length_of(address);
    REQUIRE(::bind(listener_.get(), &address.any, length) == 0);
    REQUIRE(::listen(listener_.get(), 128) == 0);
    REQUIRE(::getsockname(listener_.get(), &address.any, &length) == 0);
    port_ = from_socket_address(address).port;
  }
  ~TlsListener() { stop(); }

  /// From now on each connection is given to `talk`, in a thread of its own, and closed after it.
  void start(std::function<void(const Link&)> talk) {
    talk_ = std::move(talk);
    thread_ = std::thread([this] { serve(); });
  }
  /// After it `talk` runs nowhere.
  void stop() {
    if (!thread_.joinable()) return;
    ::shutdown(listener_.get(), SHUT_RDWR);
    thread_.join();
    {
      const std::lock_guard lock(mutex_);
      is_over_ = true;
      for (const Descriptor& client : clients_) ::shutdown(client.get(), SHUT_RDWR);
    }
    over_.notify_all();
    for (std::thread& thread : threads_) thread.join();
  }
  void wait_for_stop() {
    std::unique_lock lock(mutex_);
    over_.wait(lock, [this] { return is_over_; });
  }

  SSL_CTX* context() const { return context_.get(); }
  std::uint16_t port() const { return port_; }
  std::size_t connections() const {
    const std::lock_guard lock(mutex_);
    return clients_.size();
  }
  /// Of them, those that went on from what was agreed on another.
  std::size_t resumed() const { return resumed_; }

 private:
  void serve() {
    while (true) {
      Descriptor client(::accept(listener_.get(), nullptr, nullptr));
      if (!client) return;
      const std::lock_guard lock(mutex_);
      const std::size_t number = clients_.size();
      const int socket = client.get();
      clients_.push_back(std::move(client));
      threads_.emplace_back([this, number, socket] { take(number, socket); });
    }
  }

  void take(std::size_t number, int socket) {
    // OpenSSL writes to whom has gone. Only this thread is spared: the client's must not need it.
    sigset_t pipes;
    sigemptyset(&pipes);
    sigaddset(&pipes, SIGPIPE);
    ::pthread_sigmask(SIG_BLOCK, &pipes, nullptr);
    const int on = 1;
    ::setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);  // as servers in Go do
    const std::unique_ptr<SSL, decltype(&SSL_free)> tls(
        context_ ? SSL_new(context_.get()) : nullptr, SSL_free);
    if (tls) SSL_set_fd(tls.get(), socket);
    const bool is_good = !tls || SSL_accept(tls.get()) == 1;
    if (tls && is_good && SSL_session_reused(tls.get()) == 1) ++resumed_;
    if (is_good) talk_({number, socket, tls.get()});
    ERR_clear_error();
    ::shutdown(socket, SHUT_RDWR);
  }

  std::unique_ptr<SSL_CTX, decltype(&SSL_CTX_free)> context_;
  Descriptor listener_;
  std::uint16_t port_ = 0;
  std::function<void(const Link&)> talk_;
  mutable std::mutex mutex_;
  std::condition_variable over_;
  bool is_over_ = false;
  std::atomic<std::size_t> resumed_ = 0;
  std::vector<Descriptor> clients_;
  std::vector<std::thread> threads_;
  std::thread thread_;
};

}  // namespace gedge::test
