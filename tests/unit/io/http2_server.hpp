// http2_server.hpp - a server on loopback that speaks HTTP/2 over TLS, and says what a test wants.
#pragma once

#include <linux/sockios.h>
#include <nghttp2/nghttp2.h>
#include <openssl/ssl.h>
#include <poll.h>
#include <sys/ioctl.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "io/client_tls.hpp"
#include "tls_listener.hpp"

namespace gedge::test {

struct Http2Heard {
  std::size_t connection = 0, nth = 0;  // of the server; of all requests
  std::map<std::string, std::string> fields;
  std::string body;
};

enum class Http2Then {
  kEnd,
  kStay,    // the stream stays open
  kRefuse,  // instead of an answer: it was not looked at
  kLeave,   // the same, with GOAWAY
  kReset,   // after what was said, the stream is broken off
  kClose,   // the connection is
  kMute,    // nothing is said any more on the connection, and nothing read
};

struct Http2Said {
  std::string body;
  std::string status = "200";  // empty: no head either
  std::vector<std::pair<std::string, std::string>> fields = {};
  Http2Then then = Http2Then::kEnd;
};

/// Each connection has a thread; `talk` is called by one at a time, and `wrote` by any of them,
/// whenever it has nothing more to write and the client's system has all of it.
class Http2Server {
 public:
  using Talk = std::function<Http2Said(const Http2Heard&)>;

  explicit Http2Server(Talk talk, const TalkTls& tls, std::function<void()> wrote = {})
      : talk_(std::move(talk)), wrote_(std::move(wrote)), listener_(tls) {
    SSL_CTX_set_alpn_select_cb(listener_.context(), choose, nullptr);
    listener_.start([this](const TlsListener::Link& link) { run({*this, link.number, link.tls}); });
  }

  std::string url() const { return "https://127.0.0.1:" + std::to_string(listener_.port()); }
  std::size_t connections() const { return listener_.connections(); }
  std::size_t resumed() const { return listener_.resumed(); }
  std::vector<Http2Heard> heard() const {
    const std::lock_guard lock(mutex_);
    return heard_;
  }

 private:
  struct Saying {
    std::string body;
    Http2Then then = Http2Then::kEnd;
    std::size_t at = 0;
  };
  struct Link {
    Http2Server& server;
    std::size_t number;
    SSL* tls;
    nghttp2_session* session = nullptr;
    std::map<std::int32_t, Http2Heard> open = {};
    std::map<std::int32_t, Saying> said = {};
    bool is_over = false, is_mute = false;
  };

  static int choose(SSL*, const unsigned char** out, unsigned char* size, const unsigned char* in,
                    unsigned in_size, void*) {
    return nghttp2_select_next_protocol(const_cast<unsigned char**>(out), size, in, in_size) >= 0
               ? SSL_TLSEXT_ERR_OK
               : SSL_TLSEXT_ERR_NOACK;
  }

  // Requests without a body, of whoever speaks that alone.
  static void run_http1(const Link& link) {
    std::string head;
    char bytes[4'096];
    for (int came = 0; (came = SSL_read(link.tls, bytes, sizeof bytes)) > 0;) {
      head.append(bytes, static_cast<std::size_t>(came));
      if (!head.ends_with("\r\n\r\n")) continue;
      const Http2Said said = link.server.hear({link.number, 0, {}, std::exchange(head, {})});
      if (said.then == Http2Then::kMute) return link.server.listener_.wait_for_stop();
      const std::string answer = "HTTP/1.1 " + said.status +
                                 " So\r\nContent-Length: " + std::to_string(said.body.size()) +
                                 "\r\n\r\n" + said.body;
      if (SSL_write(link.tls, answer.data(), static_cast<int>(answer.size())) <= 0) return;
    }
  }

  static void run(Link link) {
    if (!speaks_http2(link.tls)) return run_http1(link);
    nghttp2_session_callbacks* callbacks = nullptr;
    nghttp2_session_callbacks_new(&callbacks);
    nghttp2_session_callbacks_set_on_header_callback(callbacks, on_header);
    nghttp2_session_callbacks_set_on_data_chunk_recv_callback(callbacks, on_data);
    nghttp2_session_callbacks_set_on_frame_recv_callback(callbacks, on_frame);
    nghttp2_session_server_new(&link.session, callbacks, &link);
    nghttp2_session_callbacks_del(callbacks);
    nghttp2_submit_settings(link.session, NGHTTP2_FLAG_NONE, nullptr, 0);
    while (!link.is_over && write(link) && read(link))
      if (link.is_mute) link.server.listener_.wait_for_stop();
    write(link);
    nghttp2_session_del(link.session);
  }
  static bool read(const Link& link) {
    std::uint8_t bytes[16'384];
    const int came = SSL_read(link.tls, bytes, sizeof bytes);
    return came > 0 &&
           nghttp2_session_mem_recv(link.session, bytes, static_cast<std::size_t>(came)) >= 0;
  }
  // Within ten seconds: a system may confirm late what it has.
  static bool is_taken(int socket) {
    int left = 1;
    for (int i = 0; i < 10'000; ++i) {
      if (::ioctl(socket, SIOCOUTQ, &left) != 0 || left == 0) break;
      ::poll(nullptr, 0, 1);
    }
    return left == 0;
  }
  static bool write(const Link& link) {
    while (true) {
      const std::uint8_t* bytes = nullptr;
      const ssize_t size = nghttp2_session_mem_send(link.session, &bytes);
      if (size == 0 && link.server.wrote_ && is_taken(SSL_get_fd(link.tls))) link.server.wrote_();
      if (size <= 0) return size == 0;
      if (SSL_write(link.tls, bytes, static_cast<int>(size)) <= 0) return false;
    }
  }

  static int on_header(nghttp2_session*, const nghttp2_frame* frame, const std::uint8_t* name,
                       std::size_t name_size, const std::uint8_t* value, std::size_t value_size,
                       std::uint8_t, void* own) {
    static_cast<Link*>(own)
        ->open[frame->hd.stream_id]
        .fields[std::string(reinterpret_cast<const char*>(name), name_size)]
        .assign(reinterpret_cast<const char*>(value), value_size);
    return 0;
  }
  static int on_data(nghttp2_session*, std::uint8_t, std::int32_t stream, const std::uint8_t* bytes,
                     std::size_t size, void* own) {
    static_cast<Link*>(own)->open[stream].body.append(reinterpret_cast<const char*>(bytes), size);
    return 0;
  }
  static int on_frame(nghttp2_session*, const nghttp2_frame* frame, void* own) {
    const bool carries = frame->hd.type == NGHTTP2_HEADERS || frame->hd.type == NGHTTP2_DATA;
    if (carries && (frame->hd.flags & NGHTTP2_FLAG_END_STREAM) != 0)
      reply(*static_cast<Link*>(own), frame->hd.stream_id);
    return 0;
  }

  Http2Said hear(Http2Heard heard) {
    const std::lock_guard lock(mutex_);
    heard.nth = heard_.size();
    heard_.push_back(heard);
    return talk_(heard);
  }
  static void reply(Link& link, std::int32_t stream) {
    link.open[stream].connection = link.number;
    const Http2Said said = link.server.hear(link.open[stream]);
    if (said.then == Http2Then::kRefuse) {
      nghttp2_submit_rst_stream(link.session, NGHTTP2_FLAG_NONE, stream, NGHTTP2_REFUSED_STREAM);
      return;
    }
    if (said.then == Http2Then::kLeave) {
      nghttp2_submit_goaway(link.session, NGHTTP2_FLAG_NONE, std::max(stream - 2, 0),
                            NGHTTP2_NO_ERROR, nullptr, 0);
      return;
    }
    link.is_over = said.then == Http2Then::kClose;
    link.is_mute = said.then == Http2Then::kMute;
    if (!said.status.empty()) submit(link, stream, said);
  }
  static void submit(Link& link, std::int32_t stream, const Http2Said& said) {
    const auto bytes = [](const std::string& text) {
      return const_cast<std::uint8_t*>(reinterpret_cast<const std::uint8_t*>(text.data()));
    };
    const std::string name = ":status";
    std::vector<nghttp2_nv> head{
        {bytes(name), bytes(said.status), name.size(), said.status.size(), NGHTTP2_NV_FLAG_NONE}};
    for (const auto& [key, value] : said.fields)
      head.push_back({bytes(key), bytes(value), key.size(), value.size(), NGHTTP2_NV_FLAG_NONE});
    link.said[stream] = {said.body, said.then, 0};
    nghttp2_data_provider provider{};
    provider.source.ptr = &link;
    provider.read_callback = next_bytes;
    nghttp2_submit_response(link.session, stream, head.data(), head.size(), &provider);
  }
  static ssize_t next_bytes(nghttp2_session* session, std::int32_t stream, std::uint8_t* into,
                            std::size_t room, std::uint32_t* flags, nghttp2_data_source* source,
                            void*) {
    auto& [body, then, at] = static_cast<Link*>(source->ptr)->said[stream];
    const std::size_t size = std::min(room, body.size() - at);
    if (size == 0 && then != Http2Then::kEnd) {
      if (then == Http2Then::kReset)
        nghttp2_submit_rst_stream(session, NGHTTP2_FLAG_NONE, stream, NGHTTP2_INTERNAL_ERROR);
      return NGHTTP2_ERR_DEFERRED;
    }
    std::copy_n(body.begin() + static_cast<std::ptrdiff_t>(at), size, into);
    at += size;
    if (at == body.size() && then == Http2Then::kEnd) *flags |= NGHTTP2_DATA_FLAG_EOF;
    return static_cast<ssize_t>(size);
  }

  Talk talk_;
  std::function<void()> wrote_;
  mutable std::mutex mutex_;
  std::vector<Http2Heard> heard_;
  TlsListener listener_;  // the last: its threads use all that stands before
};

}  // namespace gedge::test
