#include "io/http_session.hpp"

#include <openssl/err.h>
#include <openssl/ssl.h>

#include <algorithm>
#include <boost/asio/post.hpp>
#include <boost/asio/ssl/error.hpp>
#include <boost/beast/core/error.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/http/write.hpp>
#include <chrono>
#include <exception>
#include <initializer_list>
#include <string>
#include <string_view>

#include "io/client_names.hpp"

namespace gedge {
namespace {

namespace beast = boost::beast;
namespace http = boost::beast::http;
using Steady = std::chrono::steady_clock;

constexpr std::size_t kFirstRead = 2 << 10;
// After a refusal the rest of what was sent is thrown away for a moment: closing at once would
// make the other system discard the reply.
constexpr Nanos kDrainTime{1'000'000'000};
constexpr std::size_t kMostDrained = 1 << 20;

std::string text_of(beast::string_view view) { return std::string(view.data(), view.size()); }

HttpFault fault_of(const boost::system::error_code& error) {
  if (error == http::error::header_limit) return HttpFault::kHeaderTooLarge;
  if (error == http::error::body_limit) return HttpFault::kBodyTooLarge;
  if (error == http::error::partial_message) return HttpFault::kIncomplete;
  return HttpFault::kMalformed;
}

// Errors of the parser; those of the socket leave nobody to reply to.
bool is_of_http(const boost::system::error_code& error) {
  return error.category() == http::make_error_code(http::error::bad_method).category() &&
         error != http::error::end_of_stream;
}

// Somebody asked for http:// where https:// is served.
bool is_plain_http(const boost::system::error_code& error) {
  return error.category() == boost::asio::error::get_ssl_category() &&
         ERR_GET_REASON(static_cast<unsigned long>(error.value())) == SSL_R_HTTP_REQUEST;
}

}  // namespace

HttpSession::HttpSession(Tcp::socket socket, boost::asio::ssl::context* tls,
                         HttpSessionOwner& owner, std::function<void(HttpSession*)> gone)
    : stream_(std::move(socket), tls),
      owner_(owner),
      gone_(std::move(gone)),
      buffer_(owner.options().most_header_bytes + owner.options().most_body_bytes),
      end_of_life_(Steady::now() + owner.options().most_lifetime),
      reply_by_(stream_.get_executor()) {}

HttpSession::~HttpSession() { gone_(this); }

void HttpSession::finish() {
  if (waits_) stream_.plain().cancel();
}

void HttpSession::start() {
  if (stream_.tls() == nullptr) return wait();
  waits_ = true;
  limit(owner_.options().handshake_timeout);
  stream_.tls()->async_handshake(
      boost::asio::ssl::stream_base::server,
      [self = shared_from_this()](Error error) { self->on_handshake(error); });
}

void HttpSession::on_handshake(Error error) {
  waits_ = false;
  if (owner_.stopping()) return;
  if (!error) {
    client_names_ = names_of_client(stream_.tls()->native_handle());
    return wait();
  }
  owner_.handshake_failed();
  if (!is_plain_http(error)) return;
  stream_.give_up_tls();
  refuse(HttpFault::kNoTls);
}

void HttpSession::limit(Nanos most) {
  stream_.plain().expires_at(std::min(Steady::now() + most, end_of_life_));
}

// The first byte of a request may be long in coming, its last one may not.
void HttpSession::wait() {
  if (buffer_.size() > 0) return read();
  waits_ = true;
  limit(owner_.options().idle_timeout);
  stream_.async_read_some(buffer_.prepare(kFirstRead),
                          [self = shared_from_this()](Error error, std::size_t bytes) {
                            self->waits_ = false;
                            if (error || self->owner_.stopping()) return;
                            self->buffer_.commit(bytes);
                            self->read();
                          });
}

void HttpSession::read() {
  parser_.emplace();
  parser_->header_limit(static_cast<std::uint32_t>(owner_.options().most_header_bytes));
  parser_->body_limit(owner_.options().most_body_bytes);
  limit(owner_.options().read_timeout);
  http::async_read(stream_, buffer_, *parser_,
                   [self = shared_from_this()](Error error, std::size_t) { self->on_read(error); });
}

void HttpSession::on_read(Error error) {
  if (error && !is_of_http(error)) return;
  if (error) return refuse(fault_of(error));
  const auto& message = parser_->get();
  // Which of two is meant, nobody can say.
  for (const auto field :
       {http::field::host, http::field::authorization, http::field::content_type})
    if (message.count(field) > 1) return refuse(HttpFault::kMalformed);
  keeps_alive_ = message.keep_alive();
  HttpRequest request{text_of(message.method_string()),
                      text_of(message.target()),
                      text_of(message[http::field::host]),
                      text_of(message[http::field::origin]),
                      std::move(parser_->get().body()),
                      text_of(message[http::field::authorization]),
                      text_of(message[http::field::content_type]),
                      client_names_};
  reply_to(request);
}

void HttpSession::reply_to(const HttpRequest& request) {
  const bool with_body = request.method != "HEAD";
  const HttpService& service = owner_.service();
  std::optional<HttpReply> reply;
  try {
    reply = service.answer_or_wait ? service.answer_or_wait(request, take_later(with_body))
                                   : service.answer(request);
  } catch (const std::exception&) {  // the service says what it may; the reason stays here
    return refuse(HttpFault::kInternal);
  }
  awaits_reply_ = true;
  if (!reply) return wait_for_reply();
  on_reply(*std::move(reply), with_body);
}

// The connection may be gone by then; only the thread that serves looks.
HttpReplyTo HttpSession::take_later(bool with_body) {
  return [weak = weak_from_this(), executor = stream_.get_executor(), with_body](HttpReply reply) {
    boost::asio::post(executor, [weak, with_body, reply = std::move(reply)]() mutable {
      if (const auto self = weak.lock()) self->on_reply(std::move(reply), with_body);
    });
  };
}

void HttpSession::wait_for_reply() {
  reply_by_.expires_after(owner_.options().answer_timeout);
  reply_by_.async_wait([self = shared_from_this()](Error error) {
    if (!error && std::exchange(self->awaits_reply_, false)) self->refuse(HttpFault::kInternal);
  });
}

void HttpSession::on_reply(HttpReply reply, bool with_body) {
  if (!std::exchange(awaits_reply_, false)) return;
  reply_by_.cancel();
  owner_.answered();
  write(std::move(reply), with_body);
}

void HttpSession::refuse(HttpFault fault) {
  owner_.refused();
  keeps_alive_ = false;
  write(owner_.service().refuse(fault), true);
}

void HttpSession::write(HttpReply reply, bool with_body) {
  keeps_alive_ = keeps_alive_ && !owner_.stopping() && Steady::now() < end_of_life_;
  response_ = {};
  response_.version(11);
  response_.result(reply.status);
  response_.set(http::field::content_type, reply.content_type);
  response_.set(http::field::cache_control, "no-store");
  response_.set("X-Content-Type-Options", "nosniff");
  if (!reply.allow.empty()) response_.set(http::field::allow, reply.allow);
  if (!reply.challenge.empty()) response_.set(http::field::www_authenticate, reply.challenge);
  response_.keep_alive(keeps_alive_);
  response_.content_length(reply.body.size());
  if (with_body) response_.body() = std::move(reply.body);
  limit(owner_.options().write_timeout);
  http::async_write(stream_, response_, [self = shared_from_this()](Error error, std::size_t) {
    self->on_written(error);
  });
}

void HttpSession::on_written(Error error) {
  response_ = {};
  if (error) return;
  if (keeps_alive_ && !owner_.stopping()) return wait();
  stream_.plain().expires_after(kDrainTime);
  if (stream_.tls() == nullptr) return close();
  // Says that nothing was cut off. That the other end says so too is not waited for any longer.
  stream_.tls()->async_shutdown([self = shared_from_this()](Error) { self->close(); });
}

void HttpSession::close() {
  Error ignored;
  stream_.plain().socket().shutdown(Tcp::socket::shutdown_send, ignored);
  if (owner_.stopping()) return;  // the last handle: the socket closes
  buffer_.clear();
  drain();
}

void HttpSession::drain() {
  stream_.plain().async_read_some(buffer_.prepare(kFirstRead),
                                  [self = shared_from_this()](Error error, std::size_t bytes) {
                                    self->drained_ += bytes;
                                    if (!error && self->drained_ < kMostDrained) self->drain();
                                  });
}

}  // namespace gedge
