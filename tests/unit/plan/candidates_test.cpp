#include "plan/candidates.hpp"

#include <doctest/doctest.h>

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
