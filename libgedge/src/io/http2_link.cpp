#include "io/http2_link.hpp"

#include <netinet/tcp.h>
#include <openssl/err.h>
#include <sys/epoll.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>

#include "io/socket_address.hpp"
#include "io/socket_options.hpp"

namespace gedge {
namespace {

// Whatever comes is taken at once: windows need not hold anybody up.
constexpr std::int32_t kStreamWindow = 8 << 20, kLinkWindow = 32 << 20;
constexpr std::size_t kMostWritten = std::size_t{64} << 10;  // at once
constexpr std::size_t kRecord = std::size_t{16} << 10;       // of TLS, at most
constexpr std::size_t kMuch = kRecord;                       // who has sent that may have sent more
constexpr std::size_t kMostRead = std::size_t{1} << 20;      // before it is handed over

nghttp2_nv field_of(std::string_view name, std::string_view value) {
  const auto bytes = [](std::string_view text) {
    return const_cast<std::uint8_t*>(reinterpret_cast<const std::uint8_t*>(text.data()));
  };
  return {bytes(name), bytes(value), name.size(), value.size(), NGHTTP2_NV_FLAG_NONE};
}

std::string_view text_of(const std::uint8_t* bytes, std::size_t size) {
  return {reinterpret_cast<const char*>(bytes), size};
}

}  // namespace

/// What libnghttp2 calls; `link` is the one that was given with the session.
struct Http2Link::Callbacks {
  static Http2Call* call_of(const Http2Link& link, std::int32_t stream) {
    return static_cast<Http2Call*>(link.library_.stream_data(link.session_.get(), stream));
  }
  static void refuse(const Http2Link& link, std::int32_t stream) {
    link.library_.submit_reset(link.session_.get(), NGHTTP2_FLAG_NONE, stream, NGHTTP2_CANCEL);
  }

  static int header(nghttp2_session* /*session*/, const nghttp2_frame* frame,
                    const std::uint8_t* name, std::size_t name_size, const std::uint8_t* value,
                    std::size_t value_size, std::uint8_t /*flags*/, void* own) {
    const auto& link = *static_cast<const Http2Link*>(own);
    Http2Call* const call = call_of(link, frame->hd.stream_id);
    if (call != nullptr && frame->hd.type == NGHTTP2_HEADERS &&
        !call->take_field(text_of(name, name_size), text_of(value, value_size)))
      refuse(link, frame->hd.stream_id);
    return 0;
  }

  static int frame(nghttp2_session* /*session*/, const nghttp2_frame* frame, void* own) {
    auto& link = *static_cast<Http2Link*>(own);
    if (frame->hd.type == NGHTTP2_GOAWAY) link.is_leaving_ = true;
    if (frame->hd.type != NGHTTP2_HEADERS && frame->hd.type != NGHTTP2_DATA) return 0;
    Http2Call* const call = call_of(link, frame->hd.stream_id);
    if (call == nullptr) return 0;
    constexpr unsigned kFirstFinal = 200;
    if (frame->hd.type == NGHTTP2_HEADERS && call->status >= kFirstFinal &&
        !std::exchange(call->is_head_whole, true)) {
      call->is_opening = call->has_stream_begun();
      if (call->is_opening) link.be_fresh(*call);
    }
    if ((frame->hd.flags & NGHTTP2_FLAG_END_STREAM) != 0) call->is_whole = true;
    return 0;
  }

  static int data(nghttp2_session* /*session*/, std::uint8_t /*flags*/, std::int32_t stream,
                  const std::uint8_t* bytes, std::size_t size, void* own) {
    auto& link = *static_cast<Http2Link*>(own);
    Http2Call* const call = call_of(link, stream);
    if (call == nullptr || call->draft.excess() != Excess::kNone) return 0;
    if (!call->take(text_of(bytes, size)))
      refuse(link, stream);
    else if (call->has_stream_begun())
      link.be_fresh(*call);
    return 0;
  }

  static int closed(nghttp2_session* /*session*/, std::int32_t stream, std::uint32_t code,
                    void* own) {
    auto& link = *static_cast<Http2Link*>(own);
    Http2Call* const call = call_of(link, stream);
    if (call == nullptr) return 0;
    if (code == NGHTTP2_REFUSED_STREAM) call->is_refused = true;
    link.close(*call);
    return 0;
  }

  // It may be in the system's hands before anybody says that it was sent. What waited for that
  // while the process or the machine stood still may be too late by now: as its head is packed by
  // now and those of others after it, the session ends with it.
  static int before_sending(nghttp2_session* /*session*/, const nghttp2_frame* frame, void* own) {
    auto& link = *static_cast<Http2Link*>(own);
    if (frame->hd.type != NGHTTP2_HEADERS) return 0;
    Http2Call* const call = call_of(link, frame->hd.stream_id);
    if (call == nullptr) return 0;
    call->is_late = call->request.send_by <= Nanos(link.clock_.now());
    if (call->is_late) return NGHTTP2_ERR_CALLBACK_FAILURE;
    call->is_sent = true;
    link.out_by_ = std::min(link.out_by_, call->request.send_by);
    return 0;
  }

  static int not_sent(nghttp2_session* /*session*/, const nghttp2_frame* frame, int /*error*/,
                      void* own) {
    auto& link = *static_cast<Http2Link*>(own);
    Http2Call* const call = call_of(link, frame->hd.stream_id);
    if (frame->hd.type != NGHTTP2_HEADERS || call == nullptr) return 0;
    link.is_leaving_ = true;
    link.library_.set_stream_data(link.session_.get(), frame->hd.stream_id, nullptr);
    link.close(*call);
    return 0;
  }

  static ssize_t body(nghttp2_session* /*session*/, std::int32_t stream, std::uint8_t* into,
                      std::size_t room, std::uint32_t* flags, nghttp2_data_source* source,
                      void* /*link*/) {
    auto& link = *static_cast<Http2Link*>(source->ptr);
    Http2Call* const call = call_of(link, stream);
    if (call == nullptr) return NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE;
    link.out_by_ = std::min(link.out_by_, call->request.send_by);
    const std::string& all = call->request.body;
    const std::size_t size = std::min(room, all.size() - call->body_sent);
    std::copy_n(all.data() + call->body_sent, size, into);
    call->body_sent += size;
    if (call->body_sent == all.size()) *flags |= NGHTTP2_DATA_FLAG_EOF;
    return static_cast<ssize_t>(size);
  }
};

bool Http2Link::begin(SSL_CTX* context, const Http2Target& target, Nanos now) {
  begun_ = now;
  const SocketAddress address = to_socket_address(target.address);
  socket_.reset(::socket(address.any.sa_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  if (!socket_) return false;
  tls_ = make_tls_session(context, socket_.get(), target.name);
  if (tls_ == nullptr) return false;
  const int on = 1;
  ::setsockopt(socket_.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  notice_dead_peers(socket_.get(), unconfirmed_);
  state_ = State::kConnecting;
  const bool begun = ::connect(socket_.get(), &address.any, length_of(address)) == 0 ||
                     errno == EINPROGRESS || errno == EINTR;
  if (!begun || !listen(EPOLLIN | EPOLLOUT)) end();
  return state_ != State::kOver;
}

bool Http2Link::listen(std::uint32_t events) {
  if (events == listens_) return true;
  epoll_event event{};
  event.events = events;
  event.data.u64 = std::uint64_t{mark_} << 32 | static_cast<std::uint32_t>(socket_.get());
  const int how = listens_ == 0 ? EPOLL_CTL_ADD : EPOLL_CTL_MOD;
  if (::epoll_ctl(epoll_, how, socket_.get(), &event) != 0) return false;
  listens_ = events;
  return true;
}

// Of a peer that has gone anybody is told.
std::uint32_t Http2Link::interest() const {
  return is_patient_ && calls_ > 0 ? std::uint32_t{EPOLLERR} : std::uint32_t{EPOLLIN};
}

// A descriptor that is closed leaves the epoll by itself.
void Http2Link::end() {
  if (state_ == State::kOpen) SSL_shutdown(tls_.get());
  ERR_clear_error();
  state_ = State::kOver;
  session_.reset();
  tls_.reset();
  socket_.close();
  listens_ = 0;
}

void Http2Link::act(std::uint32_t events, Nanos now) {
  if (state_ == State::kConnecting) {
    if ((events & (EPOLLOUT | EPOLLERR | EPOLLHUP)) == 0) return;
    int failed = 0;
    socklen_t size = sizeof failed;
    ::getsockopt(socket_.get(), SOL_SOCKET, SO_ERROR, &failed, &size);
    if (failed != 0) return end();
    state_ = State::kShaking;
  }
  if (state_ == State::kShaking) {
    shake_hands();
    heard_ = now;
  }
  if (state_ != State::kOpen) return;
  if ((events & (EPOLLIN | EPOLLERR | EPOLLHUP)) != 0) read(now);
  if ((events & EPOLLOUT) != 0) flush();
}

void Http2Link::shake_hands() {
  const int done = SSL_do_handshake(tls_.get());
  const int why = done == 1 ? SSL_ERROR_NONE : SSL_get_error(tls_.get(), done);
  ERR_clear_error();
  if (why == SSL_ERROR_WANT_READ || why == SSL_ERROR_WANT_WRITE) {
    if (!listen(why == SSL_ERROR_WANT_WRITE ? EPOLLIN | EPOLLOUT : EPOLLIN)) end();
    return;
  }
  if (done != 1) begin_anew(tls_.get());
  speaks_otherwise_ = done == 1 && !speaks_http2(tls_.get());
  if (done != 1 || speaks_otherwise_ || !open_session()) return end();
  state_ = State::kOpen;
}

bool Http2Link::open_session() {
  nghttp2_session_callbacks* callbacks = nullptr;
  if (library_.callbacks_new(&callbacks) != 0) return false;
  library_.on_header(callbacks, Callbacks::header);
  library_.on_frame(callbacks, Callbacks::frame);
  library_.on_data(callbacks, Callbacks::data);
  library_.on_close(callbacks, Callbacks::closed);
  library_.before_send(callbacks, Callbacks::before_sending);
  library_.on_not_sent(callbacks, Callbacks::not_sent);
  nghttp2_session* session = nullptr;
  const bool made = library_.client_new(&session, callbacks, this) == 0;
  library_.callbacks_del(callbacks);
  if (!made) return false;
  session_.reset(session);
  const std::array<nghttp2_settings_entry, 2> settings{
      {{NGHTTP2_SETTINGS_ENABLE_PUSH, 0}, {NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE, kStreamWindow}}};
  return library_.submit_settings(session, NGHTTP2_FLAG_NONE, settings.data(), settings.size()) ==
             0 &&
         library_.set_window(session, NGHTTP2_FLAG_NONE, 0, kLinkWindow) == 0;
}

// The system of a peer that is half gone may confirm all that is sent, and so may a proxy.
std::optional<Nanos> Http2Link::check_peer(Nanos now) {
  if (state_ != State::kOpen || calls_ == 0) return std::nullopt;
  bool is_gone = asked_ && now >= *asked_ + limits_.sign_within;
  if (!asked_ && now >= heard_ + limits_.silence) {
    asked_ = now;
    is_gone = library_.submit_ping(session_.get(), NGHTTP2_FLAG_NONE, nullptr) != 0;
  }
  if (is_gone) {
    end();
    return std::nullopt;
  }
  return asked_ ? *asked_ + limits_.sign_within : heard_ + limits_.silence;
}

// What OpenSSL holds is read to its end: no event tells of it.
void Http2Link::read(Nanos now) {
  std::array<char, kRecord> bytes;
  std::size_t seen = 0;
  while (state_ == State::kOpen) {
    const int came = SSL_read(tls_.get(), bytes.data(), static_cast<int>(bytes.size()));
    if (came <= 0) {
      const int why = SSL_get_error(tls_.get(), came);
      ERR_clear_error();
      if (why != SSL_ERROR_WANT_READ && why != SSL_ERROR_WANT_WRITE) end();
      return;
    }
    heard_ = now;
    asked_.reset();
    const auto taken =
        library_.receive(session_.get(), reinterpret_cast<const std::uint8_t*>(bytes.data()),
                         static_cast<std::size_t>(came));
    const bool goes_on =
        library_.wants_to_read(session_.get()) != 0 || library_.wants_to_write(session_.get()) != 0;
    if (taken < 0 || !goes_on) return end();
    seen += static_cast<std::size_t>(came);
    // Of what is left somebody is told anew, or looks; a call that finds nothing is spared.
    if ((seen < kMuch || seen >= kMostRead) && SSL_has_pending(tls_.get()) == 0) return;
  }
}

// False: libnghttp2 cannot go on.
bool Http2Link::fill() {
  if (out_at_ == out_.size()) {
    out_.clear();
    out_at_ = 0;
    out_by_ = Nanos::max();
  }
  while (out_.size() < kMostWritten) {
    const std::uint8_t* bytes = nullptr;
    const ssize_t size = library_.send(session_.get(), &bytes);
    if (size < 0) return false;
    if (size == 0) return true;
    out_.append(text_of(bytes, static_cast<std::size_t>(size)));
  }
  return true;
}

// What is packed leaves in time or not at all, and takes the session with it as the rest needs it.
void Http2Link::flush() {
  while (state_ == State::kOpen) {
    if (!fill()) return end();
    if (out_at_ == out_.size()) break;
    if (out_by_ <= Nanos(clock_.now())) return end();
    const int sent =
        SSL_write(tls_.get(), out_.data() + out_at_, static_cast<int>(out_.size() - out_at_));
    if (sent > 0) {
      out_at_ += static_cast<std::size_t>(sent);
      continue;
    }
    const int why = SSL_get_error(tls_.get(), sent);
    ERR_clear_error();
    const bool waits = why == SSL_ERROR_WANT_WRITE || why == SSL_ERROR_WANT_READ;
    if (!waits || !listen(EPOLLIN | EPOLLOUT)) end();
    return;
  }
  if (state_ == State::kOpen && !listen(interest())) end();
}

bool Http2Link::submit(Http2Call& call, const Http2Fields& fields) {
  std::vector<nghttp2_nv> head;
  head.reserve(fields.size());
  for (const auto& [name, value] : fields) head.push_back(field_of(name, value));
  nghttp2_data_provider provider{};
  provider.source.ptr = this;
  provider.read_callback = Callbacks::body;
  const bool has_body = !call.request.body.empty();
  const std::int32_t stream = library_.submit_request(
      session_.get(), nullptr, head.data(), head.size(), has_body ? &provider : nullptr, &call);
  if (stream < 0) {
    is_leaving_ = true;
    return false;
  }
  call.link = this;
  call.stream = stream;
  ++calls_;
  return true;
}

void Http2Link::be_fresh(Http2Call& call) {
  if (!std::exchange(call.is_fresh, true)) news_.fresh.push_back(&call);
}

void Http2Link::close(Http2Call& call) {
  --calls_;
  call.link = nullptr;
  news_.closed.push_back(&call);
}

void Http2Link::drop(Http2Call& call) {
  --calls_;
  call.link = nullptr;
  if (state_ != State::kOpen) return;
  library_.set_stream_data(session_.get(), call.stream, nullptr);
  library_.submit_reset(session_.get(), NGHTTP2_FLAG_NONE, call.stream, NGHTTP2_CANCEL);
}

}  // namespace gedge
