#include "gedge/io/system_network.hpp"

#include <doctest/doctest.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "gedge/io/udp_echo.hpp"
#include "io/descriptor.hpp"
#include "io/socket_address.hpp"
#include "support/paths.hpp"

using gedge::Descriptor;
using gedge::Errc;
using gedge::IpAddress;
using gedge::IpFamily;
using gedge::LinkRequest;
using gedge::Nanos;
using gedge::Probe;
using gedge::ProbeEvent;
using gedge::ProbeLink;
using gedge::ProbeMethod;
using gedge::Refusal;
using gedge::SocketAddress;
using gedge::SystemNetwork;

namespace {

constexpr Nanos kLook{200'000'000};  // nobody waits so long, unless the machine is busy

IpAddress loopback(bool v6 = false, std::uint16_t port = 0) {
  IpAddress address;
  if (v6)
    address.bytes[15] = 1;
  else
    address.bytes = {127, 0, 0, 1};
  address.port = port;
  address.is_v6 = v6;
  return address;
}

LinkRequest request(ProbeMethod method, std::vector<IpAddress> targets) {
  LinkRequest request;
  request.method = method;
  request.targets = std::move(targets);
  request.timeout = std::chrono::hours(1);  // no machine is so busy
  return request;
}

// What the link says of these probes; `between` runs after they were sent, and after each look.
template <typename Between>
std::vector<ProbeEvent> exchange(ProbeLink& link, const std::vector<Probe>& probes,
                                 std::size_t answers, Between between) {
  std::vector<ProbeEvent> events;
  std::size_t sent = 0, settled = 0;
  for (int look = 0; look < 1'000 && settled < answers; ++look) {
    const std::size_t more = std::min(link.room(), probes.size() - sent);
    link.send(std::span(probes).subspan(sent, more));
    sent += more;
    between();
    for (const ProbeEvent& event : link.receive(link.now() + kLook).events) {
      events.push_back(event);
      settled += event.kind != ProbeEvent::Kind::kSent;
    }
  }
  return events;
}
std::vector<ProbeEvent> exchange(ProbeLink& link, const std::vector<Probe>& probes) {
  return exchange(link, probes, probes.size(), [] {});
}

// Every probe is answered once, after it left.
void check_answers(const std::vector<ProbeEvent>& events, const std::vector<Probe>& probes,
                   bool stamped) {
  for (const Probe& probe : probes) {
    std::optional<Nanos> left, answered;
    for (const ProbeEvent& event : events) {
      if (event.cookie != probe.cookie) continue;
      CHECK(event.target == probe.target);
      if (event.kind == ProbeEvent::Kind::kSent) {
        CHECK_FALSE(left.has_value());
        CHECK_FALSE(answered.has_value());  // departures are told before answers
        left = event.at;
      } else {
        CHECK(event.kind == ProbeEvent::Kind::kReply);
        CHECK_FALSE(answered.has_value());
        answered = event.at;
      }
    }
    REQUIRE(answered.has_value());
    CHECK(left.has_value() == stamped);
    if (left) CHECK(*answered > *left);
  }
}

// A port that nobody else can take, and where nobody listens: its socket hears one peer only.
IpAddress hold_port(int fd, bool v6) {
  SocketAddress own = gedge::to_socket_address(loopback(v6));
  REQUIRE(::bind(fd, &own.any, gedge::length_of(own)) == 0);
  const SocketAddress peer = gedge::to_socket_address(loopback(v6, 9));
  REQUIRE(::connect(fd, &peer.any, gedge::length_of(peer)) == 0);
  socklen_t length = sizeof own;
  REQUIRE(::getsockname(fd, &own.any, &length) == 0);
  return gedge::from_socket_address(own);
}

std::vector<Probe> probes_to(std::uint32_t targets, std::uint64_t count) {
  std::vector<Probe> probes;
  for (std::uint64_t i = 0; i < count; ++i)
    probes.push_back({static_cast<std::uint32_t>(i % targets), 0x1234'5678'9abc'0000 + i});
  return probes;
}

}  // namespace

TEST_CASE("network: echoes over IPv4 and IPv6, stamped by the kernel") {
  SystemNetwork network;
  const auto link = network.open(request(ProbeMethod::kIcmp, {loopback(), loopback(true)}));
  if (!link && link.error().code == Errc::kDenied) GEDGE_SKIP("no ICMP sockets here");
  REQUIRE(link);
  const auto probes = probes_to(2, 6);
  check_answers(exchange(**link, probes), probes, true);
}

TEST_CASE("network: echoes of any size, of odd ones too") {
  SystemNetwork network;
  for (const std::size_t size : {16U, 17U, 18U, 19U, 1'000U, 60'001U}) {
    for (const bool v6 : {false, true}) {
      LinkRequest wanted = request(ProbeMethod::kIcmp, {loopback(v6)});
      wanted.size = size;
      const auto link = network.open(wanted);
      if (!link && link.error().code == Errc::kDenied) GEDGE_SKIP("no ICMP sockets here");
      REQUIRE(link);
      const auto probes = probes_to(1, 2);
      check_answers(exchange(**link, probes), probes, true);
    }
  }
}

TEST_CASE("network: a batch of echoes to many targets comes back whole") {
  SystemNetwork network;
  std::vector<IpAddress> targets;
  for (std::uint8_t i = 1; i <= 100; ++i) {
    targets.push_back(loopback());
    targets.back().bytes[3] = i;
  }
  LinkRequest wanted = request(ProbeMethod::kIcmp, targets);
  wanted.batched = true;
  const auto link = network.open(wanted);
  if (!link && link.error().code == Errc::kDenied) GEDGE_SKIP("no ICMP sockets here");
  REQUIRE(link);
  CHECK((*link)->room() > 1);
  const auto probes = probes_to(100, 500);
  check_answers(exchange(**link, probes), probes, false);
}

TEST_CASE("network: two links at once do not take each other's echoes") {
  SystemNetwork network;
  const auto first = network.open(request(ProbeMethod::kIcmp, {loopback()}));
  const auto second = network.open(request(ProbeMethod::kIcmp, {loopback()}));
  if (!first && first.error().code == Errc::kDenied) GEDGE_SKIP("no ICMP sockets here");
  REQUIRE(first);
  REQUIRE(second);
  const auto probes = probes_to(1, 3);
  check_answers(exchange(**first, probes), probes, true);
  CHECK((*second)->receive(Nanos{0}).events.empty());
}

TEST_CASE("network: handshakes are timed by the kernel, refusals are answers") {
  SystemNetwork network;
  for (const bool v6 : {false, true}) {
    const Descriptor listener(::socket(v6 ? AF_INET6 : AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    sockaddr_storage address{};
    address.ss_family = v6 ? AF_INET6 : AF_INET;
    socklen_t length = v6 ? sizeof(sockaddr_in6) : sizeof(sockaddr_in);
    auto* any = reinterpret_cast<sockaddr*>(&address);
    REQUIRE(::bind(listener.get(), any, length) == 0);
    REQUIRE(::getsockname(listener.get(), any, &length) == 0);
    const std::uint16_t port = ntohs(v6 ? reinterpret_cast<sockaddr_in6*>(&address)->sin6_port
                                        : reinterpret_cast<sockaddr_in*>(&address)->sin_port);

    const auto refused = network.open(request(ProbeMethod::kTcp, {loopback(v6, port)}));
    REQUIRE(refused);
    const auto probes = probes_to(1, 3);
    check_answers(exchange(**refused, probes), probes, false);

    REQUIRE(::listen(listener.get(), 8) == 0);
    const auto taken = network.open(request(ProbeMethod::kTcp, {loopback(v6, port)}));
    check_answers(exchange(**taken, probes), probes, true);
  }
}

TEST_CASE("network: datagrams come back from the one who echoes them") {
  SystemNetwork network;
  for (const bool v6 : {false, true}) {
    auto echo = gedge::UdpEcho::open(loopback(v6));
    REQUIRE(echo);
    REQUIRE(echo->address().port != 0);
    const auto link = network.open(request(ProbeMethod::kUdp, {echo->address()}));
    REQUIRE(link);
    const auto probes = probes_to(1, 4);
    check_answers(exchange(**link, probes, probes.size(), [&] { echo->answer(); }), probes, true);
  }
}

TEST_CASE("network: an echo on all addresses answers from the one that was asked") {
  SystemNetwork network;
  for (const bool v6 : {false, true}) {
    IpAddress any;
    any.is_v6 = v6;
    auto echo = gedge::UdpEcho::open(any);
    REQUIRE(echo);
    // Left to itself, the system would answer from 127.0.0.1.
    IpAddress second = loopback(false, echo->address().port);
    second.bytes[3] = 2;
    const auto link =
        network.open(request(ProbeMethod::kUdp, {second, loopback(v6, echo->address().port)}));
    REQUIRE(link);
    const auto probes = probes_to(2, 4);
    check_answers(exchange(**link, probes, probes.size(), [&] { echo->answer(); }), probes, true);
  }
}

TEST_CASE("network: who echoes datagrams answers questions only, never answers or strangers") {
  auto echo = gedge::UdpEcho::open(loopback());
  auto other = gedge::UdpEcho::open(loopback());
  REQUIRE(echo);
  REQUIRE(other);
  sockaddr_in to{};
  to.sin_family = AF_INET;
  to.sin_port = htons(echo->address().port);
  to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  const auto say = [&](const std::string& bytes) {
    // As if the other echo had said it.
    REQUIRE(::sendto(other->descriptor(), bytes.data(), bytes.size(), 0,
                     reinterpret_cast<const sockaddr*>(&to), sizeof to) >= 0);
    return echo->answer();
  };
  CHECK(say("") == 0);
  CHECK(say("short") == 0);
  CHECK(say(std::string(1'000, 'x')) == 0);
  CHECK(say(std::string("1gdg") + std::string(12, '\0')) == 1);
  CHECK(other->answer() == 0);  // what came back is an answer
  CHECK(say(std::string("2gdg") + std::string(12, '\0')) == 0);
}

TEST_CASE("network: datagrams to nobody come back as refused, and nobody pays for another") {
  SystemNetwork network;
  for (const bool v6 : {false, true}) {
    auto echo = gedge::UdpEcho::open(loopback(v6));
    REQUIRE(echo);
    const Descriptor holder(::socket(v6 ? AF_INET6 : AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
    const IpAddress nobody = hold_port(holder.get(), v6);
    const auto link = network.open(request(ProbeMethod::kUdp, {nobody, echo->address()}));
    REQUIRE(link);
    const auto probes = probes_to(2, 6);
    std::size_t refused = 0, answered = 0;
    for (const ProbeEvent& event :
         exchange(**link, probes, probes.size(), [&] { echo->answer(); })) {
      if (event.kind == ProbeEvent::Kind::kSent) continue;
      (event.kind == ProbeEvent::Kind::kRefused ? refused : answered) += 1;
      CHECK((event.target == 0) == (event.kind == ProbeEvent::Kind::kRefused));
      CHECK(event.refusal == (event.target == 0 ? Refusal::kClosed : Refusal::kNone));
    }
    CHECK(refused == 3);
    CHECK(answered == 3);
  }
}

TEST_CASE("network: what cannot leave comes back as refused, with the reason") {
  SystemNetwork network;
  IpAddress broadcast = loopback(false, 9);
  broadcast.bytes = {255, 255, 255, 255};  // which no socket may send to without being asked
  const auto link = network.open(request(ProbeMethod::kUdp, {broadcast}));
  REQUIRE(link);
  const auto probes = probes_to(1, 1);
  const auto events = exchange(**link, probes);
  REQUIRE(events.size() == 1);
  CHECK(events[0].kind == ProbeEvent::Kind::kRefused);
  CHECK(events[0].refusal != Refusal::kNone);
  CHECK(events[0].cookie == probes[0].cookie);
}

TEST_CASE("network: addresses of names, of either family") {
  SystemNetwork network;
  const auto v4 = network.resolve("127.0.0.1", IpFamily::kAny);
  REQUIRE(v4);
  CHECK(*v4 == loopback());
  const auto v6 = network.resolve("::1", IpFamily::kAny);
  REQUIRE(v6);
  CHECK(*v6 == loopback(true));
  const auto mapped = network.resolve("::ffff:127.0.0.1", IpFamily::kAny);
  REQUIRE(mapped);
  CHECK(*mapped == loopback());
  const auto wrong = network.resolve("127.0.0.1", IpFamily::kV6);
  REQUIRE_FALSE(wrong);
  CHECK(wrong.error().code == Errc::kNotFound);
}

TEST_CASE("network: sizes out of bounds and requests without targets are refused") {
  SystemNetwork network;
  CHECK(network.open(request(ProbeMethod::kUdp, {})).error().code == Errc::kInvalidInput);
  LinkRequest small = request(ProbeMethod::kUdp, {loopback()});
  small.size = gedge::kLeastProbeSize - 1;
  CHECK(network.open(small).error().code == Errc::kInvalidInput);
  LinkRequest large = request(ProbeMethod::kUdp, {loopback()});
  large.size = gedge::kMostProbeSize + 1;
  CHECK(network.open(large).error().code == Errc::kInvalidInput);
}

TEST_CASE("network: keys differ, and this machine has a name") {
  SystemNetwork network;
  CHECK(network.random_key() != network.random_key());
  CHECK_FALSE(network.host_name().empty());
}
