// io/http2_link.hpp - a connection to a server that speaks HTTP/2 over TLS, and the calls on it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "gedge/port/ip_address.hpp"
#include "io/client_tls.hpp"
#include "io/descriptor.hpp"
#include "io/http2_call.hpp"
#include "io/http2_library.hpp"

namespace gedge {

/// What links say of their calls.
struct Http2News {
  std::vector<Http2Call*> fresh;   // bytes of a stream have come
  std::vector<Http2Call*> closed;  // no more will
};

/// Where a link leads to.
struct Http2Target {
  IpAddress address;
  std::string name;  // that the certificate must have
};

/// Names and values, in the order of the wire.
using Http2Fields = std::vector<std::pair<std::string_view, std::string_view>>;

/// Neither moved nor copied: libnghttp2 holds its address.
class Http2Link {
 public:
  enum class State : std::uint8_t { kConnecting, kShaking, kOpen, kOver };

  /// Its events bear `mark` in the upper half, and the descriptor in the lower. All outlive it.
  Http2Link(const Http2Library& library, const ApiLimits& limits, const Clock& clock,
            Http2News& news, int epoll, std::uint32_t mark)
      : library_(library),
        limits_(limits),
        clock_(clock),
        news_(news),
        epoll_(epoll),
        mark_(mark),
        unconfirmed_(limits.unconfirmed),
        socket_(-1),
        session_(nullptr, library.session_del) {}
  Http2Link(const Http2Link&) = delete;
  Http2Link& operator=(const Http2Link&) = delete;
  ~Http2Link() { end(); }

  /// What comes while calls are under way is left to lie until somebody looks: many answers that
  /// nobody waits for take less of everything in one piece.
  void be_patient() { is_patient_ = true; }
  /// Before begin(): a peer that does not confirm within this time what was sent is gone.
  void confirm_within(Nanos time) { unconfirmed_ = time; }
  /// Once. False: it has come to nothing.
  bool begin(SSL_CTX* context, const Http2Target& target, Nanos now);
  void act(std::uint32_t events, Nanos now);
  /// Writes what is to be written.
  void flush();
  /// Reads what has come.
  void look(Nanos now) {
    if (state_ == State::kOpen) read(now);
  }
  /// What is under way on it is told nothing more of.
  void end();

  State state() const { return state_; }
  int descriptor() const { return socket_.get(); }
  Nanos begun() const { return begun_; }
  /// While it is open: when something came last.
  Nanos heard() const { return heard_; }
  /// A peer that is silent while calls are under way is asked for a sign of life; one that gives
  /// none is gone, and the link over. When to look again; empty: nothing is under way.
  std::optional<Nanos> check_peer(Nanos now);
  /// Over, as the server speaks something else.
  bool speaks_otherwise() const { return speaks_otherwise_; }
  /// Takes no more calls; those that it has may end well.
  bool is_leaving() const { return is_leaving_; }
  void leave() { is_leaving_ = true; }
  std::size_t calls() const { return calls_; }

  /// While it is open. False: it cannot take another one.
  bool submit(Http2Call& call, const Http2Fields& fields);
  /// Nothing more comes of a call.
  void drop(Http2Call& call);

 private:
  struct Callbacks;
  bool listen(std::uint32_t events);
  std::uint32_t interest() const;
  void shake_hands();
  bool open_session();
  void read(Nanos now);
  bool fill();
  void be_fresh(Http2Call& call);
  void close(Http2Call& call);

  const Http2Library& library_;
  const ApiLimits& limits_;
  const Clock& clock_;
  Http2News& news_;
  int epoll_;
  std::uint32_t mark_;
  Nanos unconfirmed_;
  Descriptor socket_;
  TlsSession tls_;
  std::unique_ptr<nghttp2_session, decltype(&::nghttp2_session_del)> session_;
  State state_ = State::kOver;
  std::uint32_t listens_ = 0;
  bool is_patient_ = false, is_leaving_ = false, speaks_otherwise_ = false;
  std::size_t calls_ = 0;
  Nanos begun_{0}, heard_{0};
  std::optional<Nanos> asked_;  // for a sign of life
  std::string out_;             // written by nobody yet, from `out_at_`
  std::size_t out_at_ = 0;
  Nanos out_by_ = Nanos::max();  // the earliest moment by which something of `out_` has to leave
};

}  // namespace gedge
