#include "plan/candidates.hpp"

#include <doctest/doctest.h>

#include <algorithm>

#include "support/random_site.hpp"
#include "support/site_builder.hpp"

using namespace gedge;
using namespace gedge::test;

namespace {

// What speaks to the objections of one node, smallest first.
std::string candidates_for(const Site& site, std::string_view pod, std::string_view node) {
  auto engine = Engine::make(*site.state, *builtin_profile("edge", Compat::k1_36), nullptr, 0);
  REQUIRE(engine);
  Candidates found;
  for (const Rejection& rejection : engine->rejections(site.pod(pod), site.node(node)))
    add_candidates(*site.state, site.pod(pod), site.node(node), rejection, found);
  std::string all;
  for (const Candidate& c : found) all += (all.empty() ? "" : " ") + c.text;
  return all;
}

}  // namespace

TEST_CASE("candidates: a full node gets what it lacks, or loses pods") {
  SiteBuilder b;
  b.node("a");
  b.pod("old").on("a").request(kCpu, 3000);
  b.pod("big").request(kCpu, 2000);
  const auto site = b.build();
  CHECK(candidates_for(*site, "big", "a") == "node/a:cpu=+1 pod/default/old:delete node/a:drain");
}

TEST_CASE("candidates: where the node alone is too small nobody needs to leave") {
  SiteBuilder b;
  b.node("a");
  b.pod("old").on("a").request(kCpu, 3000);
  b.pod("exact").request(kCpu, 4000);
  b.pod("huge").request(kCpu, 4001);
  const auto site = b.build();
  CHECK(candidates_for(*site, "exact", "a") == "node/a:cpu=+3 pod/default/old:delete node/a:drain");
  CHECK(candidates_for(*site, "huge", "a") == "node/a:cpu=+3001m");
}

TEST_CASE("candidates: a taint is removed alone, or with all of its key") {
  SiteBuilder b;
  b.node("a").taints.push_back({"gpu", "yes", TaintEffect::kNoSchedule});
  b.pod("web");
  const auto site = b.build();
  CHECK(candidates_for(*site, "web", "a") == "node/a:taint-=gpu node/a:taint-=gpu:NoSchedule");
}

TEST_CASE("candidates: two edits of one thing undo each other, those of a taint do not") {
  const auto edit = [](const char* text) { return *parse_edit(text); };
  CHECK(same_subject(edit("node/a:cpu=1"), edit("node/a:cpu=+1")));
  CHECK_FALSE(same_subject(edit("node/a:cpu=1"), edit("node/b:cpu=1")));
  CHECK(same_subject(edit("pod/n/p:delete"), edit("pod/n/p:node=a")));
  CHECK(same_subject(edit("node/a:label.k=v"), edit("node/a:label.k-")));
  CHECK_FALSE(same_subject(edit("node/a:taint-=k"), edit("node/a:taint-=k")));
}

TEST_CASE("candidates: a bound leaves out what is larger and nothing else") {
  const auto same_text = [](const auto& a, const auto& b) { return a.text == b.text; };
  std::size_t left_out = 0, kept = 0;
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    Dice dice(seed);
    const RandomSite site = make_random_site(dice);
    const ClusterState state(site.facts, site.rtt, {Compat::k1_36, site.rtt_by});
    auto engine = Engine::make(state, *builtin_profile("edge", Compat::k1_36), nullptr, 0);
    REQUIRE(engine);
    for (std::uint32_t i = 0; i < state.pod_count(); ++i) {
      const NodeIndex node{i % static_cast<std::uint32_t>(state.slots())};
      if (state.is_placed(PodIndex{i})) continue;
      for (const Rejection& rejection : engine->rejections(PodIndex{i}, node)) {
        Candidates all, small, expected;
        add_candidates(state, PodIndex{i}, node, rejection, all);
        if (all.empty()) continue;
        const auto middle = std::next(all.begin(), static_cast<std::ptrdiff_t>(all.size() / 2));
        add_candidates(state, PodIndex{i}, node, rejection, small, middle->size_ppm);
        for (const Candidate& c : all)
          if (c.size_ppm <= middle->size_ppm) expected.insert(c);
        CAPTURE(seed);
        CHECK(std::equal(small.begin(), small.end(), expected.begin(), expected.end(), same_text));
        kept += small.size();
        left_out += all.size() - small.size();
      }
    }
  }
  CHECK(kept > 1000);
  CHECK(left_out > 500);
}
