// io/http_session.hpp - one connection of the HTTP server.
#pragma once

#include <utility>  // before Asio: Boost 1.74 uses std::exchange without it

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http/message.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/string_body.hpp>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "gedge/io/http_server.hpp"
#include "io/http_stream.hpp"

namespace gedge {

/// What the server wants to know of its connections.
class HttpSessionOwner {
 public:
  virtual const HttpServerOptions& options() const = 0;
  virtual const HttpService& service() const = 0;
  virtual bool stopping() const = 0;
  virtual void answered() = 0;
  virtual void refused() = 0;
  virtual void handshake_failed() = 0;

 protected:
  ~HttpSessionOwner() = default;
};

/// Lives as long as an operation of its own is under way.
class HttpSession : public std::enable_shared_from_this<HttpSession> {
 public:
  using Tcp = boost::asio::ip::tcp;

  /// `tls`: null for none.
  HttpSession(Tcp::socket socket, boost::asio::ssl::context* tls, HttpSessionOwner& owner,
              std::function<void(HttpSession*)> gone);
  HttpSession(const HttpSession&) = delete;
  HttpSession& operator=(const HttpSession&) = delete;
  ~HttpSession();

  void start();
  /// A connection between two requests is closed; others finish the reply that is under way.
  void finish();

 private:
  using Error = boost::system::error_code;
  void on_handshake(Error error);
  void wait();
  void read();
  void on_read(Error error);
  void reply_to(const HttpRequest& request);
  HttpReplyTo take_later(bool with_body);
  void wait_for_reply();
  void on_reply(HttpReply reply, bool with_body);
  void refuse(HttpFault fault);
  void write(HttpReply reply, bool with_body);
  void on_written(Error error);
  void close();
  void drain();
  void limit(Nanos most);

  HttpStream stream_;
  HttpSessionOwner& owner_;
  std::function<void(HttpSession*)> gone_;
  boost::beast::flat_buffer buffer_;
  std::optional<boost::beast::http::request_parser<boost::beast::http::string_body>> parser_;
  boost::beast::http::response<boost::beast::http::string_body> response_;
  std::chrono::steady_clock::time_point end_of_life_;
  boost::asio::steady_timer reply_by_;
  std::optional<std::vector<std::string>> client_names_;
  std::size_t drained_ = 0;
  bool keeps_alive_ = false;
  bool waits_ = false;  // between two requests
  bool awaits_reply_ = false;
};

}  // namespace gedge
