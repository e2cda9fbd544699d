#include "io/http2_link.hpp"

#include <doctest/doctest.h>
#include <linux/sockios.h>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>

#include <deque>
#include <latch>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "api_calls.hpp"
#include "http2_server.hpp"
#include "io/numeric_server.hpp"

namespace gedge {
namespace {

using test::bind_request;
using test::Credentials;
using test::Http2Heard;
using test::Http2Said;
using test::Http2Server;
using test::Http2Then;
using test::kYear;
using test::make_credentials;
using test::TalkTls;

constexpr Nanos kNow{1'000'000'000};
constexpr int kPatience = 60'000;  // milliseconds; far beyond what loopback takes
constexpr std::size_t kFiller = 16'000;

struct HandClock final : Clock {
  Micros time{1'000'000};
  Micros now() const override { return time; }
};

/// A server that stops reading while it holds its second request, and a link to it. Nothing is ever
/// said to who asks it to stay.
struct Held {
  Held()
      : own(make_credentials("kube.test", kYear)),
        server(
            [this](const Http2Heard& heard) {
              if (heard.nth == 1) {
                holds.count_down();
                goes_on.wait();
              }
              if (heard.body == "stay") return Http2Said{"", "", {}, Http2Then::kStay};
              return Http2Said{"ok"};
            },
            TalkTls{own}),
        epoll(::epoll_create1(EPOLL_CLOEXEC)) {
    ApiEndpoint endpoint;
    endpoint.server = server.url();
    endpoint.trusted = own.certificate;
    tls = make_client_tls(endpoint);
    const auto library = Http2Library::get();
    REQUIRE(library);
    link.emplace(**library, limits, clock, news, epoll.get(), 0);
    REQUIRE(link->begin(tls.get(), {numeric_server(endpoint)->address, "kube.test"}, kNow));
    while (link->state() != Http2Link::State::kOpen) act(POLLIN | POLLOUT);
    const Http2Call& first = send(bind_request());
    while (!first.is_whole) act(POLLIN);  // behind the settings of the server
    send(bind_request());
    holds.wait();
  }

  void act(short events) {
    pollfd socket{link->descriptor(), events, 0};
    REQUIRE(::poll(&socket, 1, kPatience) == 1);
    link->act(static_cast<std::uint32_t>(socket.revents), kNow);
  }
  Http2Call& send(ApiRequest request, const std::string& path = "/") {
    Http2Call& call = *calls.emplace_back(std::make_unique<Http2Call>(limits));
    call.request = std::move(request);
    REQUIRE(link->submit(
        call,
        {{":method", "POST"}, {":scheme", "https"}, {":authority", "kube.test"}, {":path", path}}));
    link->flush();
    return call;
  }
  int queued() const {
    int bytes = 0;
    REQUIRE(::ioctl(link->descriptor(), SIOCOUTQ, &bytes) == 0);
    return bytes;
  }
  bool is_writable() const {
    pollfd socket{link->descriptor(), POLLOUT, 0};
    return ::poll(&socket, 1, 0) == 1;
  }
  /// Until the system takes no more.
  void fill() {
    const std::string path = "/" + std::string(kFiller, 'x');
    for (int before = -1; is_writable() || before != queued();) {
      before = queued();
      send(bind_request(), path);
    }
  }

  Credentials own;
  std::latch holds{1}, goes_on{1};
  HandClock clock;
  ApiLimits limits;
  Http2News news;
  Http2Server server;
  Descriptor epoll;
  ClientTls tls;
  std::deque<std::unique_ptr<Http2Call>> calls;
  std::optional<Http2Link> link;
};

ApiRequest bind_by(Nanos moment) {
  ApiRequest bind = bind_request();
  bind.send_by = moment;
  return bind;
}

}  // namespace

TEST_CASE("http2 link: what was packed in time, and could not leave in time, never leaves") {
  for (const bool is_late : {false, true}) {
    CAPTURE(is_late);
    Held held;
    held.fill();
    const Http2Call& bind = held.send(bind_by(Nanos(held.clock.time) + Nanos{1'000}), "/bind");
    CHECK(bind.is_sent);
    if (is_late) held.clock.time += Micros{1};
    held.goes_on.count_down();
    while (held.link->state() == Http2Link::State::kOpen && !bind.is_whole)
      held.act(POLLIN | POLLOUT);
    CHECK(bind.is_whole != is_late);
  }
}

TEST_CASE("http2 link: a body whose rest could not leave in time is never whole") {
  for (const bool is_late : {false, true}) {
    CAPTURE(is_late);
    Held held;
    ApiRequest large = bind_by(Nanos(held.clock.time) + Nanos{1'000});
    large.body.assign(100'000, 'x');  // more than the window
    const Http2Call& bind = held.send(large);
    CHECK(bind.body_sent > 0);
    CHECK(bind.body_sent < large.body.size());
    if (is_late) held.clock.time += Micros{1};
    held.goes_on.count_down();
    while (held.link->state() == Http2Link::State::kOpen && !bind.is_whole) {
      held.act(POLLIN);
      held.link->flush();
    }
    CHECK(bind.is_whole != is_late);
  }
}

TEST_CASE("http2 link: a server that says nothing is asked for a sign of life, and may give it") {
  Held held;
  held.goes_on.count_down();
  while (held.link->calls() > 0) held.act(POLLIN);
  ApiRequest stay = bind_request();
  stay.body = "stay";
  held.send(stay);
  const Nanos silent = kNow + held.limits.silence;
  CHECK(held.link->check_peer(silent - Nanos{1}) == silent);
  CHECK(held.link->check_peer(silent) == silent + held.limits.sign_within);
  held.link->flush();
  while (held.link->check_peer(kNow) != silent) held.act(POLLIN);  // until it was heard of
  CHECK(held.link->state() == Http2Link::State::kOpen);
}

TEST_CASE("http2 link: a server that gives no sign of life is gone in time, and no sooner") {
  Held held;
  const Nanos silent = kNow + held.limits.silence, gone = silent + held.limits.sign_within;
  CHECK(held.link->check_peer(silent) == gone);
  held.link->flush();
  CHECK(held.link->check_peer(gone - Nanos{1}) == gone);
  CHECK(held.link->state() == Http2Link::State::kOpen);
  CHECK_FALSE(held.link->check_peer(gone));
  CHECK(held.link->state() == Http2Link::State::kOver);
  held.goes_on.count_down();
}

}  // namespace gedge
