#include "gedge/io/udp_echoes.hpp"

#include <doctest/doctest.h>
#include <sys/resource.h>

#include <algorithm>
#include <set>

#include "gedge/io/system_network.hpp"

namespace gedge {
namespace {

constexpr Nanos kPatience{60'000'000'000};  // far beyond what loopback takes

std::vector<IpAddress> loopbacks(std::uint8_t count) {
  std::vector<IpAddress> addresses(count);
  for (std::uint8_t i = 0; i < count; ++i)
    addresses[i].bytes = {127, 78, 0, static_cast<std::uint8_t>(i + 1)};
  return addresses;
}

}  // namespace

TEST_CASE("udp echoes: each of many answers probes, from the source that was asked for") {
  auto echoes = UdpEchoes::open(loopbacks(100));
  REQUIRE(echoes);
  REQUIRE(echoes->addresses().size() == 100);
  CHECK_FALSE(echoes->answer(0));
  SystemNetwork network;
  for (const bool batched : {true, false}) {
    LinkRequest request{
        .method = ProbeMethod::kUdp, .targets = echoes->addresses(), .batched = batched};
    request.source = loopbacks(3)[2];
    const auto link = network.open(request);
    REQUIRE(link);
    std::set<std::uint32_t> answered;
    for (std::uint32_t target = 0; target < 100; ++target) {
      const Probe probe{target, 1'000 + target};
      (*link)->send({&probe, 1});
      bool answered_it = false;
      for (int look = 0; look < 10'000'000 && !answered_it; ++look)
        answered_it = echoes->answer(target);
      CHECK(answered_it);
      bool replied = false;
      for (int look = 0; look < 1'000 && !replied; ++look) {
        for (const ProbeEvent& event : (*link)->receive((*link)->now() + kPatience).events) {
          if (event.kind != ProbeEvent::Kind::kReply) continue;
          CHECK(event.cookie == 1'000 + event.target);
          answered.insert(event.target);
          replied = true;
        }
      }
    }
    CHECK(answered.size() == 100);
  }
}

TEST_CASE("udp echoes: addresses that are taken, or not of this machine, are refused") {
  const auto echoes = UdpEchoes::open(loopbacks(2));
  REQUIRE(echoes);
  const auto taken = UdpEchoes::open({loopbacks(3)[2], echoes->addresses()[1]});
  REQUIRE_FALSE(taken);
  CHECK(taken.error().code == Errc::kDenied);

  SystemNetwork network;
  LinkRequest request{.method = ProbeMethod::kUdp, .targets = echoes->addresses()};
  request.source = IpAddress{};
  request.source->bytes = {192, 0, 2, 1};  // RFC 5737: of nobody
  CHECK_FALSE(network.open(request));
}

TEST_CASE("udp echoes: too many for the limit of open files are refused, with what would help") {
  rlimit before{};
  REQUIRE(::getrlimit(RLIMIT_NOFILE, &before) == 0);
  const rlimit low{std::min<rlim_t>(before.rlim_cur, 64), before.rlim_max};
  REQUIRE(::setrlimit(RLIMIT_NOFILE, &low) == 0);
  const auto echoes = UdpEchoes::open(loopbacks(100));
  REQUIRE(::setrlimit(RLIMIT_NOFILE, &before) == 0);
  REQUIRE_FALSE(echoes);
  CHECK(echoes.error().hint.find("ulimit -n") != std::string::npos);
}

}  // namespace gedge
