#include "io/http2_calls.hpp"

#include <doctest/doctest.h>
#include <sys/epoll.h>

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "api_calls.hpp"
#include "gedge/io/clock.hpp"
#include "http2_server.hpp"

namespace gedge {
namespace {

using test::bind_request;
using test::Credentials;
using test::Http2Heard;
using test::Http2Said;
using test::Http2Server;
using test::kYear;
using test::make_credentials;
using test::TalkTls;

constexpr Nanos kNow{1'000'000'000};

struct Sink final : CallSink {
  void opened(std::uint64_t) override {}
  void line(std::uint64_t, std::string_view) override {}
  void over(CallOver&& call) override { ended.push_back(std::move(call)); }

  std::vector<CallOver> ended;
};

/// Calls of one server, that are waited for.
struct Asking {
  explicit Asking(const ApiEndpoint& endpoint)
      : access(*ApiAccess::make(endpoint)),
        calls(Http2Calls::make(*access, limits, steady_clock(), epoll.get(), 0)) {
    REQUIRE(calls);
  }

  /// The status; 0: none came.
  unsigned ask(ApiLane lane) {
    constexpr int kMostRounds = 1'000, kPatience = 60'000;  // milliseconds
    ApiRequest request = bind_request();
    request.lane = lane;
    sink.ended.clear();
    calls->send(next++, std::move(request), false, now());
    for (int round = 0; round < kMostRounds; ++round) {
      calls->settle(sink, now());
      if (!sink.ended.empty()) break;
      calls->flush();
      epoll_event event{};
      if (::epoll_wait(epoll.get(), &event, 1, kPatience) != 1) break;
      calls->act(static_cast<std::uint32_t>(event.data.u64 >> 32U),
                 static_cast<int>(event.data.u64 & 0xffffffffU), event.events, now());
    }
    return sink.ended.empty() ? 0 : sink.ended.front().answer.status;
  }
  static Nanos now() { return Nanos(steady_clock().now()); }

  const ApiLimits limits;
  const Descriptor epoll{::epoll_create1(EPOLL_CLOEXEC)};
  std::unique_ptr<ApiAccess> access;
  std::unique_ptr<Http2Calls> calls;
  Sink sink;
  std::uint64_t next = 1;
};

ApiIdentity identity_of(const Credentials& credentials) {
  ApiIdentity identity;
  identity.certificate = credentials.certificate;
  identity.key = Secret(credentials.key);
  return identity;
}

ApiEndpoint endpoint_of(const Http2Server& server, const Credentials& trusted,
                        const Credentials& client) {
  ApiEndpoint endpoint;
  endpoint.server = server.url();
  endpoint.tls_server_name = "kube.test";
  endpoint.trusted = trusted.certificate;
  endpoint.identity = identity_of(client);
  return endpoint;
}

}  // namespace

TEST_CASE(
    "http2 calls: the next connection goes on from what was agreed with the server, but not for "
    "whoever shows something else, or trusts somebody else") {
  const Credentials own = make_credentials("kube.test", kYear),
                    first = make_credentials("first", kYear),
                    second = make_credentials("second", kYear);
  Http2Server server([](const Http2Heard&) { return Http2Said{"ok"}; },
                     TalkTls{own, first.certificate + second.certificate});
  Asking asking(endpoint_of(server, own, first));
  CHECK(asking.ask(ApiLane::kRead) == 200);
  CHECK(server.resumed() == 0);
  CHECK(asking.ask(ApiLane::kWrite) == 200);
  CHECK(server.connections() == 2);
  CHECK(server.resumed() == 1);

  REQUIRE(asking.access->adopt(identity_of(second), own.certificate, 2));
  CHECK(asking.ask(ApiLane::kRead) == 200);
  CHECK(server.connections() == 3);
  CHECK(server.resumed() == 1);
  CHECK(asking.ask(ApiLane::kWrite) == 200);
  CHECK(server.connections() == 4);
  CHECK(server.resumed() == 2);

  REQUIRE(asking.access->adopt(identity_of(second), first.certificate, 3));
  CHECK(asking.ask(ApiLane::kRead) == 0);
  CHECK(server.resumed() == 2);
}

TEST_CASE("http2 calls: where nothing comes of what was agreed before, the next begins anew") {
  const Credentials own = make_credentials("kube.test", kYear),
                    client = make_credentials("gedge", kYear);
  Http2Server server([](const Http2Heard&) { return Http2Said{"ok"}; },
                     TalkTls{own, client.certificate, false, true});
  Asking asking(endpoint_of(server, own, client));
  CHECK(asking.ask(ApiLane::kRead) == 200);
  CHECK(asking.ask(ApiLane::kWrite) == 0);
  CHECK(asking.ask(ApiLane::kWrite) == 200);
  CHECK(server.resumed() == 0);
}

TEST_CASE(
    "http2 calls: with credentials that no connection can show, others serve until there are "
    "better") {
  const Credentials own = make_credentials("kube.test", kYear);
  Http2Server server([](const Http2Heard&) { return Http2Said{"ok"}; }, TalkTls{own});
  ApiEndpoint endpoint;
  endpoint.server = server.url();
  endpoint.trusted = own.certificate;
  const auto access = ApiAccess::make(endpoint);
  REQUIRE(access);
  const Descriptor epoll(::epoll_create1(EPOLL_CLOEXEC));
  const Clock& clock = steady_clock();
  const ApiLimits limits;
  const auto calls = Http2Calls::make(**access, limits, clock, epoll.get(), 0);
  REQUIRE(calls);
  Sink sink;
  std::uint64_t generation = 1;
  for (const bool is_useful : {true, false, true}) {
    CAPTURE(generation);
    REQUIRE((*access)->adopt({}, is_useful ? own.certificate : "garbage", ++generation));
    for (int i = 0; i < 2; ++i) {
      sink.ended.clear();
      calls->send(generation, bind_request(), false, kNow);
      calls->settle(sink, kNow);
      CHECK(calls->serves());
      CHECK(sink.ended.size() == (is_useful ? 0 : 1));
      for (const CallOver& call : sink.ended) CHECK(call.is_unserved);
      calls->cancel(generation);
    }
  }
}

}  // namespace gedge
