// Pods that go while they are being bound, and their successors of the same name.
#include <doctest/doctest.h>

#include <string>
#include <utility>
#include <vector>

#include "gedge/control/scheduler.hpp"
#include "gedge/policy/profile.hpp"
#include "support/sim_site.hpp"

using namespace gedge;
using namespace gedge::test;

namespace {

Scheduler make_scheduler() {
  LiveOptions options;
  options.profiles = {*builtin_profile("edge", Compat::k1_36)};
  Scheduler scheduler(LiveCluster(std::move(options)), {"gedge"}, {});
  Facts facts = three_nodes();
  add_pods(facts, "Pod", "web", 1);
  facts.pods[0].uid = "first";
  scheduler.put(std::move(facts));
  return scheduler;
}

Facts a_pod(const std::string& name, const std::string& uid) {
  Facts facts;
  add_pods(facts, "Pod", name, 1);
  facts.pods[0].uid = uid;
  return facts;
}

/// The one that is sent at that moment.
BindRequest only_bind(Scheduler& scheduler, Nanos now = kSecond) {
  REQUIRE(scheduler.advance(now));
  std::vector<BindRequest> binds = scheduler.take_binds();
  REQUIRE(binds.size() == 1);
  return binds[0];
}

}  // namespace

TEST_CASE("a bind that met a successor of which nothing was ever told leaves no place held") {
  Scheduler scheduler = make_scheduler();
  REQUIRE(scheduler.advance(kSecond));
  const std::vector<BindRequest> binds = scheduler.take_binds();
  REQUIRE(binds.size() == 1);
  scheduler.remove(FactKind::kPod, "default", "web");  // while the bind is under way
  scheduler.answer(binds[0].ticket, BindAnswer::kBound, 2 * kSecond);
  std::vector<ReadRequest> reads = scheduler.take_reads();
  REQUIRE(reads.size() == 1);
  scheduler.answer(reads[0].ticket, {PodReading::Kind::kFound, "second", binds[0].node},
                   3 * kSecond);
  CHECK(scheduler.bound() == 1);

  scheduler.keep_only(FactKind::kPod, {});  // listed anew: the second one went, too
  reads = scheduler.take_reads();
  REQUIRE(reads.size() == 1);
  scheduler.answer(reads[0].ticket, {PodReading::Kind::kMissing, {}, {}}, 4 * kSecond);
  CHECK(scheduler.bound() == 0);
  CHECK(scheduler.unclear() == 0);
  CHECK(scheduler.cluster().pod_count() == 0);
}

TEST_CASE("a pod that was read before it went, and answered after that, leaves no place held") {
  Scheduler scheduler = make_scheduler();
  const BindRequest bind = only_bind(scheduler);
  scheduler.answer(bind.ticket, BindAnswer::kUnknown, 2 * kSecond);
  const std::vector<ReadRequest> reads = scheduler.take_reads();
  REQUIRE(reads.size() == 1);
  scheduler.remove(FactKind::kPod, "default", "web", "first");
  scheduler.answer(reads[0].ticket, {PodReading::Kind::kFound, "first", bind.node}, 3 * kSecond);
  CHECK(scheduler.bound() == 0);
  CHECK(scheduler.unclear() == 0);
  CHECK(scheduler.counts().bound == 1);
  CHECK(scheduler.cluster().pod_count() == 0);
}

TEST_CASE("a pod that ended before it was seen to be bound leaves no place held") {
  Scheduler scheduler = make_scheduler();
  REQUIRE(scheduler.advance(kSecond));
  const std::vector<BindRequest> binds = scheduler.take_binds();
  REQUIRE(binds.size() == 1);
  PodReading ended{PodReading::Kind::kFound, "first", binds[0].node};
  ended.is_finished = true;
  SUBCASE("the bind was answered") {
    scheduler.answer(binds[0].ticket, BindAnswer::kBound, 2 * kSecond);
    scheduler.keep_only(FactKind::kPod, {});  // a list of those that are not finished
  }
  SUBCASE("nobody knew what became of the bind") {
    scheduler.answer(binds[0].ticket, BindAnswer::kUnknown, 2 * kSecond);
  }
  const std::vector<ReadRequest> reads = scheduler.take_reads();
  REQUIRE(reads.size() == 1);
  scheduler.answer(reads[0].ticket, ended, 3 * kSecond);
  CHECK(scheduler.bound() == 0);
  CHECK(scheduler.unclear() == 0);
  CHECK(scheduler.counts().bound == 1);
  CHECK(scheduler.cluster().pod_count() == 0);
}

TEST_CASE("a watch that is late takes no pod from its node, and a list of storage does") {
  Scheduler scheduler = make_scheduler();
  Facts bound;
  add_pods(bound, "Pod", "web", 1);
  bound.pods[0].uid = "first";
  Facts waits = bound;
  bound.pods[0].bound_node = three_nodes().nodes[0].name;
  scheduler.put(std::move(bound));
  CHECK(scheduler.active() == 0);
  scheduler.put(Facts(waits));
  CHECK(scheduler.active() == 0);
  scheduler.put_listed(std::move(waits));
  CHECK(scheduler.active() == 1);
}

TEST_CASE("a bind that was answered and that a list of storage lacks is asked about") {
  Facts waits;
  add_pods(waits, "Pod", "web", 1);
  waits.pods[0].uid = "first";
  for (const bool is_there : {true, false}) {
    CAPTURE(is_there);
    Scheduler scheduler = make_scheduler();
    REQUIRE(scheduler.advance(kSecond));
    const std::vector<BindRequest> binds = scheduler.take_binds();
    REQUIRE(binds.size() == 1);
    scheduler.put_listed(Facts(waits));  // the bind is under way
    CHECK(scheduler.take_reads().empty());
    scheduler.answer(binds[0].ticket, BindAnswer::kBound, 2 * kSecond);
    scheduler.put(Facts(waits));  // a watch may be late
    CHECK(scheduler.take_reads().empty());
    scheduler.put_listed(Facts(waits));
    const std::vector<ReadRequest> reads = scheduler.take_reads();
    REQUIRE(reads.size() == 1);
    scheduler.answer(reads[0].ticket,
                     {PodReading::Kind::kFound, "first", is_there ? binds[0].node : SharedText()},
                     3 * kSecond);
    CHECK(scheduler.bound() == (is_there ? 1 : 0));
    CHECK(scheduler.counts().bound == 1);
    REQUIRE(scheduler.advance(10 * kSecond));
    CHECK(scheduler.take_binds().size() == (is_there ? 0 : 1));
  }
}

TEST_CASE("in a dry run nothing is asked about of what was never bound") {
  LiveOptions live;
  live.profiles = {*builtin_profile("edge", Compat::k1_36)};
  SchedulerOptions options;
  options.is_dry_run = true;
  Scheduler scheduler(LiveCluster(std::move(live)), {"gedge"}, options);
  Facts facts = three_nodes();
  add_pods(facts, "Pod", "web", 1);
  scheduler.put(Facts(facts));
  REQUIRE(scheduler.advance(kSecond));
  scheduler.answer(scheduler.take_binds().at(0).ticket, BindAnswer::kBound, kSecond);
  scheduler.put_listed(std::move(facts));
  CHECK(scheduler.take_reads().empty());
  CHECK(scheduler.bound() == 1);
}

TEST_CASE("a successor that got a place where it does not fit is told, and one that fits is not") {
  for (const bool fits : {true, false}) {
    for (const bool is_seen_waiting : {true, false}) {
      CAPTURE(fits);
      CAPTURE(is_seen_waiting);
      Scheduler scheduler = make_scheduler();
      const BindRequest bind = only_bind(scheduler);
      Facts second = a_pod("web", "second");
      if (!fits) second.specs[0].node_selector.set("disk", "fast");
      if (is_seen_waiting) scheduler.put(Facts(second));
      scheduler.answer(bind.ticket, BindAnswer::kBound, 2 * kSecond);
      for (const ReadRequest& read : scheduler.take_reads())
        scheduler.answer(read.ticket, {PodReading::Kind::kFound, "second", bind.node}, 2 * kSecond);
      REQUIRE(scheduler.advance(2 * kSecond));
      CHECK(scheduler.take_misplaced().empty());  // nobody has seen it there
      second.pods[0].bound_node = bind.node;
      scheduler.put(std::move(second));
      CHECK(scheduler.next() == Nanos{0});
      REQUIRE(scheduler.advance(3 * kSecond));
      const std::vector<Misplaced> misplaced = scheduler.take_misplaced();
      REQUIRE(misplaced.size() == (fits ? 0 : 1));
      if (!fits) CHECK(misplaced[0].uid == "second");
      if (!fits) CHECK(misplaced[0].node == bind.node);
      CHECK(scheduler.counts().replaced == 1);
      CHECK(scheduler.counts().misplaced == (fits ? 0 : 1));
      REQUIRE(scheduler.advance(4 * kSecond));
      CHECK(scheduler.take_misplaced().empty());
    }
  }
}

TEST_CASE("a bind to a node that changed meanwhile is told where the pod does not fit any more") {
  enum class Node { kSame, kLarger, kCordoned, kDeleted };
  enum class Settled { kAnswered, kSeen, kRead };
  for (const Node node : {Node::kSame, Node::kLarger, Node::kCordoned, Node::kDeleted}) {
    for (const Settled settled : {Settled::kAnswered, Settled::kSeen, Settled::kRead}) {
      CAPTURE(static_cast<int>(node));
      CAPTURE(static_cast<int>(settled));
      Scheduler scheduler = make_scheduler();
      const BindRequest bind = only_bind(scheduler);
      Facts change;
      change.nodes = {*scheduler.cluster().find_node(bind.node.str())};
      if (node == Node::kLarger) change.nodes[0].allocatable.set("cpu", 64'000);
      if (node == Node::kCordoned) change.nodes[0].unschedulable = true;
      if (node == Node::kDeleted)
        scheduler.remove(FactKind::kNode, "", bind.node.str());
      else
        scheduler.put(std::move(change));
      REQUIRE(scheduler.advance(2 * kSecond));
      CHECK(scheduler.take_misplaced().empty());  // it is not there yet
      if (settled == Settled::kSeen) {
        Facts bound = a_pod("web", "first");
        bound.pods[0].bound_node = bind.node;
        scheduler.put(std::move(bound));
      }
      scheduler.answer(bind.ticket,
                       settled == Settled::kRead ? BindAnswer::kUnknown : BindAnswer::kBound,
                       2 * kSecond);
      for (const ReadRequest& read : scheduler.take_reads())
        scheduler.answer(read.ticket, {PodReading::Kind::kFound, "first", bind.node}, 2 * kSecond);
      REQUIRE(scheduler.advance(3 * kSecond));
      const bool fits = node == Node::kSame || node == Node::kLarger;
      CHECK(scheduler.take_misplaced().size() == (fits ? 0 : 1));
      CHECK(scheduler.counts().misplaced == (fits ? 0 : 1));
      CHECK(scheduler.counts().replaced == 0);
      REQUIRE(scheduler.advance(4 * kSecond));
      CHECK(scheduler.take_misplaced().empty());
    }
  }
}

TEST_CASE("the place of a pod that is going is kept until its bind is settled") {
  for (const bool is_found : {true, false}) {
    for (const bool is_gone : {true, false}) {
      CAPTURE(is_found);
      CAPTURE(is_gone);
      Scheduler scheduler = make_scheduler();
      scheduler.keep_only(FactKind::kNode, {{{}, "n0"}});
      Facts node;
      node.nodes = {sim_node("n0")};
      node.nodes[0].allocatable.set("pods", 1);
      scheduler.put(std::move(node));
      const BindRequest bind = only_bind(scheduler);
      Facts going = a_pod("web", "first");
      going.pods[0].terminating = true;
      scheduler.put(std::move(going));
      if (is_gone) scheduler.remove(FactKind::kPod, "default", "web", "first");
      scheduler.put(a_pod("other", "other"));
      REQUIRE(scheduler.advance(2 * kSecond));
      CHECK(scheduler.take_binds().empty());  // the next one of its name may get what was asked for
      scheduler.answer(bind.ticket, BindAnswer::kConflict, 3 * kSecond);
      const std::vector<ReadRequest> reads = scheduler.take_reads();
      REQUIRE(reads.size() == 1);
      PodReading read{PodReading::Kind::kMissing, {}, {}};
      if (is_found) read = {PodReading::Kind::kFound, "first", {}};
      scheduler.answer(reads[0].ticket, read, 4 * kSecond);
      CHECK((scheduler.cluster().find_pod({"default", "web"}) != nullptr) ==
            (is_found && !is_gone));
      CHECK(only_bind(scheduler, 20 * kSecond).pod.name == "other");
      CHECK(scheduler.unclear() == 0);
    }
  }
}

TEST_CASE("a pod that somebody else bound is no successor that got our place") {
  Scheduler scheduler = make_scheduler();
  const BindRequest bind = only_bind(scheduler);
  Facts second = a_pod("web", "second");
  second.specs[0].node_selector.set("disk", "fast");
  second.pods[0].bound_node = bind.node == "n0" ? "n1" : "n0";
  scheduler.put(std::move(second));
  REQUIRE(scheduler.advance(2 * kSecond));
  CHECK(scheduler.take_misplaced().empty());
}

TEST_CASE("a pod that went is told apart from its successor by UID") {
  Scheduler scheduler = make_scheduler();
  scheduler.remove(FactKind::kPod, "default", "web", "older");
  CHECK(scheduler.active() == 1);
  scheduler.remove(FactKind::kPod, "default", "web", "first");
  CHECK(scheduler.active() == 0);
}
