// Pod groups in a plan: all that must be placed together find a place, or none of them does.
#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "gedge/plan/edit.hpp"
#include "gedge/plan/planner.hpp"
#include "gedge/verify/verify.hpp"
#include "support/dice.hpp"
#include "support/site_builder.hpp"

using namespace gedge;
using namespace gedge::test;

namespace {

constexpr const char* kLabel = "scheduling.x-k8s.io/pod-group";

Plan plan_of(const Site& site) {
  PlanRequest request;
  request.facts = &site.facts;
  request.rtt = &site.matrix;
  request.profiles = {*builtin_profile("edge", Compat::k1_36)};
  auto plan = make_plan(request);
  REQUIRE(plan);
  return *std::move(plan);
}

// "pod=node pod=-": in the order of the decisions.
std::string text(const Plan& plan) {
  std::string all;
  for (const Decision& d : plan.decisions)
    all += (all.empty() ? "" : " ") + d.pod + "=" + (d.chosen ? d.chosen->node : "-");
  return all;
}

void add_group(SiteBuilder& b, const std::string& name, std::int32_t least) {
  b.facts().pod_groups.push_back({"default", name, least});
}

std::vector<Violation> broken(const Site& site, const Plan& plan) {
  VerifyInput input{site.facts, site.matrix, "", Compat::k1_36, {}, false};
  for (const Decision& d : plan.decisions)
    if (d.chosen) input.placements.push_back({d.namespace_name, d.pod, d.chosen->node});
  return verify(input);
}

}  // namespace

TEST_CASE("gangs: one pod too few, and nobody is placed, whoever comes next has the room") {
  SiteBuilder b;
  b.node("a");
  b.node("b");
  add_group(b, "train", 5);
  b.pods("train", 5, {{kLabel, "train"}}).request(kCpu, 2000);
  b.pods("web", 3).request(kCpu, 2000);
  const auto site = b.build();
  const Plan plan = plan_of(*site);
  CHECK(text(plan) == "train-0=- train-1=- train-2=- train-3=- train-4=- web-0=a web-1=b web-2=a");
  CHECK(plan.decisions[0].message ==
        "pod group default/train is placed when 5 of its pods fit together; now 4 do");
}

TEST_CASE("gangs: whoever fits nowhere by itself is told so in kube-scheduler's words") {
  SiteBuilder b;
  b.node("a");
  add_group(b, "train", 2);
  b.pod("train-big", {{kLabel, "train"}}).request(kCpu, 9000);
  b.pod("train-small", {{kLabel, "train"}}).request(kCpu, 1000);
  const auto site = b.build();
  const Plan plan = plan_of(*site);
  CHECK(text(plan) == "train-big=- train-small=-");
  CHECK(plan.decisions[0].message == "0/1 nodes are available: 1 Insufficient cpu.");
  CHECK(plan.decisions[1].message ==
        "pod group default/train is placed when 2 of its pods fit together; now 1 does");
}

TEST_CASE("gangs: beyond the least, each that fits is placed, and those with a node count") {
  SiteBuilder b;
  b.node("a");
  add_group(b, "train", 2);
  b.pod("train-old", {{kLabel, "train"}}).on("a").request(kCpu, 1000);
  b.pods("train", 4, {{kLabel, "train"}}).request(kCpu, 1000);
  const auto site = b.build();
  CHECK(text(plan_of(*site)) == "train-0=a train-1=a train-2=a train-3=-");
}

TEST_CASE("gangs: a member that is going, finished, or of another namespace does not count") {
  for (int which = 0; which < 3; ++which) {
    CAPTURE(which);
    SiteBuilder b;
    b.node("a");
    add_group(b, "train", 2);
    PodDraft& old = b.pod("train-old", {{kLabel, "train"}}).on("a");
    if (which == 0) old.pod.terminating = true;
    if (which == 1) old.pod.phase = PodPhase::kSucceeded;
    if (which == 2) old.in("other");
    b.pod("train-new", {{kLabel, "train"}});
    CHECK(text(plan_of(*b.build())) == "train-new=-");
  }
}

TEST_CASE("gangs: a pod of no group is placed by itself, and the old label counts too") {
  SiteBuilder b;
  b.node("a");
  b.pod("alone", {{kLabel, "nobody"}});
  add_group(b, "old", 2);
  b.pod("lonely", {{"pod-group.scheduling.sigs.k8s.io", "old"}});
  CHECK(text(plan_of(*b.build())) == "alone=a lonely=-");
}

TEST_CASE("gangs: the first does not take what only a later one can use") {
  SiteBuilder b;
  b.node("large");
  b.node("small").allocatable.set(kCpu, 2'000);
  add_group(b, "train", 2);
  b.pod("train-1", {{kLabel, "train"}}).request(kCpu, 2000);
  b.pod("train-2", {{kLabel, "train"}}).request(kCpu, 3000);
  const auto site = b.build();
  const Plan plan = plan_of(*site);
  CHECK(text(plan) == "train-1=small train-2=large");
  CHECK(broken(*site, plan).empty());
}

TEST_CASE("gangs: who leans on a group that is held back is not placed either") {
  SiteBuilder b;
  b.node("a");
  b.node("b");
  b.rtt("a", "b", 1'000);
  add_group(b, "server", 3);
  b.pods("server", 3, {{kLabel, "server"}}).request(kCpu, 3000);
  add_group(b, "client", 1);
  b.pod("client", {{kLabel, "client"}}).spec.budgets = {
      budget("server", 5'000, PeerKind::kWorkload)};
  const auto site = b.build();
  const Plan plan = plan_of(*site);
  CHECK(text(plan) == "server-0=- server-1=- server-2=- client=-");
}

TEST_CASE("gangs: a what-if that takes a place from one of them places all anew, or none") {
  SiteBuilder b;
  for (const char* name : {"a", "b", "c"}) b.node(name);
  add_group(b, "train", 3);
  b.pods("train", 3, {{kLabel, "train"}}).request(kCpu, 3000);
  const auto site = b.build();
  PlanRequest request;
  request.facts = &site->facts;
  request.rtt = &site->matrix;
  request.profiles = {*builtin_profile("edge", Compat::k1_36)};
  Edit edit;
  edit.kind = Edit::Kind::kDeleteNode;
  edit.node = "b";
  const auto answer = what_if(request, {edit}, false);
  REQUIRE(answer);
  CHECK(text(answer->before) == "train-0=a train-1=b train-2=c");
  CHECK(text(answer->after) == "train-0=- train-1=- train-2=-");
}

TEST_CASE("gangs: random groups are placed whole or not at all, and never without need") {
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    CAPTURE(seed);
    Dice dice(seed);
    SiteBuilder b;
    const auto nodes = 1 + dice.below(4);
    for (std::uint64_t n = 0; n < nodes; ++n)
      b.node("n" + std::to_string(n))
          .allocatable.set(kCpu, static_cast<std::int64_t>(1'000 * (1 + dice.below(6))));
    const auto groups = 1 + dice.below(4);
    std::vector<std::int64_t> requests;
    for (std::uint64_t g = 0; g < groups; ++g) {
      const std::string name = "g" + std::to_string(g);
      const auto size = 1 + dice.below(5);
      add_group(b, name, static_cast<std::int32_t>(1 + dice.below(size + 1)));
      requests.push_back(static_cast<std::int64_t>(500 * (1 + dice.below(5))));
      PodDraft& draft = b.pods(name, size, {{kLabel, name}}).request(kCpu, requests.back());
      draft.pod.priority = static_cast<std::int32_t>(dice.below(3));
    }
    const auto site = b.build();
    const Plan plan = plan_of(*site);
    CHECK(broken(*site, plan).empty());
    std::map<std::string, std::int64_t> free, placed, there;
    for (const Node& node : site->facts.nodes) free[node.name] = *node.allocatable.find(kCpu);
    for (const Decision& d : plan.decisions) {
      const std::string group = d.pod.str().substr(0, 2);
      ++there[group];
      if (!d.chosen) continue;
      ++placed[group];
      free[d.chosen->node] -= requests[static_cast<std::size_t>(group[1] - '0')];
    }
    for (std::uint64_t g = 0; g < groups; ++g) {
      const PodGroup& group = site->facts.pod_groups[g];
      CAPTURE(group.name);
      const std::int64_t has = placed[group.name];
      CHECK((has == 0 || has >= group.min_member));
      if (has > 0) continue;
      // What is left now was there when it was tried.
      std::int64_t fit = 0;
      for (const auto& entry : free) fit += entry.second / requests[g];
      CHECK(std::min(fit, there[group.name]) < group.min_member);
    }
  }
}
