#include "io/http2_calls.hpp"

#include <doctest/doctest.h>
#include <sys/epoll.h>

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

}  // namespace

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
