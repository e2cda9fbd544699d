// Messages that are kept true against those of an engine that was just made.
#include "plan/fit_errors.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <map>
#include <set>
#include <string>

#include "gedge/plan/engine.hpp"
#include "support/random_site.hpp"
#include "support/site_builder.hpp"
#include "unit/control/live_bytes.hpp"

using namespace gedge;
using namespace gedge::test;

namespace {

Engine engine_for(const ClusterState& state, const Profile& profile) {
  auto engine = Engine::make(state, profile, nullptr, 0);
  REQUIRE(engine);
  return *std::move(engine);
}

/// Changes that a plan, what-ifs and a watch make: pods come and go, a node is edited and is back.
class Churn {
 public:
  Churn(ClusterState& state, Dice& dice) : state_(state), dice_(dice) {}

  void change() {
    if (dice_.below(12) == 0) return edit();
    const PodIndex pod{static_cast<std::uint32_t>(dice_.below(state_.pod_count()))};
    const NodeIndex node{static_cast<std::uint32_t>(dice_.below(state_.slots()))};
    if (state_.is_placed(pod))
      state_.unbind(pod);
    else if (state_.alive().test(node))
      state_.bind(pod, node);
  }

 private:
  void edit() {
    const NodeIndex node{static_cast<std::uint32_t>(dice_.below(state_.slots()))};
    edited_.push_back(std::make_unique<Node>(state_.node(node)));
    edited_.back()->unschedulable = !edited_.back()->unschedulable;
    edited_.back()->allocatable.set(kCpu, static_cast<std::int64_t>(dice_.below(4000)));
    Change change;
    change.kind = dice_.below(3) == 0 ? Change::Kind::kRemoveNode : Change::Kind::kReplaceNode;
    if (change.kind == Change::Kind::kRemoveNode && !state_.pods_on(node).empty()) return;
    change.node = node;
    change.facts = edited_.back().get();
    state_.apply(change);
  }

  ClusterState& state_;
  Dice& dice_;
  std::vector<std::unique_ptr<Node>> edited_;
};

}  // namespace

TEST_CASE("fit errors: what is kept row by row says what asking all rows anew says") {
  std::set<std::string> messages;
  for (std::uint64_t seed = 1; seed <= 120; ++seed) {
    Dice dice(seed);
    const RandomSite site = make_random_site(dice, {seed % 4 == 0});
    const Profile profile = *builtin_profile(seed % 2 == 0 ? "edge" : "kube",
                                             seed % 3 == 0 ? Compat::k1_20 : Compat::k1_36);
    if (site.facts.nodes.empty() || site.facts.pods.empty()) continue;
    ClusterState state(site.facts, site.rtt, {profile.compat, site.rtt_by});
    Engine engine = engine_for(state, profile);
    Churn churn(state, dice);
    for (int round = 0; round < 40; ++round) {
      for (std::uint64_t i = dice.below(4); i > 0; --i) {
        churn.change();
        if (round % 2 == 0) engine.follow();
      }
      const PodIndex pod{static_cast<std::uint32_t>(dice.below(state.pod_count()))};
      if (state.is_placed(pod)) continue;
      CAPTURE(seed);
      CAPTURE(round);
      const std::string message = engine.fit_error(pod);
      CHECK(message == engine_for(state, profile).fit_error(pod));
      messages.insert(message);
    }
  }
  CHECK(messages.size() > 500);
}

TEST_CASE("fit errors: more classes than are kept, and every one is right") {
  SiteBuilder b;
  for (int i = 0; i < 5; ++i) b.node("n" + std::to_string(i));
  for (int i = 0; i < 100; ++i) b.pod("big-" + std::to_string(i)).request(kCpu, 4100 + i);
  b.pods("small", 5).request(kMemory, 1);
  const auto site = b.build();
  Engine engine = engine_for(*site->state, *builtin_profile("kube", Compat::k1_36));
  for (std::uint32_t round = 0; round < 3; ++round) {
    for (int i = 0; i < 100; ++i)
      CHECK(engine.fit_error(site->pod("big-" + std::to_string(i))) ==
            "0/5 nodes are available: 5 Insufficient cpu.");
    site->state->bind(site->pod("small-" + std::to_string(round)), NodeIndex{round});
  }
}

TEST_CASE("fit errors: rows that each say something else are counted, and little of it is kept") {
  constexpr std::size_t kNodes = 300, kBudgets = 250;
  constexpr std::int64_t kMostKept = std::int64_t{16} << 20;
  Dice dice(5);
  SiteBuilder b;
  const auto name = [](std::size_t i) { return "n" + std::to_string(1000 + i); };
  for (std::size_t i = 0; i < kNodes; ++i) b.node(name(i));
  PodDraft& picky = b.pod("picky");
  for (std::size_t i = 0; i < kBudgets; ++i) {
    picky.spec.budgets.push_back(budget(name(i), 1'000));
    for (std::size_t j = 0; j < kNodes; ++j)
      if (j != i && dice.chance(50)) b.rtt(name(i), name(j), 500);
  }
  const auto site = b.build();
  Engine engine = engine_for(*site->state, *builtin_profile("edge", Compat::k1_36));
  const PodIndex pod = site->pod("picky");
  std::map<std::string, int> counts;
  for (std::uint32_t row = 0; row < kNodes; ++row)
    for (const Rejection& rejection : engine.rejections(pod, NodeIndex{row}))
      ++counts[reason_texts(rejection.evidence, Compat::k1_36).front()];
  std::set<std::string> lines;
  for (const auto& [text, count] : counts) lines.insert(std::to_string(count) + " " + text);
  std::string expected = "0/300 nodes are available";
  for (const std::string& line : lines) expected += (line == *lines.begin() ? ": " : ", ") + line;
  const std::int64_t before = live_bytes();
  CHECK(engine.fit_error(pod) == expected + ".");
  CHECK(live_bytes() < before + kMostKept);
  CHECK(engine.fit_error(pod) == expected + ".");
}
