// Who acts in a simulated cluster, and when: kubelets, controllers, and those who watch over nodes.
#include <doctest/doctest.h>

#include <initializer_list>
#include <string>

#include "support/sim_site.hpp"

using namespace gedge;
using namespace gedge::test;

namespace {

Facts two_of(const std::string& kind) {
  Facts facts = three_nodes();
  add_pods(facts, kind, "web", 2);
  return facts;
}

void go(SimWorld& world, int seconds) { REQUIRE(world.advance(seconds * kSecond)); }

std::string happenings(SimWorld& world, std::initializer_list<Happening> wanted) {
  std::string out;
  for (const SimulationEvent& event : world.take_events())
    for (const Happening what : wanted)
      if (event.what == what)
        out += std::string(to_string(what)) + ' ' + event.pod.str() + event.node.str() + '\n';
  return out;
}

}  // namespace

TEST_CASE("events that are left keep their versions when others are forgotten") {
  SimCluster cluster(three_nodes());
  for (const char* name : {"a", "b", "c"}) {
    Pod pod;
    pod.name = name;
    REQUIRE(cluster.create(pod, sim_spec()));
  }
  cluster.forget_before(2);
  CHECK(cluster.version() == 3);
  CHECK(cluster.kept() == 1);
  CHECK(cluster.event(2).name.name == "c");
  cluster.forget_before(1);
  cluster.forget_before(7);
  CHECK(cluster.version() == 3);
  REQUIRE(cluster.remove_pod({"default", "c"}));
  CHECK(cluster.version() == 4);
  CHECK(cluster.event(3).is_removed);
}

TEST_CASE("a bound pod runs after its start, and stops before it is gone") {
  SimWorld world(two_of("Deployment"), {}, {});
  put_on(world, "web-0", "n0");
  CHECK(where(world) == "web-0@n0 web-1@-");
  CHECK(world.next() == 2 * kSecond);
  go(world, 2);
  CHECK(where(world) == "web-0@n0+ web-1@-");
  REQUIRE(world.delete_pod({"default", "web-0"}, "deleted"));
  CHECK(where(world) == "web-0@n0!+ web-1@- web-2@-");
  go(world, 3);
  CHECK(where(world) == "web-1@- web-2@-");
  CHECK_FALSE(world.next());
}

TEST_CASE(
    "a node that falls silent is unreachable after its grace, and emptied after five minutes") {
  SimWorld world(two_of("Deployment"), {}, {});
  put_on(world, "web-0", "n0");
  put_on(world, "web-1", "n1");
  go(world, 10);
  REQUIRE(world.fail_node("n0"));
  CHECK_FALSE(world.fail_node("n0"));
  go(world, 49);
  CHECK(world.cluster().nodes().at("n0").taints.empty());
  go(world, 50);
  CHECK(world.cluster().nodes().at("n0").taints.size() == 2);
  CHECK_FALSE(world.cluster().nodes().at("n0").ready);
  go(world, 349);
  CHECK(where(world) == "web-0@n0+ web-1@n1+");
  world.take_events();
  go(world, 350);
  CHECK(where(world) == "web-0@n0!+ web-1@n1+ web-2@-");
  put_on(world, "web-2", "n2");
  bool found = false;
  for (const SimulationEvent& event : world.take_events()) {
    if (event.what != Happening::kBound) continue;
    found = true;
    CHECK(event.replaces == "web-0");
    CHECK(event.since_lost == 340 * kSecond);
  }
  CHECK(found);

  SUBCASE("nobody says that its pods stopped before it is back") {
    go(world, 1'000);
    CHECK(where(world) == "web-0@n0!+ web-1@n1+ web-2@n2+");
    REQUIRE(world.recover_node("n0"));
    CHECK(world.cluster().nodes().at("n0").taints.empty());
    go(world, 1'001);
    CHECK(where(world) == "web-1@n1+ web-2@n2+");
  }
  SUBCASE("a node that is taken away takes its pods along") {
    REQUIRE(world.edit(
        [](Facts& facts, RttMatrix&) {
          facts.nodes.erase(facts.nodes.begin());
          return Status{};
        },
        "node/n0:delete"));
    CHECK(where(world) == "web-1@n1+ web-2@n2");
  }
}

TEST_CASE("a node that is back in time keeps its pods") {
  SimWorld world(two_of("Deployment"), {}, {});
  put_on(world, "web-0", "n0");
  REQUIRE(world.fail_node("n0"));
  go(world, 100);
  CHECK(where(world) == "web-0@n0 web-1@-");  // bound to a node that could not start it
  REQUIRE(world.recover_node("n0"));
  REQUIRE(world.fail_node("n0"));
  go(world, 399);
  CHECK(where(world) == "web-0@n0 web-1@-");
  go(world, 440);
  CHECK(where(world) == "web-0@n0! web-1@- web-2@-");
}

TEST_CASE("each kind of workload makes pods anew in its way") {
  SUBCASE("a StatefulSet waits until the name is free") {
    SimWorld world(two_of("StatefulSet"), {}, {});
    put_on(world, "web-0", "n0");
    go(world, 2);
    REQUIRE(world.delete_pod({"default", "web-0"}, "deleted"));
    CHECK(where(world) == "web-0@n0!+ web-1@-");
    go(world, 3);
    CHECK(where(world) == "web-0@- web-1@-");
  }
  SUBCASE("a pod that was made by hand is gone") {
    Facts facts = three_nodes();
    add_pods(facts, "Pod", "alone", 1);
    SimWorld world(std::move(facts), {}, {});
    REQUIRE(world.delete_pod({"default", "alone"}, "deleted"));
    CHECK(where(world).empty());
  }
  SUBCASE("a Job does not do again what is done") {
    SimWorld world(two_of("Job"), {}, {});
    put_on(world, "web-0", "n0");
    put_on(world, "web-1", "n0");
    go(world, 2);
    REQUIRE(world.finish_pod({"default", "web-0"}));
    REQUIRE(world.delete_pod({"default", "web-1"}, "deleted"));
    go(world, 9);
    CHECK(where(world) == "web-0@n0 web-2@-");
  }
  SUBCASE("a DaemonSet stays on a silent node, and comes with a node that is back") {
    Facts facts = three_nodes();
    add_pods(facts, "DaemonSet", "web", 1);
    facts.pods[0].bound_node = "n0";
    facts.pods[0].phase = PodPhase::kRunning;
    SimWorld world(std::move(facts), {}, {});
    REQUIRE(world.fail_node("n0"));
    go(world, 1'000);
    CHECK(where(world) == "web-0@n0+");
    const auto take = [](Facts& all, RttMatrix&) {
      all.nodes.erase(all.nodes.begin());
      return Status{};
    };
    REQUIRE(world.edit(take, "node/n0:delete"));
    CHECK(where(world).empty());
    Facts back;
    back.nodes.push_back(sim_node("n0"));
    world.add({}, back);
    CHECK(where(world) == "web-0@-");
  }
}

TEST_CASE("a workload is scaled by adding pods, and by taking those first that have no place") {
  SimWorld world(two_of("Deployment"), {}, {});
  put_on(world, "web-1", "n1");
  go(world, 2);
  REQUIRE(world.scale({"default", "deployment", "web"}, 4));
  CHECK(where(world) == "web-0@- web-1@n1+ web-2@- web-3@-");
  REQUIRE(world.scale({"default", "Deployment", "web"}, 1));
  CHECK(where(world) == "web-1@n1+");
  REQUIRE(world.scale({"default", "Deployment", "web"}, 0));
  go(world, 3);
  CHECK(where(world).empty());
  CHECK_FALSE(world.scale({"default", "Deployment", "wep"}, 1));
  CHECK(happenings(world, {Happening::kScaled}) ==
        "scaled Deployment/web\nscaled Deployment/web\nscaled Deployment/web\n");
}

TEST_CASE("one more replica of a StatefulSet has claims of its own") {
  Facts facts = three_nodes();
  add_pods(facts, "StatefulSet", "web", 1);
  facts.specs[0].volumes = std::vector<PodVolume>{{"data", "data-web-0", false}};
  PersistentVolumeClaim claim;
  claim.namespace_name = "default";
  claim.name = "data-web-0";
  claim.volume_name = "disk-7";
  facts.claims.push_back(claim);
  SimWorld world(std::move(facts), {}, {});
  REQUIRE(world.scale({"default", "StatefulSet", "web"}, 2));
  CHECK(where(world) == "web-0@- web-1@-");
  REQUIRE(world.cluster().others().claims.size() == 2);
  CHECK(world.cluster().others().claims[1].name == "data-web-1");
  CHECK(world.cluster().others().claims[1].volume_name.empty());
  CHECK(world.cluster().pods().at({"default", "web-1"}).spec.volumes[0].claim == "data-web-1");
}

TEST_CASE("an act that fails ends the run, at its time") {
  SimWorld world(two_of("Deployment"), {}, {});
  world.at(5 * kSecond, [](SimWorld& then) { return then.fail_node("n7"); });
  go(world, 4);
  const Status failed = world.advance(9 * kSecond);
  REQUIRE_FALSE(failed);
  CHECK(failed.error().what == "there is no node 'n7'");
  CHECK(world.time() == 5 * kSecond);
}

TEST_CASE("churn does the same things for the same seed") {
  const auto history = [](std::uint64_t seed) {
    SimWorldOptions options;
    options.seed = seed;
    SimWorld world(two_of("Deployment"), {}, options);
    world.churn(kSecond, 200 * kSecond);
    for (int i = 1; i <= 300; ++i) {
      go(world, i);
      for (const auto& [name, known] : world.cluster().pods())
        if (known.pod.bound_node.empty()) {
          put_on(world, name.name, "n" + std::to_string(i % 3));
          break;
        }
    }
    std::string out;
    for (const SimulationEvent& event : world.take_events())
      out += std::to_string(event.at.count()) + ' ' + std::string(to_string(event.what)) + ' ' +
             event.pod.str() + ' ' + event.node.str() + ' ' + event.note + '\n';
    return out;
  };
  const std::string first = history(1);
  CHECK(first == history(1));
  CHECK(first != history(2));
  CHECK(first.find("node-failed") != std::string::npos);
}
