// io/http_stream.hpp - the bytes of one connection, with TLS or without: what Beast reads and
// writes through.
#pragma once

#include <utility>  // before Asio: Boost 1.74 uses std::exchange without it

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <boost/beast/ssl/ssl_stream.hpp>
#include <optional>

namespace gedge {

class HttpStream {
 public:
  using Plain = boost::beast::tcp_stream;
  using Tls = boost::beast::ssl_stream<Plain&>;
  using executor_type = Plain::executor_type;

  /// `tls`: null for none.
  HttpStream(boost::asio::ip::tcp::socket socket, boost::asio::ssl::context* tls)
      : plain_(std::move(socket)) {
    if (tls != nullptr) tls_.emplace(plain_, *tls);
  }

  executor_type get_executor() { return plain_.get_executor(); }
  /// Of timeouts too, which hold for both.
  Plain& plain() { return plain_; }
  /// Null where there is none.
  Tls* tls() { return tls_ ? &*tls_ : nullptr; }
  /// What follows goes as it is: for the answer to somebody who does not speak TLS.
  void give_up_tls() { tls_.reset(); }

  template <typename Buffers, typename Handler>
  void async_read_some(const Buffers& buffers, Handler&& handler) {
    if (tls_) return tls_->async_read_some(buffers, std::forward<Handler>(handler));
    plain_.async_read_some(buffers, std::forward<Handler>(handler));
  }
  template <typename Buffers, typename Handler>
  void async_write_some(const Buffers& buffers, Handler&& handler) {
    if (tls_) return tls_->async_write_some(buffers, std::forward<Handler>(handler));
    plain_.async_write_some(buffers, std::forward<Handler>(handler));
  }

 private:
  Plain plain_;
  std::optional<Tls> tls_;
};

}  // namespace gedge
