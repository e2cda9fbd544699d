#include "gedge/control/agent.hpp"

#include <doctest/doctest.h>

#include <array>
#include <functional>
#include <map>

#include "unit/control/live_bytes.hpp"

namespace gedge {
namespace {

constexpr Nanos kUs{1'000}, kMs{1'000'000}, kSecond{1'000'000'000};

AgentTarget node(const std::string& name, std::uint8_t last) {
  AgentTarget target{AgentTargetKind::kNode, name, {}};
  target.address.bytes = {10, 0, 0, last};
  return target;
}

AgentOptions plain() {
  AgentOptions options;
  options.jitter_percent = 0;
  return options;
}

// A network in which every answer is decided when its probe leaves.
struct World {
  using Script = std::function<std::optional<Nanos>(const AgentTarget&, Nanos now)>;

  World(const AgentOptions& options, Script network, std::uint64_t seed = 1)
      : agent(options, seed), script(std::move(network)) {}

  // Everything that happens until then; time jumps from one event to the next.
  void run_until(Nanos end) {
    while (true) {
      const auto next = agent.next();
      Nanos at = next ? std::max(*next, now) : end;
      if (!coming.empty()) at = std::min(at, coming.begin()->first);
      if (at >= end) break;
      now = at;
      while (!coming.empty() && coming.begin()->first <= now) {
        const Probe probe = coming.begin()->second;
        coming.erase(coming.begin());
        agent.reply(probe.target, probe.cookie, now);
      }
      agent.expire(now);
      send();
    }
    now = end;
  }

  void send() {
    std::array<Probe, 16> probes;
    while (const std::size_t count = agent.due(now, probes)) {
      for (std::size_t i = 0; i < count; ++i) {
        ++sent;
        sent_at.push_back(now);
        const auto rtt = script(agent.targets()[probes[i].target], now);
        if (rtt) coming.emplace(now + *rtt, probes[i]);
      }
    }
  }

  TargetReport of(const std::string& name) const {
    for (const TargetReport& report : agent.report(now))
      if (report.target.name == name) return report;
    FAIL("no report of " << name);
    return {};
  }

  Agent agent;
  Script script;
  Nanos now{0};
  std::multimap<Nanos, Probe> coming;
  std::uint64_t sent = 0;
  std::vector<Nanos> sent_at;
};

TEST_CASE("agent: before the first round is over nothing is known, and that is not zero") {
  World world(plain(), [](const auto&, Nanos) { return kMs; });
  world.agent.set_targets({node("b", 2)}, Nanos{0});
  const TargetReport before = world.of("b");
  CHECK_FALSE(before.asked);
  CHECK(before.rtt.p50 == kUnmeasured);
  CHECK(before.rtt.probes == 0);
  CHECK(before.recent.empty());
  CHECK_FALSE(before.answered_at.has_value());
}

TEST_CASE("agent: a round measures every target, and the next one begins a period later") {
  World world(plain(), [](const AgentTarget& target, Nanos) {
    return std::optional(target.name == "b" ? 2 * kMs : 300 * kUs);
  });
  world.agent.set_targets({node("c", 3), node("b", 2)}, Nanos{0});
  world.run_until(9 * kSecond);
  CHECK(world.agent.rounds() == 1);
  CHECK(world.sent == 6);
  CHECK(world.of("b").rtt.p50 == Rtt{2'000});
  CHECK(world.of("c").rtt.max == Rtt{300});
  CHECK(world.of("c").recent == std::vector<Rtt>{Rtt{300}, Rtt{300}, Rtt{300}});
  CHECK(world.agent.report(world.now).front().target.name == "b");
  CHECK(world.agent.next() == 10 * kSecond);
}

TEST_CASE("agent: silence is loss at once, and becomes unknown once the last answer is too old") {
  AgentOptions options = plain();
  options.max_age = 30 * kSecond;
  World world(options, [](const AgentTarget& target, Nanos now) -> std::optional<Nanos> {
    const bool cut = now >= 100 * kSecond && now < 200 * kSecond;
    if (cut && target.name == "b") return std::nullopt;
    return 5 * kMs;
  });
  world.agent.set_targets({node("b", 2), node("c", 3)}, Nanos{0});
  world.run_until(99 * kSecond);
  CHECK(world.of("b").rtt.loss_ppm == 0);

  world.run_until(119 * kSecond);  // two rounds into the partition
  CHECK(world.of("b").rtt.p50 == Rtt{5'000});
  CHECK(world.of("b").rtt.loss_ppm > 600'000);

  world.run_until(149 * kSecond);  // the last answer is of 90 s
  CHECK_FALSE(world.of("b").rtt.measured());
  CHECK(world.of("b").rtt.p50 == kUnmeasured);
  CHECK(world.of("b").rtt.loss_ppm == 1'000'000);
  CHECK(world.of("b").recent.empty());
  CHECK(world.of("b").answered_at == 90 * kSecond + 400 * kMs);
  CHECK(world.of("c").rtt.loss_ppm == 0);

  world.run_until(239 * kSecond);  // it recovers by itself, and the losses age too
  CHECK(world.of("b").rtt.p50 == Rtt{5'000});
  CHECK(world.of("b").rtt.loss_ppm == 0);
  CHECK(world.of("b").lost == 30);
}

TEST_CASE("agent: a round that one silent target stretches makes no other one unknown") {
  AgentOptions options = plain();
  options.period = 150 * kMs;  // six of them are less than the timeout
  options.interval = 25 * kMs;
  World world(options, [](const AgentTarget& target, Nanos) {
    return target.name == "alive" ? std::optional(kMs) : std::nullopt;
  });
  world.agent.set_targets({node("alive", 2), node("dead", 3)}, Nanos{0});
  for (Nanos look = 100 * kMs; look < 20 * kSecond; look += 70 * kMs) {
    world.run_until(look);
    REQUIRE(world.of("alive").rtt.p95 == Rtt{1'000});
    REQUIRE(world.of("alive").rtt.loss_ppm == 0);
  }
  CHECK(world.of("dead").rtt.loss_ppm == 1'000'000);
  CHECK(world.agent.rounds() > 10);
}

TEST_CASE("agent: what the bandwidth bound stretches stays known, unless somebody bounds its age") {
  AgentOptions options = plain();
  options.period = kSecond;
  options.probe_bytes = 100;
  options.bytes_per_second = 1'000;  // ten probes a second: a round of half a minute
  std::vector<AgentTarget> targets;
  for (std::uint8_t i = 0; i < 100; ++i) targets.push_back(node("n" + std::to_string(i), i));
  const auto known_after = [&](Nanos end) {
    World world(options, [](const auto&, Nanos) { return kMs; });
    world.agent.set_targets(targets, Nanos{0});
    world.run_until(end);
    int known = 0;
    for (const TargetReport& report : world.agent.report(world.now)) {
      if (!report.rtt.measured()) continue;
      ++known;
      if (options.max_age > Nanos{0}) REQUIRE(world.now - *report.answered_at <= options.max_age);
    }
    return known;
  };
  CHECK(known_after(25 * kSecond) > 0);  // who got all its probes waits for nobody
  CHECK(known_after(25 * kSecond) < 100);
  for (const int seconds : {31, 45, 59, 75}) CHECK(known_after(seconds * kSecond) == 100);
  options.max_age = 5 * kSecond;
  for (const int seconds : {25, 30, 55, 60}) {
    CHECK(known_after(seconds * kSecond) > 0);
    CHECK(known_after(seconds * kSecond) < 100);
  }
}

TEST_CASE("agent: an answer is as old as its probe, however long others are waited for") {
  World world(plain(), [](const auto&, Nanos now) -> std::optional<Nanos> {
    if (now >= 10 * kSecond + 300 * kMs) return std::nullopt;
    return kMs + Nanos{1};
  });
  world.agent.set_targets({node("b", 2)}, Nanos{0});
  const auto too_early = [&] { return world.sent_at.back() - *world.of("b").answered_at; };
  world.run_until(5 * kSecond);
  CHECK(too_early() >= Nanos{0});
  CHECK(too_early() < kUs);
  world.run_until(15 * kSecond);  // probes at 10.0, 10.2 and 10.4 s, and no answer to the last one
  CHECK(too_early() >= 200 * kMs);
  CHECK(too_early() < 200 * kMs + kUs);
  CHECK(world.of("b").lost == 1);
}

TEST_CASE("agent: what is kept is the same after 100 and after 10,000 rounds") {
  World world(plain(), [](const auto&, Nanos) { return kMs; });
  world.agent.set_targets({node("b", 2), node("c", 3)}, Nanos{0});
  world.run_until(1'000 * kSecond);
  REQUIRE(world.agent.rounds() == 100);
  const TargetReport early = world.of("b");
  world.run_until(100'000 * kSecond);
  CHECK(world.agent.rounds() == 10'000);
  const TargetReport late = world.of("b");
  CHECK(early.recent.size() == late.recent.size());
  CHECK(late.recent.size() == 18);  // of the last six rounds
  CHECK(late.probes == 30'000);
  CHECK(world.agent.odd_replies().late == 0);
}

TEST_CASE("agent: 10,000 rounds with partitions in them take no byte more than the first 100") {
  World world(plain(), [](const AgentTarget& target, Nanos now) -> std::optional<Nanos> {
    const bool cut = now / (70 * kSecond) % 2 == 1 && target.name != "c";
    if (cut) return std::nullopt;
    return kMs + now % kMs;
  });
  world.agent.set_targets({node("b", 2), node("c", 3), node("d", 4)}, Nanos{0});
  const auto held_after = [&world](Nanos end) {
    world.run_until(end);
    std::vector<Nanos>().swap(world.sent_at);
    return test::live_bytes();
  };
  const std::int64_t early = held_after(1'009 * kSecond);  // between two rounds
  CHECK(early > 3 * 1'000);                                // a kilobyte a target, at least
  CHECK(held_after(100'009 * kSecond) == early);
  CHECK(world.agent.rounds() >= 10'000);
  CHECK(world.of("b").lost > 10'000);
}

TEST_CASE("agent: of many young outcomes only the latest are kept") {
  AgentOptions options = plain();
  options.max_age = 100'000 * kSecond;
  World world(options, [](const auto&, Nanos now) {
    return std::optional(now < 5'000 * kSecond ? 9 * kMs : kMs);
  });
  world.agent.set_targets({node("b", 2)}, Nanos{0});
  world.run_until(5'230 * kSecond);  // 23 rounds of the faster network
  CHECK(world.of("b").rtt.samples == AgentOptions::kKept);
  CHECK(world.of("b").rtt.max == Rtt{1'000});
}

TEST_CASE("agent: the bandwidth bound stretches a round, and rounds never overlap") {
  AgentOptions options = plain();
  options.period = kSecond;
  options.probe_bytes = 100;
  options.bytes_per_second = 10'000;  // a hundred probes a second
  World world(options, [](const auto&, Nanos) { return kMs; });
  std::vector<AgentTarget> targets;
  for (std::uint8_t i = 0; i < 100; ++i) targets.push_back(node("n" + std::to_string(i), i));
  world.agent.set_targets(targets, Nanos{0});
  world.run_until(60 * kSecond);
  CHECK(world.sent <= 6'000);
  CHECK(world.sent >= 5'900);
  for (std::size_t i = 0; i + 100 < world.sent_at.size(); ++i)
    REQUIRE(world.sent_at[i + 100] - world.sent_at[i] >= 990 * kMs);
  CHECK(world.agent.rounds() == 20);
}

TEST_CASE("agent: jitter spreads agents that start together, within its share of the period") {
  AgentOptions options;
  options.jitter_percent = 10;
  std::map<Nanos, int> first;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    World world(
        options, [](const auto&, Nanos) { return kMs; }, seed);
    world.agent.set_targets({node("b", 2)}, Nanos{0});
    const auto start = world.agent.next();
    REQUIRE(start);
    CHECK(*start >= Nanos{0});
    CHECK(*start < kSecond);
    ++first[*start / 100'000'000];
    world.run_until(*start + 5 * kSecond);
    const auto second = world.agent.next();
    CHECK(*second >= *start + 10 * kSecond);
    CHECK(*second < *start + 11 * kSecond);
  }
  CHECK(first.size() == 10);  // every tenth of the jitter has some
}

TEST_CASE("agent: targets come and go, and who stays at its address is still known") {
  World world(plain(), [](const auto&, Nanos) { return kMs; });
  world.agent.set_targets({node("b", 2), node("c", 3)}, Nanos{0});
  world.run_until(5 * kSecond);
  world.agent.set_targets({node("c", 4), node("d", 5), node("b", 2)}, world.now);
  CHECK(world.of("b").rtt.samples == 3);
  CHECK(world.of("c").rtt.probes == 0);  // another machine by the same name
  CHECK_FALSE(world.of("d").asked);
  CHECK(world.agent.next() == world.now);  // no need to wait for the period
  world.run_until(world.now + 3 * kSecond);
  CHECK(world.of("d").rtt.samples == 3);
  CHECK(world.of("b").rtt.samples == 6);
}

TEST_CASE("agent: who leaves in the middle of a round is not probed again, and the round goes on") {
  std::map<std::string, std::vector<Nanos>> probed;
  World world(plain(), [&](const AgentTarget& target, Nanos now) {
    probed[target.name].push_back(now);
    return std::optional(kMs);
  });
  world.agent.set_targets({node("b", 2), node("c", 3), node("d", 4)}, Nanos{0});
  world.run_until(250 * kMs);
  REQUIRE(world.agent.under_way());
  const std::size_t c_before = probed["c"].size(), d_before = probed["d"].size();
  CHECK(world.agent.keep_only({node("x", 9), node("b", 2), node("d", 44)}) == 1);
  CHECK(world.agent.report(world.now).size() == 1);
  CHECK(world.agent.keep_only({node("b", 2), node("c", 3)}) == 1);  // too late for this round
  world.run_until(30 * kSecond);
  CHECK(world.agent.rounds() == 3);
  CHECK(probed["b"].size() == 9);
  CHECK(probed["c"].size() == c_before);
  CHECK(probed["d"].size() == d_before);

  world.agent.set_targets({node("b", 2), node("c", 3)}, world.now);
  CHECK(world.of("b").rtt.samples == 9);
  CHECK(world.of("c").probes == 0);  // not asked is not lost
  world.run_until(world.now + 5 * kSecond);
  CHECK(world.of("c").rtt.samples == 3);
  CHECK(world.of("c").lost == 0);
}

TEST_CASE("agent: an answer to a round that was given up counts for nobody") {
  World world(plain(), [](const auto&, Nanos) -> std::optional<Nanos> { return 900 * kMs; });
  world.agent.set_targets({node("b", 2)}, Nanos{0});
  world.run_until(100 * kMs);
  REQUIRE(world.coming.size() == 1);
  world.agent.set_targets({node("x", 9)}, world.now);
  world.run_until(9 * kSecond);
  CHECK(world.of("x").rtt.samples == 3);
  CHECK(world.agent.odd_replies().foreign == 1);
}

TEST_CASE("agent: a cluster is a target of its own, even with the name of a node") {
  World world(plain(), [](const AgentTarget& target, Nanos) {
    return std::optional(target.kind == AgentTargetKind::kCluster ? 40 * kMs : kMs);
  });
  AgentTarget cluster = node("b", 77);
  cluster.kind = AgentTargetKind::kCluster;
  world.agent.set_targets({cluster, node("b", 2)}, Nanos{0});
  world.run_until(5 * kSecond);
  const auto reports = world.agent.report(world.now);
  REQUIRE(reports.size() == 2);
  CHECK(reports[0].rtt.p50 == Rtt{1'000});
  CHECK(reports[1].rtt.p50 == Rtt{40'000});
}

TEST_CASE("agent: without targets nothing is due, and refused probes end a round") {
  World world(plain(), [](const auto&, Nanos) { return kMs; });
  CHECK_FALSE(world.agent.next().has_value());
  std::array<Probe, 4> probes;
  CHECK(world.agent.due(kSecond, probes) == 0);

  Agent agent(plain(), 1);
  agent.set_targets({node("b", 2)}, Nanos{0});
  for (Nanos now{0}; agent.rounds() == 0; now = agent.next().value())
    for (std::size_t count = agent.due(now, probes); count > 0; count = agent.due(now, probes))
      for (std::size_t i = 0; i < count; ++i) agent.refused(probes[i].cookie);
  const TargetReport report = agent.report(kSecond).front();
  CHECK(report.asked);
  CHECK(report.rtt.loss_ppm == 1'000'000);
  CHECK(report.rtt.max == kUnmeasured);
}

}  // namespace
}  // namespace gedge
