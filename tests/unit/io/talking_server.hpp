// talking_server.hpp - a server on loopback that keeps its connections, and says what a test wants.
#pragma once

#include <sys/socket.h>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tls_listener.hpp"

namespace gedge::test {

struct Heard {
  std::size_t connection = 0, nth = 0;  // of the server; of the connection
  std::string head, body;
  std::string client;  // PEM of the certificate that was shown

  bool has(std::string_view part) const { return head.find(part) != std::string::npos; }
};

enum class After { kStay, kClose, kReset, kHang };

struct Said {
  std::vector<std::string> pieces;  // each is sent by itself
  After after = After::kStay;
};

/// Each connection has a thread; `talk` is called by one at a time.
class TalkingServer {
 public:
  using Talk = std::function<Said(const Heard&)>;

  explicit TalkingServer(Talk talk, const std::optional<TalkTls>& tls = {})
      : talk_(std::move(talk)), listener_(tls) {
    listener_.start([this](const TlsListener::Link& link) { talk_with(link); });
  }

  std::string url(const std::string& host = "127.0.0.1") const {
    return (listener_.context() != nullptr ? "https://" : "http://") + host + ':' +
           std::to_string(listener_.port());
  }
  std::size_t connections() const { return listener_.connections(); }
  std::vector<Heard> heard() const {
    const std::lock_guard lock(mutex_);
    return heard_;
  }
  std::uint16_t port() const { return listener_.port(); }

 private:
  using Link = TlsListener::Link;

  static bool send(const Link& link, std::string_view bytes) {
    while (!bytes.empty()) {
      const auto sent = link.tls != nullptr
                            ? static_cast<ssize_t>(
                                  SSL_write(link.tls, bytes.data(), static_cast<int>(bytes.size())))
                            : ::send(link.socket, bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (sent <= 0) return false;
      bytes.remove_prefix(static_cast<std::size_t>(sent));
    }
    return true;
  }
  static bool receive(const Link& link, std::string& into) {
    char buffer[16'384];
    const auto count = link.tls != nullptr
                           ? static_cast<ssize_t>(SSL_read(link.tls, buffer, sizeof buffer))
                           : ::recv(link.socket, buffer, sizeof buffer, 0);
    if (count <= 0) return false;
    into.append(buffer, static_cast<std::size_t>(count));
    return true;
  }

  static std::string shown_by(const Link& link) {
    X509* const shown = link.tls != nullptr ? SSL_get1_peer_certificate(link.tls) : nullptr;
    if (shown == nullptr) return {};
    BIO* const text = BIO_new(BIO_s_mem());
    PEM_write_bio_X509(text, shown);
    X509_free(shown);
    return pem_of(text);
  }

  void talk_with(const Link& link) {
    std::string bytes;
    bool up = true;
    for (std::size_t nth = 0; up; ++nth) {
      Heard heard{link.number, nth, {}, {}, shown_by(link)};
      up = read_request(link, bytes, heard) && reply(link, heard);
    }
  }

  static bool read_request(const Link& link, std::string& bytes, Heard& heard) {
    std::size_t end = 0;
    while ((end = bytes.find("\r\n\r\n")) == std::string::npos)
      if (!receive(link, bytes)) return false;
    heard.head = bytes.substr(0, end + 2);
    bytes.erase(0, end + 4);
    const std::size_t field = heard.head.find("Content-Length: ");
    const std::size_t length =
        field == std::string::npos ? 0 : std::stoul(heard.head.substr(field + 16));
    while (bytes.size() < length)
      if (!receive(link, bytes)) return false;
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
      if (!send(link, piece)) return false;
    if (said.after == After::kStay) return true;
    if (said.after == After::kHang) listener_.wait_for_stop();
    if (said.after == After::kReset) {
      const linger at_once{1, 0};
      ::setsockopt(link.socket, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
      // Closed by disconnecting: the descriptor stays, so that no other connection gets it.
      sockaddr nobody{};
      nobody.sa_family = AF_UNSPEC;
      static_cast<void>(::connect(link.socket, &nobody, sizeof nobody));
    }
    return false;
  }

  Talk talk_;
  mutable std::mutex mutex_;
  std::vector<Heard> heard_;
  TlsListener listener_;  // the last: its threads use all that stands before
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
