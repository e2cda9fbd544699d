#include "gedge/latency/prober.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <set>
#include <vector>

#include "support/dice.hpp"

using gedge::kUnmeasured;
using gedge::Nanos;
using gedge::Probe;
using gedge::Prober;
using gedge::Reply;
using gedge::Rtt;
using gedge::RttSamples;
using gedge::RttSummary;

namespace {

constexpr Nanos kMs{1'000'000};
constexpr std::uint64_t kKey = 42;

Nanos ms(std::int64_t count) { return kMs * count; }

std::vector<Probe> due(Prober& prober, Nanos now, std::size_t room = 64) {
  std::vector<Probe> probes(room);
  probes.resize(prober.due(now, probes));
  return probes;
}

// A prober of one target, and its first probe, sent at 0.
struct OneProbe {
  explicit OneProbe(std::uint32_t count = 1)
      : prober({count, ms(10), ms(100), Nanos{0}}, 1, kKey, Nanos{0}),
        probe(due(prober, Nanos{0}).at(0)) {}
  Prober prober;
  Probe probe;
};

}  // namespace

TEST_CASE("prober: an answer at the timeout counts, a nanosecond later it is lost") {
  OneProbe in_time;
  CHECK(in_time.prober.reply(0, in_time.probe.cookie, ms(100)) == Reply::kCounted);
  CHECK(in_time.prober.samples(0).summary().p50 == Rtt{100'000});
  CHECK(in_time.prober.done());

  OneProbe late;
  CHECK(late.prober.reply(0, late.probe.cookie, ms(100) + Nanos{1}) == Reply::kLate);
  CHECK(late.prober.samples(0).summary().p50 == kUnmeasured);
  CHECK(late.prober.samples(0).lost() == 1);
  CHECK(late.prober.done());
}

TEST_CASE("prober: silence is a loss once the timeout has passed, not before") {
  OneProbe one;
  one.prober.expire(ms(100));
  CHECK_FALSE(one.prober.done());
  CHECK(one.prober.next() == ms(100) + Nanos{1});
  one.prober.expire(*one.prober.next());
  CHECK(one.prober.done());
  CHECK_FALSE(one.prober.next());
  CHECK(one.prober.samples(0).summary().loss_ppm == 1'000'000);
  CHECK(one.prober.reply(0, one.probe.cookie, ms(50)) == Reply::kLate);
  CHECK(one.prober.samples(0).answered() == 0);
}

TEST_CASE("prober: the stamp of the kernel replaces that of the driver") {
  OneProbe one;
  one.prober.sent(one.probe.cookie, ms(3));
  CHECK(one.prober.reply(0, one.probe.cookie, ms(10)) == Reply::kCounted);
  CHECK(one.prober.samples(0).summary().p50 == Rtt{7'000});
  one.prober.sent(one.probe.cookie, ms(9));  // too late: nothing changes
  CHECK(one.prober.samples(0).summary().p50 == Rtt{7'000});
}

TEST_CASE(
    "prober: who may have left late has its whole timeout, and its time is not made shorter") {
  OneProbe one(2);
  one.prober.departed_by(std::vector<Probe>{one.probe}, ms(30));
  one.prober.expire(ms(130));
  CHECK(one.prober.samples(0).lost() == 0);
  CHECK(one.prober.reply(0, one.probe.cookie, ms(130)) == Reply::kCounted);
  CHECK(one.prober.samples(0).summary().p50 == Rtt{130'000});

  const Probe second = due(one.prober, ms(200)).at(0);
  one.prober.departed_by(std::vector<Probe>{second}, ms(230));
  one.prober.expire(ms(330));
  CHECK(one.prober.next() == ms(330) + Nanos{1});
  one.prober.expire(ms(330) + Nanos{1});
  CHECK(one.prober.samples(0).lost() == 1);
  CHECK(one.prober.done());
}

TEST_CASE("prober: a second answer is a duplicate and changes nothing") {
  OneProbe one(2);
  CHECK(one.prober.reply(0, one.probe.cookie, ms(5)) == Reply::kCounted);
  CHECK(one.prober.reply(0, one.probe.cookie, ms(1)) == Reply::kDuplicate);
  CHECK(one.prober.samples(0).answered() == 1);
  CHECK(one.prober.samples(0).summary().min == Rtt{5'000});
  CHECK(one.prober.odd_replies().duplicate == 1);
}

TEST_CASE("prober: an answer from before its question is not believed, the true one still is") {
  OneProbe one;
  one.prober.sent(one.probe.cookie, ms(3));
  CHECK(one.prober.reply(0, one.probe.cookie, ms(2)) == Reply::kImpossible);
  CHECK_FALSE(one.prober.done());
  CHECK(one.prober.reply(0, one.probe.cookie, ms(4)) == Reply::kCounted);
}

TEST_CASE("prober: cookies of others, of other targets and of other runs are foreign") {
  Prober prober({1, ms(10), ms(100), Nanos{0}}, 2, kKey, Nanos{0});
  const Probe probe = due(prober, Nanos{0}).at(0);
  Prober other({1, ms(10), ms(100), Nanos{0}}, 2, kKey + 1, Nanos{0});
  const Probe theirs = due(other, Nanos{0}).at(0);
  CHECK(probe.cookie != theirs.cookie);
  CHECK(prober.reply(probe.target, theirs.cookie, ms(1)) == Reply::kForeign);
  CHECK(prober.reply(1 - probe.target, probe.cookie, ms(1)) == Reply::kForeign);
  gedge::test::Dice dice(5);
  for (int guess = 0; guess < 10'000; ++guess)
    REQUIRE(prober.reply(probe.target, dice.next(), ms(1)) == Reply::kForeign);
  CHECK(prober.odd_replies().foreign == 10'002);
  CHECK(prober.samples(0).answered() + prober.samples(1).answered() == 0);
}

TEST_CASE("prober: a probe that could not leave is lost at once") {
  OneProbe one;
  one.prober.refused(one.probe.cookie);
  one.prober.refused(one.probe.cookie);
  CHECK(one.prober.done());
  CHECK(one.prober.samples(0).lost() == 1);
}

TEST_CASE("prober: probes to a target keep their interval, those to others spread between them") {
  Prober prober({3, ms(100), ms(1'000), Nanos{0}}, 4, kKey, ms(7));
  std::map<std::uint32_t, std::vector<Nanos>> sent_to;
  for (Nanos now = ms(7); prober.under_way() < prober.total(); now = *prober.next())
    for (const Probe& probe : due(prober, now)) sent_to[probe.target].push_back(now);
  for (std::uint32_t target = 0; target < 4; ++target) {
    const Nanos first = ms(7 + 25 * static_cast<std::int64_t>(target));
    CHECK(sent_to[target] == std::vector<Nanos>{first, first + ms(100), first + ms(200)});
  }
}

TEST_CASE("prober: a driver that comes late sends every probe, but not all at once") {
  Prober prober({5, ms(10), ms(1'000), Nanos{0}}, 1, kKey, Nanos{0});
  CHECK(due(prober, ms(1'000)).size() == 2);  // the missed one and the one that is due
  CHECK(due(prober, ms(1'000)).empty());
  CHECK(prober.next() == ms(1'010));
  std::size_t left = 0;
  for (Nanos now = ms(1'010); now < ms(1'100); now += kMs) left += due(prober, now).size();
  CHECK(left == 3);
}

TEST_CASE("prober: the gap bounds the rate, with what was missed in the last millisecond") {
  Prober prober({1'000, Nanos{0}, ms(1'000), Nanos{10'000}}, 10, kKey, Nanos{0});
  CHECK(due(prober, Nanos{0}).size() == 1);
  CHECK(due(prober, Nanos{9'999}).empty());
  CHECK(due(prober, Nanos{10'000}).size() == 1);
  CHECK(due(prober, ms(500), 1'000).size() == 101);
  CHECK(prober.next() == ms(500) + Nanos{10'000});
}

TEST_CASE("prober: without interval and gap, targets take turns") {
  Prober prober({3, Nanos{0}, ms(10), Nanos{0}}, 5, kKey, Nanos{0});
  const std::vector<Probe> probes = due(prober, Nanos{0});
  REQUIRE(probes.size() == 15);
  std::set<std::uint64_t> cookies;
  for (std::size_t i = 0; i < probes.size(); ++i) {
    CHECK(probes[i].target == i % 5);
    cookies.insert(probes[i].cookie);
  }
  CHECK(cookies.size() == 15);
}

TEST_CASE("prober: an answer to a probe that is long forgotten is late, not foreign") {
  Prober prober({5'000, Nanos{0}, ms(10), Nanos{0}}, 1, kKey, Nanos{0});
  const Probe first = due(prober, Nanos{0}, 1).at(0);
  prober.expire(ms(20));
  for (int round = 0; round < 4'000; ++round)
    for (const Probe& probe : due(prober, ms(20), 1)) prober.reply(0, probe.cookie, ms(21));
  CHECK(prober.reply(0, first.cookie, ms(22)) == Reply::kLate);
}

TEST_CASE("prober: what was forgotten is late, not foreign, once more is remembered again") {
  constexpr std::size_t kRemembered = 1'024;  // until more are under way
  Prober prober({5 * kRemembered, Nanos{0}, ms(10), Nanos{0}}, 2, kKey, Nanos{0});
  std::vector<Probe> old;
  for (std::size_t i = 0; i < kRemembered; ++i) {
    old.push_back(due(prober, Nanos{0}, 1).at(0));
    prober.reply(old.back().target, old.back().cookie, ms(1));
  }
  const auto under_way = due(prober, ms(1), kRemembered + 1);
  REQUIRE(under_way.size() == kRemembered + 1);
  for (const Probe& probe : old)
    REQUIRE(prober.reply(probe.target, probe.cookie, ms(2)) == Reply::kLate);
  for (const Probe& probe : under_way)
    REQUIRE(prober.reply(probe.target, probe.cookie, ms(2)) == Reply::kCounted);
  CHECK(prober.reply(under_way[0].target, under_way[0].cookie, ms(2)) == Reply::kDuplicate);
  CHECK(prober.odd_replies().foreign == 0);
}

namespace {

// A network that delays, loses, repeats and reorders, and the truth about what it did.
struct Network {
  struct Packet {
    Nanos at;
    Probe probe;
  };
  explicit Network(std::uint64_t seed) : dice(seed) {}

  void take(const Probe& probe, Nanos now) {
    if (dice.chance(10)) return;
    const Nanos delay{dice.between(1, 130'000'000)};
    packets.push_back({now + delay, probe});
    if (dice.chance(10)) packets.push_back({now + delay + Nanos{dice.between(0, 1'000)}, probe});
    if (delay <= ms(100)) truth[probe.target].push_back(delay);
  }
  std::vector<Packet> arrived(Nanos now) {
    const auto due = std::stable_partition(packets.begin(), packets.end(),
                                           [now](const Packet& p) { return p.at <= now; });
    std::vector<Packet> out(packets.begin(), due);
    packets.erase(packets.begin(), due);
    std::stable_sort(out.begin(), out.end(),
                     [](const Packet& a, const Packet& b) { return a.at < b.at; });
    return out;
  }

  gedge::test::Dice dice;
  std::vector<Packet> packets;
  std::map<std::uint32_t, std::vector<Nanos>> truth;
};

}  // namespace

TEST_CASE("prober: whatever a network does, samples and losses are what it did") {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    constexpr std::uint32_t kTargets = 30, kCount = 40;
    Network network(seed);
    Prober prober({kCount, ms(3), ms(100), Nanos{50'000}}, kTargets, seed, Nanos{0});
    std::size_t steps = 0;
    for (Nanos now{0}; !prober.done() && steps < 1'000'000; ++steps) {
      for (const auto& packet : network.arrived(now))
        prober.reply(packet.probe.target, packet.probe.cookie, packet.at);
      prober.expire(now);
      for (const Probe& probe : due(prober, now, 4)) network.take(probe, now);
      now += Nanos{network.dice.between(1, 2'000'000)};
    }
    REQUIRE(prober.done());
    for (std::uint32_t target = 0; target < kTargets; ++target) {
      std::vector<Nanos>& truth = network.truth[target];
      RttSamples expected;
      for (const Nanos rtt : truth) expected.add(rtt);
      const RttSummary told = prober.samples(target).summary(), wanted = expected.summary();
      REQUIRE(told.samples == truth.size());
      REQUIRE(told.probes == kCount);
      REQUIRE(told.min == wanted.min);
      REQUIRE(told.p50 == wanted.p50);
      REQUIRE(told.p95 == wanted.p95);
      REQUIRE(told.max == wanted.max);
      REQUIRE(told.mean == wanted.mean);
    }
  }
}
