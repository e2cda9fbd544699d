#include "gedge/io/http_server.hpp"

#include <utility>  // before Asio: Boost 1.74 uses std::exchange without it

#include <signal.h>

#include <algorithm>
#include <atomic>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <map>
#include <memory>
#include <optional>
#include <set>

#include "io/http_session.hpp"
#include "io/system_error.hpp"
#include "io/tls_context.hpp"

namespace gedge {
namespace {

namespace asio = boost::asio;
using Tcp = asio::ip::tcp;
using SystemError = boost::system::error_code;

constexpr std::chrono::seconds kGrace{1};
// Without descriptors or memory nothing can be accepted; asking again at once would take the whole
// processor.
constexpr std::chrono::milliseconds kAcceptPause{100};

Tcp::endpoint endpoint_of(const IpAddress& address) {
  if (address.is_v6) return {asio::ip::address_v6(address.bytes, address.scope), address.port};
  asio::ip::address_v4::bytes_type bytes;
  std::copy_n(address.bytes.begin(), bytes.size(), bytes.begin());
  return {asio::ip::address_v4(bytes), address.port};
}

class AsioHttpServer final : public HttpServer, private HttpSessionOwner {
 public:
  AsioHttpServer(HttpServerOptions options, HttpService service)
      : options_(std::move(options)), service_(std::move(service)) {
    if (options_.tls) tls_.emplace(*options_.tls);
  }

  ~AsioHttpServer() override {
    // Handlers that are still under way hold their sessions, and sessions say goodbye to `this`.
    acceptor_.reset();
    signals_.reset();
    hangups_.reset();
    pause_.reset();
    deadline_.reset();
    context_.reset();
  }

  Status read_certificate() {
    if (!tls_) return {};
    if (const auto read = tls_->refresh(); !read) return read.error();
    tell_certificate();
    return {};
  }

  // An errno; 0: it listens.
  int open() {
    SystemError error;
    const Tcp::endpoint endpoint = endpoint_of(options_.listen);
    acceptor_.emplace(*context_);
    acceptor_->open(endpoint.protocol(), error);
    if (!error) acceptor_->set_option(Tcp::acceptor::reuse_address(true), error);
    if (!error) acceptor_->bind(endpoint, error);
    if (!error) acceptor_->listen(asio::socket_base::max_listen_connections, error);
    if (error) return error.value();
    options_.listen.port = acceptor_->local_endpoint().port();
    if (options_.stops_on_signals) {
      signals_.emplace(*context_, SIGINT, SIGTERM);
      signals_->async_wait([this](SystemError failed, int number) {
        if (failed) return;
        signal_ = number;
        begin_stop();
      });
    }
    if (options_.hung_up) {
      hangups_.emplace(*context_, SIGHUP);
      await_hangup();
    }
    accept();
    return 0;
  }

  IpAddress address() const override { return options_.listen; }

  int run() override {
    context_->run();
    return signal_;
  }

  void stop() override {
    asio::post(*context_, [this] { begin_stop(); });
  }

  HttpCounts counts() const override {
    return {connections_, turned_away_, requests_, faults_, handshakes_failed_};
  }

 private:
  const HttpServerOptions& options() const override { return options_; }
  const HttpService& service() const override { return service_; }
  bool stopping() const override { return stopping_; }
  void answered() override { ++requests_; }
  void refused() override { ++faults_; }
  void handshake_failed() override { ++handshakes_failed_; }

  void await_hangup() {
    hangups_->async_wait([this](SystemError failed, int) {
      if (failed || stopping_) return;
      options_.hung_up();
      await_hangup();
    });
  }

  void tell_certificate() const {
    if (options_.tls_events.changed) options_.tls_events.changed(tls_->certificate());
  }

  boost::asio::ssl::context* tls_for_next() {
    if (!tls_) return nullptr;
    const auto read = tls_->refresh();
    if (!read && options_.tls_events.failed) options_.tls_events.failed(read.error());
    if (read && *read) tell_certificate();
    return &tls_->context();
  }

  void accept() {
    acceptor_->async_accept([this](SystemError error, Tcp::socket socket) {
      if (stopping_) return;
      if (!error) take(std::move(socket));
      if (error && error != asio::error::connection_aborted) {
        pause_.emplace(*context_, kAcceptPause);
        pause_->async_wait([this](SystemError) {
          if (!stopping_) accept();
        });
        return;
      }
      accept();
    });
  }

  void take(Tcp::socket socket) {
    SystemError error;
    const asio::ip::address peer = socket.remote_endpoint(error).address();
    if (error) return;  // gone again
    std::size_t& of_peer = of_peer_[peer];
    if (sessions_.size() >= options_.most_connections || of_peer >= options_.most_of_a_peer) {
      if (of_peer == 0) of_peer_.erase(peer);
      ++turned_away_;
      return;
    }
    ++of_peer;
    ++connections_;
    socket.set_option(Tcp::no_delay(true), error);
    const auto session = std::make_shared<HttpSession>(
        std::move(socket), tls_for_next(), static_cast<HttpSessionOwner&>(*this),
        [this, peer](HttpSession* gone) { forget(gone, peer); });
    sessions_.insert(session.get());
    session->start();
  }

  void begin_stop() {
    if (stopping_) return;
    stopping_ = true;
    SystemError ignored;
    acceptor_->close(ignored);
    if (signals_) signals_->cancel(ignored);
    if (pause_) pause_->cancel();
    for (HttpSession* session : sessions_) session->finish();
    if (sessions_.empty()) return context_->stop();
    deadline_.emplace(*context_, kGrace);
    deadline_->async_wait([this](SystemError) { context_->stop(); });
  }

  void forget(HttpSession* session, const asio::ip::address& peer) {
    sessions_.erase(session);
    const auto count = of_peer_.find(peer);
    if (--count->second == 0) of_peer_.erase(count);
    if (stopping_ && sessions_.empty() && context_) context_->stop();
  }

  HttpServerOptions options_;
  HttpService service_;
  std::optional<TlsContext> tls_;
  std::unique_ptr<asio::io_context> context_ = std::make_unique<asio::io_context>(1);
  std::optional<Tcp::acceptor> acceptor_;
  std::optional<asio::signal_set> signals_, hangups_;
  std::optional<asio::steady_timer> pause_, deadline_;
  std::set<HttpSession*> sessions_;
  std::map<asio::ip::address, std::size_t> of_peer_;
  bool stopping_ = false;
  int signal_ = 0;
  std::atomic<std::uint64_t> connections_{0}, turned_away_{0}, requests_{0}, faults_{0},
      handshakes_failed_{0};
};

}  // namespace

Result<std::unique_ptr<HttpServer>> open_http_server(HttpServerOptions options,
                                                     HttpService service) {
  auto server = std::make_unique<AsioHttpServer>(std::move(options), std::move(service));
  GEDGE_TRY(server->read_certificate());
  const int number = server->open();
  if (number != 0) {
    const std::string port = std::to_string(server->address().port);
    Error error = system_error("cannot listen on", "TCP port " + port, number);
    if (number == EADDRINUSE)
      error.hint = "name another port; as root, `ss -ltnp sport = :" + port + "` says who has it";
    return error;
  }
  return std::unique_ptr<HttpServer>(std::move(server));
}

}  // namespace gedge
