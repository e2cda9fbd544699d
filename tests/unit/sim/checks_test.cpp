// What no scheduler may do, as whoever sees all that it sends and is told says it.
#include "gedge/sim/checks.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <string>
#include <utility>

#include "support/sim_site.hpp"

using namespace gedge;
using namespace gedge::test;

namespace {

Facts three_pods(Facts facts = three_nodes()) {
  add_pods(facts, "Deployment", "web", 3);
  return facts;
}

/// "n0" has room for one pod.
Facts little_room() {
  Facts facts = three_nodes();
  facts.nodes.front().allocatable.set("cpu", 500);
  return three_pods(std::move(facts));
}

SimCheckOptions all_judged() {
  SimCheckOptions options;
  options.filters = {"NodeUnschedulable", "TaintToleration", "NodeResourcesFit"};
  options.first_binds = 8;  // more than any of these sends
  return options;
}

SimCheckOptions one_at_once() {
  SimCheckOptions options = all_judged();
  options.first_binds = 1;
  return options;
}

BindRequest request(std::uint64_t ticket, const std::string& pod, const std::string& uid,
                    const std::string& node) {
  return {ticket, {"default", pod}, uid, node};
}

/// A scheduler was told of "web-0" to "web-2", which are "uid-1" to "uid-3", and of their nodes;
/// what it does is said here.
struct Watched {
  explicit Watched(Facts facts = three_pods(), SimCheckOptions options = all_judged())
      : world(std::move(facts), {}, {}), checks(world, std::move(options)) {
    checks.listed(world.cluster().list());
  }
  BindRequest bind(const std::string& pod, const std::string& node) {
    return request(++ticket, pod, world.read({"default", pod}).uid, node);
  }
  BindRequest send(const std::string& pod, const std::string& node) {
    BindRequest sent = bind(pod, node);
    checks.sent(sent);
    return sent;
  }
  /// The server does it, and the answer is on its way.
  void act(const BindRequest& asked) {
    const SharedText uid = world.read(asked.pod).uid;
    checks.done(asked, uid, world.bind(asked));
  }
  void tell_all() {
    for (; seen < world.cluster().version(); ++seen) checks.told(world.cluster().event(seen));
  }
  /// Since the last call.
  std::string breaches() {
    std::string out;
    for (const Breach& breach : checks.take_breaches())
      out += breach.invariant + ' ' + breach.text + '\n';
    return out;
  }

  SimWorld world;
  SimChecks checks;
  std::uint64_t ticket = 0;
  std::size_t seen = 0;
};

ClusterEvent event_of(const Watched& site, const std::string& pod) {
  const SimCluster::SimPod& known = site.world.cluster().pods().at({"default", pod});
  ClusterEvent event;
  event.name = fact_name(known.pod);
  event.object.specs.push_back(known.spec);
  event.object.pods.push_back(known.pod);
  event.object.pods.front().spec = SpecIndex{0};
  return event;
}

ClusterEvent event_of(const Node& node) {
  ClusterEvent event;
  event.kind = FactKind::kNode;
  event.name = fact_name(node);
  event.object.nodes.push_back(node);
  return event;
}

ClusterEvent removed(FactKind kind, PodName name) {
  ClusterEvent event;
  event.kind = kind;
  event.name = std::move(name);
  event.is_removed = true;
  return event;
}

PodReading reading(PodReading::Kind kind, const BindRequest& bind) {
  return {kind, bind.uid, {}, false};
}

}  // namespace

TEST_CASE("a scheduler that does one after the other breaks nothing") {
  Watched site;
  const BindRequest first = site.send("web-0", "n0");
  CHECK(site.checks.input().binds == 1);
  site.act(first);
  site.checks.answered(first, BindAnswer::kBound);
  site.tell_all();
  const BindRequest refused = site.send("web-1", "n0");
  site.checks.answered(refused, BindAnswer::kRefused);
  const BindRequest again = site.send("web-1", "n1");
  site.act(again);
  site.tell_all();  // before it is answered
  site.checks.answered(again, BindAnswer::kBound);
  const BindRequest lost = site.send("web-2", "n2");
  site.checks.answered(lost, BindAnswer::kUnknown);
  const ReadRequest read{9, lost.pod};
  site.checks.answered(read, reading(PodReading::Kind::kFound, lost));
  site.act(site.send("web-2", "n2"));
  site.tell_all();
  CHECK(site.breaches() == "");
  CHECK(site.checks.input().pods == 3);
  CHECK(site.checks.input().nodes == 3);
  CHECK(site.checks.input().binds == 1);
}

TEST_CASE("a pod is bound again before it is known what became of the first bind") {
  const std::string again =
      "I-1 default/web-0 is bound again before it is known what became of it\n";
  for (const BindAnswer answer : {BindAnswer::kUnknown, BindAnswer::kConflict}) {
    Watched site;
    const BindRequest first = site.send("web-0", "n0");
    const BindRequest second = site.send("web-0", "n1");
    CHECK(site.breaches() == again);
    site.checks.answered(first, answer);
    site.checks.answered(second, answer);
    site.send("web-0", "n1");
    CHECK(site.breaches() == again);
    const ReadRequest read{9, first.pod};
    site.checks.answered(read, reading(PodReading::Kind::kUnreadable, first));
    site.send("web-0", "n1");
    CHECK(site.breaches() == again);
    site.checks.answered(read, reading(PodReading::Kind::kFound, first));
    site.send("web-0", "n1");
    CHECK(site.breaches() == "");
  }
}

TEST_CASE("a pod is bound as another one, or though it is bound already") {
  Watched site;
  site.checks.sent(request(7, "web-0", "uid-9", "n0"));
  CHECK(site.breaches() ==
        "I-1 default/web-0 is bound as uid-9, and it was told that it is uid-1\n");

  const ClusterEvent waits = event_of(site, "web-1");
  const BindRequest bind = site.send("web-1", "n0");
  site.act(bind);
  site.checks.answered(bind, BindAnswer::kBound);
  site.tell_all();
  site.checks.told(waits);  // once more: that is old
  CHECK(site.breaches() == "");
  site.send("web-1", "n1");
  CHECK(site.breaches() == "I-1 default/web-1 is bound already, and that was told\n");
}

TEST_CASE("a server binds a pod to two nodes") {
  Watched site;
  site.checks.done(site.bind("web-0", "n0"), "uid-1", BindAnswer::kBound);
  site.checks.done(site.bind("web-0", "n0"), "uid-1", BindAnswer::kBound);
  site.checks.done(site.bind("web-0", "n1"), "uid-1", BindAnswer::kConflict);
  site.checks.done(site.bind("web-0", "n1"), "uid-9", BindAnswer::kBound);
  CHECK(site.breaches() == "");
  site.checks.done(site.bind("web-0", "n1"), "uid-1", BindAnswer::kBound);
  CHECK(site.breaches() == "I-1 default/web-0 was bound to two nodes\n");
}

TEST_CASE("a node gets more than it has by what a scheduler sends") {
  const std::string much =
      "I-2 default/web-1 on n0: cpu: the node would have 1 requested, 500m of it by this pod, and "
      "500m is allocatable\n";
  Watched site(little_room());
  site.act(site.bind("web-0", "n0"));
  CHECK(site.breaches() == "");
  site.act(site.bind("web-1", "n0"));
  CHECK(site.breaches() == much);

  Watched careless(little_room(), SimCheckOptions{});  // its profile does not ask what fits
  careless.act(careless.bind("web-0", "n0"));
  careless.act(careless.bind("web-1", "n0"));
  CHECK(careless.breaches() == "");
}

TEST_CASE("a node that others made smaller, or took away, is nobody's fault") {
  Watched smaller, gone;
  const auto shrink = [](Facts& facts, RttMatrix&) {
    facts.nodes.front().allocatable.set("cpu", 500);
    return Status{};
  };
  const auto take = [](Facts& facts, RttMatrix&) {
    facts.nodes.erase(facts.nodes.begin());
    return Status{};
  };
  REQUIRE(smaller.world.edit(shrink, "n0 is smaller"));
  REQUIRE(gone.world.edit(take, "n0 is gone"));
  for (Watched* const site : {&smaller, &gone}) {
    site->act(site->bind("web-0", "n0"));
    site->act(site->bind("web-1", "n0"));
    CHECK(site->breaches() == "");
  }
}

TEST_CASE("a pod is bound of which nothing was told, or no more") {
  Watched site;
  site.send("web-9", "n0");
  CHECK(site.breaches() == "I-4 default/web-9 is bound, of which nothing was told\n");
  site.checks.told(removed(FactKind::kPod, {"default", "web-0"}));
  site.send("web-0", "n0");
  CHECK(site.breaches() == "I-4 default/web-0 is bound, of which nothing was told\n");
  site.checks.forget();
  CHECK(site.checks.input().pods == 0);
  site.send("web-1", "n0");
  CHECK(site.breaches() == "I-4 default/web-1 is bound, of which nothing was told\n");
  site.checks.listed(site.world.cluster().list());
  site.send("web-2", "n0");
  CHECK(site.breaches() == "");
}

TEST_CASE("a pod is bound to a node that cannot take it, as the scheduler was told") {
  Node cordoned = sim_node("n0"), tainted = sim_node("n0"), small = sim_node("n0");
  cordoned.unschedulable = true;
  tainted.taints.push_back({"closed", "", TaintEffect::kNoSchedule});
  small.allocatable.set("cpu", 400);
  struct {
    ClusterEvent event;
    std::string text;
  } const told[] = {
      {event_of(cordoned), "the node is cordoned (spec.unschedulable)"},
      {event_of(tainted), "taint closed:NoSchedule is not tolerated"},
      {event_of(small),
       "cpu: the node would have 500m requested, 500m of it by this pod, and 400m is allocatable"},
      {removed(FactKind::kNode, {"", "n0"}), "there is no such node"},
  };
  for (const auto& one : told) {
    Watched site;
    site.checks.told(one.event);
    site.send("web-0", "n0");
    CHECK(site.breaches() == "I-4 default/web-0 on n0: " + one.text + "\n");
    site.send("web-1", "n1");
    CHECK(site.breaches() == "");

    Watched careless(three_pods(), SimCheckOptions{});  // its profile asks none of that
    careless.checks.told(one.event);
    careless.send("web-0", "n0");
    CHECK(careless.breaches().empty() != one.event.is_removed);
  }
}

TEST_CASE("what a scheduler has sent counts where it sends more") {
  Watched site(little_room());
  const BindRequest refused = site.send("web-0", "n0");
  site.checks.answered(refused, BindAnswer::kRefused);
  site.send("web-1", "n0");
  CHECK(site.breaches() == "");
  site.send("web-2", "n0");
  CHECK(site.breaches() ==
        "I-4 default/web-2 on n0: cpu: the node would have 1 requested, 500m of it by this pod, "
        "and 500m is allocatable\n");
}

TEST_CASE("what was told more than a minute ago is too old to bind by") {
  Watched site;
  site.checks.broke();
  REQUIRE(site.world.advance(60 * kSecond));
  site.send("web-0", "n0");
  CHECK(site.breaches() == "");
  REQUIRE(site.world.advance(61 * kSecond));
  site.send("web-1", "n0");
  CHECK(site.breaches() == "I-4 default/web-1 is bound by what was told too long ago\n");
  site.checks.listed(site.world.cluster().list());
  site.send("web-2", "n0");
  CHECK(site.breaches() == "");
}

TEST_CASE("one bind more than may be under way is found, but for groups") {
  Watched site(three_pods(), one_at_once());
  site.send("web-0", "n0");
  CHECK(site.breaches() == "");
  site.send("web-1", "n0");
  CHECK(site.breaches() == "I-9 default/web-1 is one bind more than may be under way\n");

  Facts group = three_pods();
  for (Pod& pod : group.pods) pod.extra_labels.set("scheduling.x-k8s.io/pod-group", "ring");
  Watched together(std::move(group), one_at_once());
  for (const char* pod : {"web-0", "web-1", "web-2"}) together.send(pod, "n0");
  CHECK(together.breaches() == "");
}
