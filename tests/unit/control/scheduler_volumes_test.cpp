// Pods that have a place and wait for volumes, which wait for them.
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

PersistentVolume disk(const std::string& name, const std::string& node) {
  PersistentVolume volume;
  volume.name = name;
  volume.storage_class = "local";
  volume.capacity_bytes = 1'000;
  volume.access_modes = {"ReadWriteOnce"};
  volume.has_node_affinity = true;
  NodeSelectorTerm here;
  here.expressions.push_back({"kubernetes.io/hostname", SelectorOp::kIn, {node}});
  volume.node_terms.push_back(here);
  return volume;
}

PersistentVolumeClaim claim(const std::string& name) {
  PersistentVolumeClaim made;
  made.namespace_name = "default";
  made.name = name;
  made.uid = name + "-uid";
  made.storage_class = "local";
  made.request_bytes = 500;
  made.access_modes = {"ReadWriteOnce"};
  return made;
}

Facts claiming_pod(const std::string& name, const std::string& claimed) {
  Facts facts;
  add_pods(facts, "Pod", name, 1);
  facts.pods[0].uid = name + "-uid";
  facts.specs[0].volumes = {{"data", claimed, false}};
  return facts;
}

// "n0" to "n2"; disks on the first two, or a class that makes them.
Facts storage(bool provisions) {
  Facts facts = three_nodes();
  StorageClass local;
  local.name = "local";
  local.binding = VolumeBinding::kWaitForFirstConsumer;
  local.provisions = provisions;
  facts.storage_classes.push_back(local);
  if (!provisions) facts.volumes = {disk("disk-0", "n0"), disk("disk-1", "n1")};
  facts.claims = {claim("data-a"), claim("data-b")};
  return facts;
}

Scheduler scheduler_of(Facts facts) {
  LiveOptions options;
  options.profiles = {*builtin_profile("edge", Compat::k1_36)};
  Scheduler scheduler(LiveCluster(std::move(options)), {"gedge"}, {});
  scheduler.put(std::move(facts));
  return scheduler;
}

// What a controller says when it has bound them.
Facts bound(const std::string& claimed, const std::string& volume, const std::string& node) {
  Facts facts;
  facts.claims = {claim(claimed)};
  facts.claims[0].volume_name = volume;
  facts.volumes = {disk(volume, node)};
  facts.volumes[0].claim_namespace = "default";
  facts.volumes[0].claim_name = claimed;
  return facts;
}

// The one claim that is asked for.
ClaimRequest asked(Scheduler& scheduler) {
  std::vector<ClaimRequest> claims = scheduler.take_claims();
  REQUIRE(claims.size() == 1);
  return claims.front();
}

}  // namespace

TEST_CASE("a pod is bound when the volume is that was chosen with its place") {
  Scheduler scheduler = scheduler_of(storage(false));
  scheduler.put(claiming_pod("a", "data-a"));
  REQUIRE(scheduler.advance(kSecond));
  CHECK(scheduler.take_binds().empty());
  CHECK(scheduler.awaiting() == 1);
  const ClaimRequest request = asked(scheduler);
  CHECK(request.claim == PodName{"default", "data-a"});
  CHECK(request.uid == "data-a-uid");
  CHECK(request.volume == "disk-0");
  CHECK(request.node == "n0");

  scheduler.answer(request.ticket, ClaimAnswer::kAsked, kSecond);
  REQUIRE(scheduler.advance(2 * kSecond));
  CHECK(scheduler.take_binds().empty());
  scheduler.put(bound("data-a", "disk-0", "n0"));
  CHECK(scheduler.next() == Nanos{0});
  REQUIRE(scheduler.advance(3 * kSecond));
  const std::vector<BindRequest> binds = scheduler.take_binds();
  REQUIRE(binds.size() == 1);
  CHECK(binds[0].node == "n0");
}

TEST_CASE("a volume that was promised is not promised again, whatever old news say") {
  Scheduler scheduler = scheduler_of(storage(false));
  scheduler.put(claiming_pod("a", "data-a"));
  REQUIRE(scheduler.advance(kSecond));
  CHECK(asked(scheduler).volume == "disk-0");
  Facts old;
  old.volumes = {disk("disk-0", "n0")};
  scheduler.put(std::move(old));
  scheduler.put(claiming_pod("b", "data-b"));
  REQUIRE(scheduler.advance(2 * kSecond));
  CHECK(asked(scheduler).volume == "disk-1");
}

TEST_CASE("a claim that was refused, or nobody knows of, gives place and volume back") {
  for (const ClaimAnswer answer : {ClaimAnswer::kRefused, ClaimAnswer::kUnknown}) {
    Scheduler scheduler = scheduler_of(storage(false));
    scheduler.put(claiming_pod("a", "data-a"));
    REQUIRE(scheduler.advance(kSecond));
    scheduler.answer(asked(scheduler).ticket, answer, kSecond);
    CHECK(scheduler.awaiting() == 0);
    CHECK(scheduler.backing_off() == 1);
    scheduler.put(claiming_pod("b", "data-b"));
    REQUIRE(scheduler.advance(kSecond));
    CHECK(asked(scheduler).volume == "disk-0");
  }
}

TEST_CASE("volumes that do not come in time are waited for no longer") {
  Scheduler scheduler = scheduler_of(storage(false));
  scheduler.put(claiming_pod("a", "data-a"));
  REQUIRE(scheduler.advance(kSecond));
  scheduler.answer(asked(scheduler).ticket, ClaimAnswer::kAsked, kSecond);
  CHECK(scheduler.next() == 601 * kSecond);
  REQUIRE(scheduler.advance(601 * kSecond));
  CHECK(scheduler.backing_off() == 1);
  REQUIRE(scheduler.advance(602 * kSecond));
  CHECK(asked(scheduler).volume == "disk-0");
}

TEST_CASE("a pod is not bound where it does not fit any more when its volume is there") {
  Scheduler scheduler = scheduler_of(storage(false));
  scheduler.put(claiming_pod("a", "data-a"));
  REQUIRE(scheduler.advance(kSecond));
  scheduler.answer(asked(scheduler).ticket, ClaimAnswer::kAsked, kSecond);
  Facts cordoned;
  cordoned.nodes.push_back(sim_node("n0"));
  cordoned.nodes[0].unschedulable = true;
  scheduler.put(std::move(cordoned));
  scheduler.put(bound("data-a", "disk-0", "n0"));
  REQUIRE(scheduler.advance(2 * kSecond));
  CHECK(scheduler.take_binds().empty());
  CHECK(scheduler.backing_off() == 1);
  // It cannot go elsewhere: its volume cannot.
  REQUIRE(scheduler.advance(10 * kSecond));
  CHECK(scheduler.take_binds().empty());
  CHECK(scheduler.parked() == 1);
}

TEST_CASE("a pod whose node goes while it waits is placed anew") {
  Scheduler scheduler = scheduler_of(storage(false));
  scheduler.put(claiming_pod("a", "data-a"));
  REQUIRE(scheduler.advance(kSecond));
  CHECK(asked(scheduler).volume == "disk-0");
  scheduler.remove(FactKind::kNode, {}, "n0");
  REQUIRE(scheduler.advance(2 * kSecond));
  REQUIRE(scheduler.advance(10 * kSecond));
  CHECK(asked(scheduler).volume == "disk-1");
}

TEST_CASE("a pod that goes while it waits leaves its volume to the next") {
  Scheduler scheduler = scheduler_of(storage(false));
  scheduler.put(claiming_pod("a", "data-a"));
  REQUIRE(scheduler.advance(kSecond));
  const ClaimRequest first = asked(scheduler);
  scheduler.remove(FactKind::kPod, "default", "a");
  CHECK(scheduler.awaiting() == 0);
  scheduler.answer(first.ticket, ClaimAnswer::kRefused, kSecond);
  scheduler.put(claiming_pod("b", "data-b"));
  REQUIRE(scheduler.advance(2 * kSecond));
  CHECK(asked(scheduler).volume == "disk-0");
}

TEST_CASE("a class that makes volumes is told the node") {
  Scheduler scheduler = scheduler_of(storage(true));
  scheduler.put(claiming_pod("a", "data-a"));
  REQUIRE(scheduler.advance(kSecond));
  const ClaimRequest request = asked(scheduler);
  CHECK(request.volume.empty());
  CHECK(request.node == "n0");
  scheduler.answer(request.ticket, ClaimAnswer::kAsked, kSecond);
  scheduler.put(bound("data-a", "made", "n0"));
  REQUIRE(scheduler.advance(2 * kSecond));
  CHECK(scheduler.take_binds().size() == 1);
}
