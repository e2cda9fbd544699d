#include <algorithm>
#include <string>

#include "unit/verify/site.hpp"

using namespace gedge;
using test::asking;
using test::selecting;
using test::Site;

TEST_CASE("a placement that means nothing is said so") {
  Site site;
  site.node("edge-1");
  site.pod("web-0");
  site.pod("old-0", {}, "edge-1");
  site.pod("done-0").phase = PodPhase::kSucceeded;
  site.place("nobody", "edge-1");
  site.place("web-0", "edge-9");
  site.place("old-0", "edge-1");
  site.place("done-0", "edge-1");
  const auto all = site.violations();
  REQUIRE(all.size() == 4);
  CHECK(std::all_of(all.begin(), all.end(),
                    [](const Violation& v) { return v.rule == "Placement"; }));
  CHECK(all[0].text == "the pod has ended");
  CHECK(all[1].text == "there is no such pod");
  CHECK(all[2].text == "the pod is bound to edge-1 already");
  CHECK(all[3].text == "there is no such node");
  CHECK(all[3].node == "edge-9");
}

TEST_CASE("a pod that is placed twice counts once") {
  Site site;
  site.node("edge-1");
  site.node("edge-2");
  site.pod("web-0", asking({{"cpu", 3000}}));
  site.place("web-0", "edge-1");
  site.place("web-0", "edge-2");
  CHECK(site.text() == "the pod is placed twice");
  CHECK(site.violations()[0].node == "edge-2");
}

TEST_CASE("the pod that does not fit any more is the one that is named") {
  Site site;
  site.node("edge-1");
  for (const char* name : {"web-0", "web-1", "web-2"}) {
    site.pod(name, asking({{"cpu", 2000}}));
    site.place(name, "edge-1");
  }
  CHECK(site.broken() == "web-2: NodeResourcesFit");
}

TEST_CASE("pods that have ended take no place") {
  Site site;
  site.node("edge-1");
  site.pod("old-0", asking({{"cpu", 4000}}), "edge-1").phase = PodPhase::kFailed;
  site.pod("gone-0", asking({{"cpu", 4000}}), "edge-9");
  site.pod("web-0", asking({{"cpu", 4000}}));
  site.place("web-0", "edge-1");
  CHECK(site.broken().empty());
  site.facts.pods[0].phase = PodPhase::kUnknown;
  CHECK(site.broken() == "web-0: NodeResourcesFit");
}

TEST_CASE("each pod is judged against what was there before it") {
  // Legal one after the other, although the end state alone would not admit the first pod.
  PodSpec spread;
  spread.labels = {{"app", "web"}};
  TopologySpread constraint;
  constraint.topology_key = "kubernetes.io/hostname";
  constraint.selector = selecting("app", "web");
  spread.spread = {constraint};
  PodSpec plain;
  plain.labels = {{"app", "web"}};
  Site site;
  site.node("edge-1");
  site.node("edge-2");
  site.pod("web-0", spread);
  site.pod("web-1", plain);
  site.pod("web-2", plain);
  for (const char* pod : {"web-0", "web-1", "web-2"}) site.place(pod, "edge-1");
  CHECK(site.broken().empty());
}

TEST_CASE("any order in which all pods pass is good enough") {
  PodSpec follower;
  PodAffinityTerm term;
  term.selector = selecting("app", "leader");
  term.topology_key = "kubernetes.io/hostname";
  follower.required_affinity = {term};
  PodSpec leader;
  leader.labels = {{"app", "leader"}};
  Site site;
  site.node("edge-1");
  site.pod("a-0", follower);
  site.pod("b-0", leader);
  site.place("a-0", "edge-1");
  site.place("b-0", "edge-1");
  CHECK(site.broken().empty());
  site.facts.specs[1].labels = {};
  CHECK(site.broken() == "a-0: InterPodAffinity");
}

TEST_CASE("bound pods are judged only when that is asked for") {
  Site site;
  site.node("edge-1").taints = {{"gone", "", TaintEffect::kNoSchedule}};
  site.pod("old-0", asking({{"cpu", 5000}}), "edge-1");
  site.pod("lost-0", {}, "edge-9");
  CHECK(site.broken().empty());
  site.bound_pods_too = true;
  CHECK(site.broken() == "lost-0: Placement, old-0: NodeResourcesFit, old-0: TaintToleration");
  CHECK(site.violations()[0].text == "there is no such node");
}

TEST_CASE("static pods were never scheduled and are not judged") {
  Site site;
  site.node("edge-1").taints = {{"control", "", TaintEffect::kNoSchedule}};
  site.pod("static-0", asking({{"cpu", 3000}}), "edge-1").controller = {"Node", "edge-1", "u"};
  site.pod("mirror-0", {}, "edge-1");
  site.facts.specs.back().annotations = {{"kubernetes.io/config.mirror", "hash"}};
  site.bound_pods_too = true;
  CHECK(site.broken().empty());
  PodSpec guest = asking({{"cpu", 1001}});
  guest.tolerations = {{"", true, "", {}}};
  site.pod("web-0", guest, "edge-1");
  CHECK(site.broken() == "web-0: NodeResourcesFit");  // the static pod counts all the same
}

TEST_CASE("what is there now passes if some order would have built it") {
  PodSpec spread;
  spread.labels = {{"app", "web"}};
  TopologySpread constraint;
  constraint.topology_key = "kubernetes.io/hostname";
  constraint.selector = selecting("app", "web");
  spread.spread = {constraint};
  Site site;
  site.bound_pods_too = true;
  site.node("edge-1");
  site.node("edge-2");
  for (const auto& [pod, node] :
       {std::pair{"web-0", "edge-1"}, {"web-1", "edge-1"}, {"web-2", "edge-2"}}) {
    site.pod(pod, spread, node);
  }
  CHECK(site.broken().empty());
  site.pod("web-3", spread, "edge-1");
  CHECK(site.broken() == "web-1: PodTopologySpread");
}

TEST_CASE("bound and placed pods are judged together") {
  Site site;
  site.bound_pods_too = true;
  site.node("edge-1");
  site.pod("old-0", asking({{"cpu", 3000}}), "edge-1");
  site.pod("web-0", asking({{"cpu", 1000}}));
  site.place("web-0", "edge-1");
  CHECK(site.broken().empty());
  site.facts.specs[1] = asking({{"cpu", 1001}});
  CHECK(site.broken() == "web-0: NodeResourcesFit");
}

TEST_CASE("violations come sorted whatever the order of the placements") {
  const auto run = [](bool reversed) {
    Site site;
    site.node("edge-1").unschedulable = true;
    std::vector<std::string> names{"a-0", "b-0", "c-0"};
    for (const std::string& name : names) site.pod(name);
    if (reversed) std::reverse(names.begin(), names.end());
    for (const std::string& name : names) site.place(name, "edge-1");
    return site.violations();
  };
  CHECK(run(false).size() == 3);
  CHECK(run(false) == run(true));
  const auto sorted = run(true);
  CHECK(std::is_sorted(sorted.begin(), sorted.end()));
}
