// What a scheduler remembers of a cluster, beside what there is.
#include "gedge/sim/memory_checks.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "support/sim_site.hpp"

using namespace gedge;
using namespace gedge::test;

namespace {

/// Facts that are known, as a LiveCluster has them.
struct Known {
  Facts facts;

  const Pod* find_pod(const PodName& name) const { return find(facts.pods, name); }
  const PodSpec* find_spec(const PodName& name) const {
    const Pod* const pod = find_pod(name);
    return pod == nullptr ? nullptr : &facts.spec_of(*pod);
  }
  const Node* find_node(const std::string& name) const { return find(facts.nodes, {{}, name}); }
  std::size_t pod_count() const { return facts.pods.size(); }
  std::size_t node_count() const { return facts.nodes.size(); }
  std::vector<PodName> names(FactKind) const {
    std::vector<PodName> names;
    for (const Pod& pod : facts.pods) names.push_back(fact_name(pod));
    return names;
  }

 private:
  template <typename T>
  static const T* find(const std::vector<T>& all, const PodName& name) {
    const auto at =
        std::find_if(all.begin(), all.end(), [&](const T& one) { return fact_name(one) == name; });
    return at == all.end() ? nullptr : &*at;
  }
};

/// As large as it is told to be.
struct Sizes {
  const Known& cluster() const { return known; }
  std::size_t unplaced() const { return queued; }
  std::size_t bound() const { return 0; }
  std::size_t binding() const { return unsettled; }
  std::size_t unclear() const { return 0; }
  std::size_t timed() const { return timers; }
  std::size_t in_flight() const { return flights; }
  std::size_t asked() const { return tickets; }

  Known known;
  std::size_t queued = 0, unsettled = 0, timers = 0, flights = 0, tickets = 0;
};

}  // namespace

TEST_CASE("what is known otherwise than it is, is found") {
  Facts facts = three_nodes();
  add_pods(facts, "Deployment", "web", 2);
  SimCluster cluster(std::move(facts));
  const Known same{cluster.list()};
  CHECK(difference(same, cluster) == "");

  Known known = same;
  SUBCASE("a pod that is not known") {
    known.facts.pods.pop_back();
    CHECK(difference(known, cluster) == "default/web-1 is not known");
    REQUIRE(cluster.finish({"default", "web-1"}));
    CHECK(difference(known, cluster) == "");
  }
  SUBCASE("a pod that is gone") {
    REQUIRE(cluster.remove_pod({"default", "web-0"}));
    CHECK(difference(known, cluster) == "default/web-0 is known, and is gone");
  }
  SUBCASE("another pod of its name") {
    known.facts.pods[0].uid = "uid-9";
    CHECK(difference(known, cluster) == "default/web-0 is uid-1, and known as uid-9");
  }
  SUBCASE("a pod on another node, or on none") {
    known.facts.pods[0].bound_node = "n1";
    CHECK(difference(known, cluster) == "default/web-0 is on no node, and known to be on n1");
  }
  SUBCASE("a promise") {
    known.facts.pods[0].nominated_node = "n1";
    CHECK(difference(known, cluster) ==
          "default/web-0 is promised no node, and that is known to be n1");
  }
  SUBCASE("a pod that has gone on, or asks for something else") {
    const std::string changed = "default/web-0 is known as it was, and has changed";
    known.facts.pods[0].terminating = true;
    CHECK(difference(known, cluster) == changed);
    known.facts.pods[0].terminating = false;
    known.facts.specs[0].containers.edit().front().requests.set("cpu", 1);
    CHECK(difference(known, cluster) == changed);
  }
  SUBCASE("nodes") {
    known.facts.nodes[1].ready = false;
    CHECK(difference(known, cluster) == "n1 is known as it was, and has changed");
    known.facts.nodes[1] = sim_node("n1");
    known.facts.nodes[1].unschedulable = true;
    CHECK(difference(known, cluster) == "n1 is known as it was, and has changed");
    known.facts.nodes[1] = sim_node("other");
    CHECK(difference(known, cluster) == "n1 is not known");
    REQUIRE(cluster.remove_node("n1"));
    CHECK(difference(known, cluster) == "3 nodes are known, and there are 2");
  }
}

TEST_CASE("what is kept beyond what was told and asked for, is found") {
  Sizes sizes;
  sizes.known.facts = three_nodes();
  add_pods(sizes.known.facts, "Deployment", "web", 2);
  sizes.queued = sizes.timers = 2;
  sizes.unsettled = sizes.flights = 1;
  sizes.tickets = 2;
  const SchedulerInput told{1, 3, 1, 2};  // one is gone whose bind is not settled
  CHECK(excess(sizes, told) == "");

  SUBCASE("pods in the queue") {
    sizes.queued = 3;
    CHECK(excess(sizes, told) == "3 pods in the queue, and there can be 2");
  }
  SUBCASE("timers") {
    sizes.timers = 3;
    CHECK(excess(sizes, told) == "3 pods with a timer, and there can be 2");
  }
  SUBCASE("pods that are known") {
    sizes.unsettled = 0;
    CHECK(excess(sizes, told) == "2 pods that are known, and there can be 1");
  }
  SUBCASE("nodes") {
    sizes.known.facts.nodes.push_back(sim_node("n3"));
    CHECK(excess(sizes, told) == "4 nodes that are known, and there can be 3");
  }
  SUBCASE("binds and answers") {
    sizes.tickets = 3;
    CHECK(excess(sizes, told) == "3 answers that are waited for, and there can be 2");
    sizes.flights = 2;
    CHECK(excess(sizes, told) == "2 binds that are waited for, and there can be 1");
  }
}
