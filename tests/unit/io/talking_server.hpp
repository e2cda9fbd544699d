// talking_server.hpp - a server on loopback that keeps its connections, and says what a test wants.
#pragma once

#include <doctest/doctest.h>
#include <netinet/in.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <sys/socket.h>

#include <condition_variable>
#include <csignal>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "io/descriptor.hpp"
#include "io/socket_address.hpp"
#include "unit/io/certificates.hpp"

namespace gedge::test {

struct Heard {
  std::size_t connection = 0, nth = 0;  // of the server; of the connection
  std::string head, body;

  bool has(std::string_view part) const { return head.find(part) != std::string::npos; }
};

enum class After { kStay, kClose, kReset, kHang };

struct Said {
  std::vector<std::string> pieces;  // each is sent by itself
  After after = After::kStay;
};

/// With TLS; and what client certificates must be, where one is wanted.
struct TalkTls {
  Credentials own;
  std::string clients = {};  // PEM; empty: none is asked for
};

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
  if (!tls.clients.empty()) {
    BIO* const trusted = bio(tls.clients);
    X509* const client = PEM_read_bio_X509(trusted, nullptr, nullptr, nullptr);
    X509_STORE_add_cert(SSL_CTX_get_cert_store(context), client);
    SSL_CTX_set_verify(context, SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, nullptr);
    X509_free(client);
    BIO_free(trusted);
  }
  X509_free(own);
  EVP_PKEY_free(secret);
  BIO_free(certificate);
  BIO_free(key);
  return context;
}

/// Each connection has a thread; `talk` is called by one at a time.
class TalkingServer {
 public:
  using Talk = std::function<Said(const Heard&)>;

  explicit TalkingServer(Talk talk, std::optional<TalkTls> tls = {})
      : talk_(std::move(talk)),
        context_(tls ? make_server_context(*tls) : nullptr, SSL_CTX_free),
        listener_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    IpAddress at;
    at.bytes = {127, 0, 0, 1};
    SocketAddress address = to_socket_address(at);
    socklen_t length = length_of(address);
    REQUIRE(::bind(listener_.get(), &address.any, length) == 0);
    REQUIRE(::listen(listener_.get(), 128) == 0);
    REQUIRE(::getsockname(listener_.get(), &address.any, &length) == 0);
    port_ = from_socket_address(address).port;
    thread_ = std::thread([this] { serve(); });
  }
  ~TalkingServer() {
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

  std::string url(const std::string& host = "127.0.0.1") const {
    return (context_ ? "https://" : "http://") + host + ':' + std::to_string(port_);
  }
  std::size_t connections() const {
    const std::lock_guard lock(mutex_);
    return clients_.size();
  }
  std::vector<Heard> heard() const {
    const std::lock_guard lock(mutex_);
    return heard_;
  }
  std::uint16_t port() const { return port_; }

 private:
  struct Link {
    int socket;
    SSL* tls;

    bool send(std::string_view bytes) const {
      while (!bytes.empty()) {
        const auto sent =
            tls != nullptr
                ? static_cast<ssize_t>(SSL_write(tls, bytes.data(), static_cast<int>(bytes.size())))
                : ::send(socket, bytes.data(), bytes.size(), MSG_NOSIGNAL);
        if (sent <= 0) return false;
        bytes.remove_prefix(static_cast<std::size_t>(sent));
      }
      return true;
    }
    bool receive(std::string& into) const {
      char buffer[16'384];
      const auto count = tls != nullptr ? static_cast<ssize_t>(SSL_read(tls, buffer, sizeof buffer))
                                        : ::recv(socket, buffer, sizeof buffer, 0);
      if (count <= 0) return false;
      into.append(buffer, static_cast<std::size_t>(count));
      return true;
    }
  };

  void serve() {
    while (true) {
      Descriptor client(::accept(listener_.get(), nullptr, nullptr));
      if (!client) return;
      const std::lock_guard lock(mutex_);
      const std::size_t number = clients_.size();
      const int socket = client.get();
      clients_.push_back(std::move(client));
      threads_.emplace_back([this, number, socket] { talk_with(number, socket); });
    }
  }

  void talk_with(std::size_t number, int socket) {
    // OpenSSL writes to whom has gone. Only this thread is spared: the client's must not need it.
    sigset_t pipes;
    sigemptyset(&pipes);
    sigaddset(&pipes, SIGPIPE);
    ::pthread_sigmask(SIG_BLOCK, &pipes, nullptr);
    const std::unique_ptr<SSL, decltype(&SSL_free)> tls(
        context_ ? SSL_new(context_.get()) : nullptr, SSL_free);
    bool up = true;
    if (tls) {
      SSL_set_fd(tls.get(), socket);
      up = SSL_accept(tls.get()) == 1;
    }
    const Link link{socket, tls.get()};
    std::string bytes;
    for (std::size_t nth = 0; up; ++nth) {
      Heard heard{number, nth, {}, {}};
      up = read_request(link, bytes, heard) && reply(link, heard);
    }
    ERR_clear_error();
    ::shutdown(socket, SHUT_RDWR);
  }

  static bool read_request(const Link& link, std::string& bytes, Heard& heard) {
    std::size_t end = 0;
    while ((end = bytes.find("\r\n\r\n")) == std::string::npos)
      if (!link.receive(bytes)) return false;
    heard.head = bytes.substr(0, end + 2);
    bytes.erase(0, end + 4);
    const std::size_t field = heard.head.find("Content-Length: ");
    const std::size_t length =
        field == std::string::npos ? 0 : std::stoul(heard.head.substr(field + 16));
    while (bytes.size() < length)
      if (!link.receive(bytes)) return false;
    heard.body = bytes.substr(0, length);
    bytes.erase(0, length);
    return true;
  }

  bool reply(const Link& link, const Heard& heard) {
    Said said;
    {
      const std::lock_guard lock(mutex_);
      heard_.push_back(heard);
      said = talk_(heard);
    }
    for (const std::string& piece : said.pieces)
      if (!link.send(piece)) return false;
    if (said.after == After::kStay) return true;
    if (said.after == After::kHang) {
      std::unique_lock lock(mutex_);
      over_.wait(lock, [this] { return is_over_; });
    }
    if (said.after == After::kReset) {
      const linger at_once{1, 0};
      ::setsockopt(link.socket, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
      const std::lock_guard lock(mutex_);
      // Closed by disconnecting: the descriptor stays, so that no other connection gets it.
      sockaddr nobody{};
      nobody.sa_family = AF_UNSPEC;
      ::connect(link.socket, &nobody, sizeof nobody);
    }
    return false;
  }

  Talk talk_;
  std::unique_ptr<SSL_CTX, decltype(&SSL_CTX_free)> context_;
  Descriptor listener_;
  std::uint16_t port_ = 0;
  mutable std::mutex mutex_;
  std::condition_variable over_;
  bool is_over_ = false;
  std::vector<Descriptor> clients_;
  std::vector<std::thread> threads_;
  std::vector<Heard> heard_;
  std::thread thread_;
};

/// An answer whose length is told before.
inline std::string whole(std::string_view body, std::string_view head = "200 OK",
                         std::string_view fields = {}) {
  return "HTTP/1.1 " + std::string(head) + "\r\n" + std::string(fields) +
         "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + std::string(body);
}

inline constexpr const char* kChunked = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";
inline constexpr const char* kLastChunk = "0\r\n\r\n";

inline std::string chunk(std::string_view bytes) {
  char size[24];
  std::snprintf(size, sizeof size, "%zx\r\n", bytes.size());
  return size + std::string(bytes) + "\r\n";
}

}  // namespace gedge::test
