// scripted_server.hpp - a server on loopback that says the same to everybody, well-formed or not.
#pragma once

#include <doctest/doctest.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>

#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "gedge/port/ip_address.hpp"
#include "io/descriptor.hpp"
#include "io/probe_clock.hpp"
#include "io/socket_address.hpp"

namespace gedge::test {

inline constexpr int kPatience = 10'000;  // milliseconds; far beyond what loopback takes

enum class Then { kClose, kHang, kSendOn, kTalkFirst };

/// Answers every connection with the same bytes, whatever it is asked.
class ScriptedServer {
 public:
  ScriptedServer(std::string bytes, Then then = Then::kClose, bool v6 = false)
      : bytes_(std::move(bytes)),
        then_(then),
        listener_(::socket(v6 ? AF_INET6 : AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    address_.is_v6 = v6;
    if (v6)
      address_.bytes[15] = 1;
    else
      address_.bytes = {127, 0, 0, 1};
    SocketAddress address = to_socket_address(address_);
    socklen_t length = length_of(address);
    REQUIRE(::bind(listener_.get(), &address.any, length) == 0);
    REQUIRE(::listen(listener_.get(), 16) == 0);
    REQUIRE(::getsockname(listener_.get(), &address.any, &length) == 0);
    address_ = from_socket_address(address);
    url_ = (v6 ? "http://[::1]:" : "http://127.0.0.1:") + std::to_string(address_.port);
    thread_ = std::thread([this] { serve(); });
  }
  ~ScriptedServer() {
    ::shutdown(listener_.get(), SHUT_RDWR);
    thread_.join();
  }

  const IpAddress& address() const { return address_; }
  const std::string& url() const { return url_; }
  /// Once the last call is over.
  const std::vector<std::string>& requests() const { return requests_; }
  /// When each of them had come, by the clock of probes.
  const std::vector<Nanos>& moments() const { return moments_; }

 private:
  void serve() {
    std::vector<Descriptor> held;
    while (true) {
      Descriptor client(::accept(listener_.get(), nullptr, nullptr));
      if (!client) return;
      if (then_ != Then::kTalkFirst) {
        requests_.push_back(read_request(client.get()));
        moments_.push_back(ProbeClock().now());
      }
      send(client.get(), bytes_);
      while (then_ == Then::kSendOn && send(client.get(), "X-More: and more\r\n")) continue;
      if (then_ == Then::kHang) held.push_back(std::move(client));
    }
  }
  static bool send(int to, std::string_view bytes) {
    return ::send(to, bytes.data(), bytes.size(), MSG_NOSIGNAL) >= 0;
  }
  static std::string read_request(int from) {
    std::string all;
    char buffer[4'096];
    while (all.find("\r\n\r\n") == std::string::npos) {
      pollfd readable{from, POLLIN, 0};
      if (::poll(&readable, 1, kPatience) <= 0) break;
      const ssize_t count = ::recv(from, buffer, sizeof buffer, 0);
      if (count <= 0) break;
      all.append(buffer, static_cast<std::size_t>(count));
    }
    return all;
  }

  std::string bytes_;
  Then then_;
  Descriptor listener_;
  IpAddress address_;
  std::string url_;
  std::vector<std::string> requests_;
  std::vector<Nanos> moments_;
  std::thread thread_;
};

inline std::string answer(std::string_view body, std::string_view head = "200 OK") {
  return "HTTP/1.1 " + std::string(head) + "\r\nContent-Length: " + std::to_string(body.size()) +
         "\r\nConnection: close\r\n\r\n" + std::string(body);
}

}  // namespace gedge::test
