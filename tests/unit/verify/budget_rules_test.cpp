#include <limits>
#include <string>

#include "unit/verify/site.hpp"

using namespace gedge;
using test::Site;

namespace {

DelayBudget budget(PeerKind kind, const std::string& name, std::int64_t limit_us) {
  DelayBudget out;
  out.from = name;
  out.kind = kind;
  out.name = name;
  out.limit_us = limit_us;
  return out;
}

PodSpec near(const DelayBudget& budget) {
  PodSpec spec;
  spec.budgets = {budget};
  return spec;
}

/// edge-1 to edge-2: 2 ms; edge-1 to cloud-1: 38.4 ms; edge-2 to cloud-1: unmeasured.
Site triangle() {
  Site site;
  site.node("edge-1");
  site.node("edge-2");
  site.node("cloud-1");
  site.link("edge-1", "edge-2", 2000);
  site.link("edge-1", "cloud-1", 38'400);
  return site;
}

Site with_web(const DelayBudget& budget, const std::string& node) {
  Site site = triangle();
  site.pod("web-0", near(budget));
  site.place("web-0", node);
  return site;
}

}  // namespace

TEST_CASE("a budget towards a node holds up to its limit") {
  CHECK(with_web(budget(PeerKind::kAny, "edge-2", 2000), "edge-1").broken().empty());
  const Site over = with_web(budget(PeerKind::kAny, "cloud-1", 38'399), "edge-1");
  CHECK(over.broken() == "web-0: DelayBudget");
  CHECK(over.text() == "the RTT to cloud-1 is 38.4 ms, the budget from cloud-1 is 38.399 ms");
  CHECK(with_web(budget(PeerKind::kNode, "cloud-1", 38'400), "edge-1").broken().empty());
}

TEST_CASE("the larger direction decides") {
  Site site = with_web(budget(PeerKind::kNode, "edge-2", 2000), "edge-1");
  site.rtt.set(*site.rtt.find("edge-2"), *site.rtt.find("edge-1"), Rtt{2001});
  CHECK(site.broken() == "web-0: DelayBudget");
  site.rtt.set(*site.rtt.find("edge-1"), *site.rtt.find("edge-2"), kUnmeasured);
  site.rtt.set(*site.rtt.find("edge-2"), *site.rtt.find("edge-1"), Rtt{1999});
  CHECK(site.broken().empty());
}

TEST_CASE("what nobody measured is over every budget but a node is at no distance from itself") {
  const std::int64_t forever = std::numeric_limits<std::int64_t>::max();
  CHECK(with_web(budget(PeerKind::kNode, "cloud-1", forever), "edge-2").broken() ==
        "web-0: DelayBudget");
  Site alone = with_web(budget(PeerKind::kNode, "edge-2", 0), "edge-2");
  CHECK(alone.broken().empty());
  alone.rtt = RttMatrix();
  CHECK(alone.broken().empty());
}

TEST_CASE("an unknown name rejects and never matches by a part") {
  CHECK(with_web(budget(PeerKind::kAny, "edge", 1'000'000), "edge-1").text() ==
        "there is nothing of the name that the budget from edge gives");
  CHECK(with_web(budget(PeerKind::kNode, "edge-3", 1'000'000), "edge-1").broken() ==
        "web-0: DelayBudget");
}

TEST_CASE("a name is a node before a pod before a workload before a name of the matrix") {
  Site site = with_web(budget(PeerKind::kAny, "camera", 2000), "edge-1");
  site.link("edge-1", "camera", 5000);
  CHECK(site.text() == "the RTT to camera is 5 ms, the budget from camera is 2 ms");
  site.pod("camera-0", {}, "edge-1");  // of workload camera
  CHECK(site.broken().empty());
  site.pod("camera", {}, "cloud-1");  // a pod of that name
  CHECK(site.text() ==
        "the RTT to default/camera on cloud-1 is 38.4 ms, the budget from camera is 2 ms");
  site.node("camera");
  CHECK(site.text() == "the RTT to camera is 5 ms, the budget from camera is 2 ms");
}

TEST_CASE("an external name is looked up in the matrix alone") {
  Site site = with_web(budget(PeerKind::kExternal, "camera", 2000), "edge-1");
  site.pod("camera", {}, "edge-1");
  CHECK(site.text() == "there is nothing of the name that the budget from camera gives");
  site.link("edge-1", "camera", 2000);
  CHECK(site.broken().empty());
  site.facts.specs[0].budgets[0].limit_us = 1999;
  CHECK(site.broken() == "web-0: DelayBudget");
}

TEST_CASE("the farthest replica of a workload counts unless the nearest is asked for") {
  Site site = with_web(budget(PeerKind::kWorkload, "redis", 10'000), "edge-1");
  site.pod("redis-0", {}, "edge-2");
  CHECK(site.broken().empty());
  site.pod("redis-1", {}, "cloud-1");
  CHECK(site.text() ==
        "the RTT to default/redis-1 on cloud-1 is 38.4 ms, the budget from redis is 10 ms");
  DelayBudget& wanted = site.facts.specs[0].budgets[0];
  wanted.nearest = true;
  CHECK(site.broken().empty());
  wanted.limit_us = 1999;
  CHECK(site.text() ==
        "the RTT to default/redis-0 on edge-2 is 2 ms, the budget from redis is 1.999 ms");
}

TEST_CASE("a workload is named with its kind and namespace") {
  Site site = with_web(budget(PeerKind::kWorkload, "redis", 10'000), "edge-1");
  site.pod("redis-0", {}, "edge-2");
  DelayBudget& wanted = site.facts.specs[0].budgets[0];
  wanted.workload_kind = "StatefulSet";
  CHECK(site.broken() == "web-0: DelayBudget");
  wanted.workload_kind = "Deployment";
  CHECK(site.broken().empty());
  wanted.namespace_name = "data";
  CHECK(site.broken() == "web-0: DelayBudget");
  site.facts.pods[1].namespace_name = "data";
  CHECK(site.broken().empty());
}

TEST_CASE("replicas that are placed by the same plan count wherever they come in it") {
  Site site = with_web(budget(PeerKind::kWorkload, "redis", 10'000), "edge-1");
  site.pod("redis-0");
  site.pod("redis-1");
  CHECK(site.text() == "nothing is placed that the budget from redis means");
  site.place("redis-0", "edge-2");
  CHECK(site.broken().empty());
  site.place("redis-1", "cloud-1");
  CHECK(site.broken() == "web-0: DelayBudget");
}

TEST_CASE("a pod is no peer of itself") {
  Site site = with_web(budget(PeerKind::kWorkload, "web", 1000), "edge-1");
  CHECK(site.broken().empty());
  site.facts.specs[0].budgets[0].nearest = true;
  site.pod("web-1", {}, "edge-2");
  CHECK(site.broken() == "web-0: DelayBudget");
}

TEST_CASE("a zone means its nodes") {
  Site site = with_web(budget(PeerKind::kZone, "berlin", 2000), "edge-1");
  CHECK(site.broken() == "web-0: DelayBudget");
  site.facts.nodes[0].labels.set("topology.kubernetes.io/zone", "berlin");
  site.facts.nodes[1].labels.set("topology.kubernetes.io/zone", "berlin");
  CHECK(site.broken().empty());
  site.facts.nodes[2].labels.set("topology.kubernetes.io/zone", "berlin");
  CHECK(site.broken() == "web-0: DelayBudget");
  site.facts.specs[0].budgets[0].nearest = true;
  CHECK(site.broken().empty());
}

TEST_CASE("every budget of a pod is judged") {
  Site site = with_web(budget(PeerKind::kNode, "edge-2", 1), "edge-1");
  site.facts.specs[0].budgets.push_back(budget(PeerKind::kNode, "cloud-1", 1));
  CHECK(site.broken() == "web-0: DelayBudget, web-0: DelayBudget");
}

TEST_CASE("nodes may stand in the matrix under the value of a label") {
  Site site;
  site.node("n-1", {{"zone", "a"}});
  site.node("n-2", {{"zone", "a"}});
  site.node("n-3", {{"zone", "b"}});
  site.rtt_by = "zone";
  site.link("a", "b", 9000);
  site.rtt.set(*site.rtt.find("a"), *site.rtt.find("a"), Rtt{700});
  site.pod("web-0", near(budget(PeerKind::kNode, "n-2", 700)));
  site.place("web-0", "n-1");
  CHECK(site.broken().empty());
  site.facts.specs[0].budgets[0].limit_us = 699;
  CHECK(site.broken() == "web-0: DelayBudget");
  site.facts.specs[0].budgets[0] = budget(PeerKind::kAny, "b", 9000);
  CHECK(site.broken().empty());
  site.facts.nodes[0].labels.erase("zone");
  CHECK(site.broken() == "web-0: DelayBudget");
}

TEST_CASE("a placed pod may not break the budget of a bound one") {
  Site site = triangle();
  site.pod("old-0", near(budget(PeerKind::kWorkload, "redis", 10'000)), "edge-1");
  site.pod("redis-0", {}, "cloud-1");
  CHECK(site.broken().empty());  // broken before, and not by this plan
  site.pod("redis-1");
  site.place("redis-1", "edge-2");
  CHECK(site.broken().empty());
  site.pod("redis-2");
  site.place("redis-2", "cloud-1");
  CHECK(site.broken() == "old-0: DelayBudget");
  site.facts.specs[0].budgets[0].nearest = true;
  CHECK(site.broken().empty());
}
