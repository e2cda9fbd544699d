#include "gedge/drive/agent_loop.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <set>
#include <string>

#include "gedge/sim/scripted_network.hpp"

namespace gedge {
namespace {

constexpr Nanos kMs{1'000'000}, kSecond{1'000'000'000};
// Of a loop that never gets where it should.
constexpr std::size_t kMostLooks = 10'000;

AgentTarget node(const std::string& name, std::uint8_t last) {
  AgentTarget target{AgentTargetKind::kNode, name, {}};
  target.address.bytes = {10, 0, 0, last};
  return target;
}

// A second passes with every look.
class HastyClock final : public Clock {
 public:
  Micros now() const override { return Micros{1'000'000 * looks_++}; }

 private:
  mutable std::atomic<std::int64_t> looks_{0};
};

// Every address that a probe leaves to belongs to one of `peers` at that moment, or is a stranger.
struct WatchedNetwork {
  std::vector<AgentTarget> peers;
  std::size_t strangers = 0;
  std::size_t probed = 0;  // the link that the last probe left by, from 1 on
  ScriptedNetwork network{[this](std::uint32_t target, auto) {
    const IpAddress& address = network.opened.back().targets[target];
    const bool known = std::any_of(peers.begin(), peers.end(), [&](const AgentTarget& peer) {
      return peer.address == address;
    });
    if (!known) ++strangers;
    probed = network.opened.size();
    return Fate{{kMs}};
  }};
};

AgentLoopOptions options() {
  AgentLoopOptions options;
  options.agent.jitter_percent = 0;
  options.refresh = Micros{3'600'000'000};
  return options;
}

}  // namespace

TEST_CASE("agent loop: rounds are driven through the link, and whoever asks sees what is known") {
  ScriptedNetwork network(
      [](std::uint32_t target, auto) { return target == 1 ? Fate{} : Fate{{2 * kMs}}; });
  const HastyClock clock;
  AgentLoop* running = nullptr;
  int rounds = 0;
  AgentEvents events;
  events.round_over = [&](const std::vector<TargetReport>& reports) {
    REQUIRE(reports.size() == 2);
    if (++rounds == 3) running->stop();
  };
  AgentLoop loop(
      options(), network, clock,
      [] {
        return Result(std::vector{node("b", 2), node("c", 3)});
      },
      events);
  running = &loop;
  REQUIRE(loop.refresh());
  CHECK_FALSE(loop.view().targets[0].asked);
  loop.run();

  const AgentLoop::View view = loop.view();
  CHECK(view.rounds == 3);
  CHECK(view.alive);
  CHECK(view.now >= 20 * kSecond);
  REQUIRE(view.targets.size() == 2);
  CHECK(view.targets[0].rtt.p50 == Rtt{2'000});
  CHECK(view.targets[0].probes == 9);
  CHECK(view.targets[1].rtt.p50 == kUnmeasured);
  CHECK(view.targets[1].rtt.loss_ppm == 1'000'000);
  REQUIRE(network.opened.size() == 1);
  CHECK(network.opened[0].targets == std::vector{node("b", 2).address, node("c", 3).address});
}

TEST_CASE("agent loop: nothing is ever opened to an address that is not a target") {
  ScriptedNetwork network([](auto, auto) { return Fate{{kMs}}; });
  const HastyClock clock;
  AgentLoop* running = nullptr;
  AgentLoopOptions often = options();
  often.refresh = Micros{1};
  const std::vector<std::vector<AgentTarget>> answers{
      {node("b", 2)}, {node("b", 2), node("c", 3)}, {}, {node("d", 4)}, {node("d", 4)}};
  std::size_t asked = 0;
  std::vector<std::size_t> changes;
  AgentEvents events;
  events.targets_changed = [&](const auto& targets) { changes.push_back(targets.size()); };
  AgentLoop loop(
      often, network, clock,
      [&] {
        if (asked >= answers.size()) running->stop();
        return Result(answers[std::min(asked++, answers.size() - 1)]);
      },
      events);
  running = &loop;
  REQUIRE(loop.refresh());
  loop.run();
  CHECK(changes == std::vector<std::size_t>{1, 2, 0, 1});  // the same again changes nothing
  REQUIRE(network.opened.size() == 3);
  std::set<std::uint8_t> probed;
  for (const LinkRequest& request : network.opened)
    for (const IpAddress& address : request.targets) probed.insert(address.bytes[3]);
  CHECK(probed == std::set<std::uint8_t>{2, 3, 4});
}

TEST_CASE("agent loop: where peers change all the time, rounds end, and who left is left alone") {
  WatchedNetwork world;
  std::size_t asked = 0;
  const HastyClock clock;
  AgentLoop* running = nullptr;
  AgentLoopOptions often = options();
  often.refresh = Micros{1};
  AgentEvents events;
  std::size_t rounds = 0;
  events.round_over = [&](const std::vector<TargetReport>& reports) {
    CHECK(reports.front().target.name == "b");
    CHECK(reports.front().rtt.samples == 3 * ++rounds);
    CHECK(reports.front().lost == 0);
    if (rounds == 3) running->stop();
  };
  AgentLoop loop(
      often, world.network, clock,
      [&] {
        if (++asked >= kMostLooks) running->stop();
        const bool under_way = world.probed == world.network.opened.size();
        if (under_way || asked == 1)
          world.peers = {node("b", 2), node("c" + std::to_string(asked),
                                            static_cast<std::uint8_t>(10 + asked % 200))};
        return Result(world.peers);
      },
      events);
  running = &loop;
  REQUIRE(loop.refresh());
  loop.run();
  CHECK(rounds == 3);
  CHECK(world.strangers == 0);
  CHECK(world.network.opened.size() == 3);  // once before each round
}

TEST_CASE("agent loop: where the new ones cannot be probed, those that stay are, and no others") {
  WatchedNetwork world;
  world.network.opens_left = 1;
  const HastyClock clock;
  AgentLoop* running = nullptr;
  AgentLoopOptions often = options();
  often.refresh = Micros{1};
  AgentEvents events;
  std::size_t asked = 0, failures = 0, rounds = 0;
  events.failed = [&](const Error& error) {
    CHECK(error.code == Errc::kDenied);
    ++failures;
  };
  events.round_over = [&](const std::vector<TargetReport>& reports) {
    REQUIRE(reports.size() == 1);
    CHECK(reports[0].rtt.samples == 3 * ++rounds);
    if (rounds == 3) world.network.opens_left = 1;
  };
  events.targets_changed = [&](const auto&) {
    if (rounds == 3) running->stop();
  };
  AgentLoop loop(
      often, world.network, clock,
      [&] {
        if (++asked >= kMostLooks) running->stop();
        const bool is_back = asked == 1 || rounds == 3;
        world.peers = {node("b", 2), is_back ? node("c", 3) : node("d", 4)};
        return Result(world.peers);
      },
      events);
  running = &loop;
  REQUIRE(loop.refresh());
  loop.run();
  CHECK(failures >= 3);
  CHECK(rounds == 3);
  CHECK(world.strangers == 0);
  REQUIRE(loop.view().targets.size() == 2);
  CHECK(loop.view().targets[1].target.name == "c");
}

TEST_CASE("agent loop: rounds go on while it is found out who the peers are") {
  ScriptedNetwork network([](auto, auto) { return Fate{{kMs}}; });
  const HastyClock clock;
  AgentLoop* running = nullptr;
  AgentLoopOptions often = options();
  often.refresh = Micros{1};
  std::size_t asked = 0, rounds = 0, refreshed = 0;
  AgentEvents events;
  events.round_over = [&](const auto&) { ++rounds; };
  events.refreshed = [&] { ++refreshed; };
  events.targets_changed = [&](const auto& targets) {
    if (targets.size() == 2) running->stop();
  };
  AgentLoop loop(
      often, network, clock,
      [&]() -> std::optional<Result<std::vector<AgentTarget>>> {
        if (++asked >= kMostLooks) running->stop();
        if (asked == 1) return Result(std::vector{node("b", 2)});
        if (rounds < 3) return std::nullopt;
        return Result(std::vector{node("b", 2), node("c", 3)});
      },
      events);
  running = &loop;
  REQUIRE(loop.refresh());
  loop.run();
  CHECK(rounds >= 3);
  CHECK(refreshed == 1);
  CHECK(loop.view().targets.size() == 2);
  CHECK(loop.view().targets[0].rtt.samples >= 9);
}

TEST_CASE("agent loop: a source that takes long leaves time for probes between two looks") {
  ScriptedNetwork network([](auto, auto) { return Fate{{kMs}}; });
  const HastyClock clock;
  AgentLoop* running = nullptr;
  AgentLoopOptions often = options();
  often.refresh = Micros{30'000'000};
  std::optional<Micros> ended;
  int asked = 0;
  AgentLoop loop(often, network, clock,
                 [&] {
                   if (ended) CHECK(clock.now() - *ended >= often.refresh);
                   for (int second = 0; second < 100; ++second) static_cast<void>(clock.now());
                   if (++asked == 5) running->stop();
                   ended = clock.now();
                   return Result(std::vector{node("b", 2)});
                 },
                 {});
  running = &loop;
  REQUIRE(loop.refresh());
  loop.run();
  CHECK(asked == 5);
}

TEST_CASE("agent loop: other certificates to trust make another link, with the names of targets") {
  ScriptedNetwork network([](auto, auto) { return Fate{{kMs}}; });
  const HastyClock clock;
  AgentLoop* running = nullptr;
  AgentLoopOptions often = options();
  often.method = ProbeMethod::kHttps;
  often.refresh = Micros{1};
  const std::vector<std::string> bundles{"old", "old", "", "new"};
  std::size_t asked = 0, failures = 0;
  often.trusted = [&]() -> Result<std::string> {
    if (asked >= kMostLooks) running->stop();
    const std::string& bundle = bundles[std::min(asked++, bundles.size() - 1)];
    if (bundle.empty()) return Error{Errc::kNotFound, "no such file", {}, {}};
    return bundle;
  };
  AgentEvents events;
  events.failed = [&](const Error&) { ++failures; };
  events.targets_changed = [&](const auto&) {
    if (network.opened.size() == 2) running->stop();
  };
  AgentTarget named = node("b", 2);
  named.host = "b.example";
  AgentLoop loop(
      often, network, clock, [&] { return Result(std::vector{named}); }, events);
  running = &loop;
  REQUIRE(loop.refresh());
  loop.run();
  CHECK(failures == 1);
  REQUIRE(network.opened.size() == 2);
  CHECK(network.opened[0].trusted == "old");
  CHECK(network.opened[1].trusted == "new");
  CHECK(network.opened[1].hosts == std::vector<std::string>{"b.example"});
}

TEST_CASE("agent loop: where certificates cannot be read, who left is left alone all the same") {
  WatchedNetwork world;
  const HastyClock clock;
  AgentLoop* running = nullptr;
  AgentLoopOptions often = options();
  often.refresh = Micros{1};
  std::size_t asked = 0, rounds = 0;
  often.trusted = [&]() -> Result<std::string> {
    if (asked > 1) return Error{Errc::kNotFound, "no such file", {}, {}};
    return std::string("old");
  };
  AgentEvents events;
  events.round_over = [&](const std::vector<TargetReport>& reports) {
    REQUIRE(reports.size() == 1);
    CHECK(reports[0].target.name == "b");
    if (++rounds == 3) running->stop();
  };
  AgentLoop loop(
      often, world.network, clock,
      [&] {
        if (++asked >= kMostLooks) running->stop();
        world.peers = {node("b", 2)};
        if (asked == 1) world.peers.push_back(node("c", 3));
        return Result(world.peers);
      },
      events);
  running = &loop;
  REQUIRE(loop.refresh());
  loop.run();
  CHECK(rounds == 3);
  CHECK(world.strangers == 0);
}

TEST_CASE("agent loop: a source that fails changes nothing, is told, and is asked again") {
  ScriptedNetwork network([](auto, auto) { return Fate{{kMs}}; });
  const HastyClock clock;
  AgentLoop* running = nullptr;
  AgentLoopOptions often = options();
  often.refresh = Micros{1};
  int asked = 0, failures = 0;
  AgentEvents events;
  events.failed = [&](const Error& error) {
    CHECK(error.code == Errc::kTimeout);
    if (++failures == 5) running->stop();
  };
  AgentLoop loop(
      often, network, clock,
      [&]() -> Result<std::vector<AgentTarget>> {
        if (asked++ == 0) return std::vector{node("b", 2)};
        return Error{Errc::kTimeout, "nobody answered", {}, {}};
      },
      events);
  running = &loop;
  REQUIRE(loop.refresh());
  loop.run();
  CHECK(failures == 5);
  CHECK(loop.view().targets.size() == 1);
  CHECK(network.opened.size() == 1);
}

TEST_CASE("agent loop: without permission to probe, the first refresh says so") {
  ScriptedNetwork network([](auto, auto) { return Fate{}; });
  network.denies = true;
  const HastyClock clock;
  AgentLoop loop(options(), network, clock, [] { return Result(std::vector{node("b", 2)}); }, {});
  const Status status = loop.refresh();
  REQUIRE_FALSE(status);
  CHECK(status.error().code == Errc::kDenied);
  CHECK(loop.view().targets.empty());
}

TEST_CASE("agent loop: while the source keeps the loop waiting, what is known grows old") {
  ScriptedNetwork network([](auto, auto) { return Fate{{kMs}}; });
  const HastyClock clock;
  AgentLoop* running = nullptr;
  AgentEvents events;
  events.round_over = [&](const auto&) { running->stop(); };
  AgentLoop loop(
      options(), network, clock, [] { return Result(std::vector{node("b", 2)}); }, events);
  running = &loop;
  REQUIRE(loop.refresh());
  loop.run();
  const AgentLoop::View first = loop.view();
  CHECK(first.targets[0].rtt.measured());
  for (int second = 0; second < 100; ++second) static_cast<void>(clock.now());
  const AgentLoop::View later = loop.view();
  CHECK(later.now - first.now >= 100 * kSecond);
  CHECK_FALSE(later.targets[0].rtt.measured());  // no answer of the last minute is known
}

TEST_CASE("agent loop: once nobody looks any more it does not count as alive") {
  ScriptedNetwork network([](auto, auto) { return Fate{{kMs}}; });
  const HastyClock clock;
  AgentLoop loop(options(), network, clock, [] { return Result(std::vector{node("b", 2)}); }, {});
  REQUIRE(loop.refresh());
  CHECK(loop.view().alive);
  for (int second = 0; second < 61; ++second) static_cast<void>(clock.now());
  CHECK_FALSE(loop.view().alive);
}

}  // namespace gedge
