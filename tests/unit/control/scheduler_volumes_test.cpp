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

Scheduler scheduler_of(Facts facts, std::size_t max_binds = 100) {
  LiveOptions options;
  options.profiles = {*builtin_profile("edge", Compat::k1_36)};
  SchedulerOptions most;
  most.max_binds = max_binds;
  Scheduler scheduler(LiveCluster(std::move(options)), {"gedge"}, most);
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

// A disk that is another claim's, or was; free without a name.
Facts with_disk(const std::string& volume, const std::string& node, const std::string& claimed = "",
                const std::string& uid = "") {
  Facts facts;
  facts.volumes = {disk(volume, node)};
  if (!claimed.empty()) facts.volumes[0].claim_namespace = "default";
  facts.volumes[0].claim_name = claimed;
  facts.volumes[0].claim_uid = uid;
  return facts;
}

Facts with_claim(const std::string& claimed, const std::string& selected_node = "") {
  Facts facts;
  facts.claims = {claim(claimed)};
  facts.claims[0].selected_node = selected_node;
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

TEST_CASE("volumes that come at once let no more binds be under way than may be") {
  Scheduler scheduler = scheduler_of(storage(false), 1);
  scheduler.put(claiming_pod("a", "data-a"));
  scheduler.put(claiming_pod("b", "data-b"));
  REQUIRE(scheduler.advance(kSecond));
  REQUIRE(scheduler.awaiting() == 2);
  for (const ClaimRequest& request : scheduler.take_claims())
    scheduler.put(bound(request.claim.name, request.volume, request.node));
  REQUIRE(scheduler.advance(2 * kSecond));
  const std::vector<BindRequest> first = scheduler.take_binds();
  REQUIRE(first.size() == 1);
  REQUIRE(scheduler.advance(3 * kSecond));
  CHECK(scheduler.take_binds().empty());
  scheduler.answer(first[0].ticket, BindAnswer::kBound, 3 * kSecond);
  const auto next = scheduler.next();
  REQUIRE(next);
  CHECK(*next <= 3 * kSecond);
  REQUIRE(scheduler.advance(3 * kSecond));
  CHECK(scheduler.take_binds().size() == 1);
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

TEST_CASE("volumes of a pod group are waited for as long as the group says") {
  for (const auto& [timeout, until] : {std::pair(0, 601), {90, 91}, {7'200, 601}}) {
    CAPTURE(timeout);
    Scheduler scheduler = scheduler_of(storage(false));
    Facts group;
    group.pod_groups = {{"default", "g", 1, timeout}};
    scheduler.put(std::move(group));
    Facts pod = claiming_pod("a", "data-a");
    pod.specs[0].labels.set("scheduling.x-k8s.io/pod-group", "g");
    scheduler.put(std::move(pod));
    REQUIRE(scheduler.advance(kSecond));
    scheduler.answer(asked(scheduler).ticket, ClaimAnswer::kAsked, kSecond);
    CHECK(scheduler.next() == until * kSecond);
  }
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

TEST_CASE("a volume that was of a claim of that name before is not waited for") {
  Facts facts = storage(false);
  facts.volumes[0].claim_namespace = "default";
  facts.volumes[0].claim_name = "data-a";
  facts.volumes[0].claim_uid = "of-one-before";
  Scheduler scheduler = scheduler_of(std::move(facts));
  scheduler.put(claiming_pod("a", "data-a"));
  REQUIRE(scheduler.advance(kSecond));
  CHECK(asked(scheduler).volume == "disk-1");
}

TEST_CASE("a pod gives its place up when the provisioner takes the node from the claim") {
  Scheduler scheduler = scheduler_of(storage(true));
  scheduler.put(claiming_pod("a", "data-a"));
  REQUIRE(scheduler.advance(kSecond));
  const ClaimRequest request = asked(scheduler);
  scheduler.put(with_claim("data-a"));  // as it was before it was asked for
  REQUIRE(scheduler.advance(kSecond));
  scheduler.answer(request.ticket, ClaimAnswer::kAsked, kSecond);
  scheduler.put(with_claim("data-a", "n0"));
  REQUIRE(scheduler.advance(2 * kSecond));
  CHECK(scheduler.awaiting() == 1);
  scheduler.put(with_claim("data-a"));
  REQUIRE(scheduler.advance(3 * kSecond));
  CHECK(scheduler.awaiting() == 0);
  CHECK(scheduler.backing_off() == 1);
  CHECK(scheduler.take_binds().empty());
  REQUIRE(scheduler.advance(10 * kSecond));
  CHECK(asked(scheduler).node == "n0");
}

TEST_CASE("a pod gives its place up when its claim is gone, or made anew") {
  for (const bool is_made_anew : {false, true}) {
    Scheduler scheduler = scheduler_of(storage(true));
    scheduler.put(claiming_pod("a", "data-a"));
    REQUIRE(scheduler.advance(kSecond));
    scheduler.answer(asked(scheduler).ticket, ClaimAnswer::kAsked, kSecond);
    scheduler.remove(FactKind::kClaim, "default", "data-a");
    if (is_made_anew) {
      Facts next = with_claim("data-a");
      next.claims[0].uid = "next";
      scheduler.put(std::move(next));
    }
    REQUIRE(scheduler.advance(2 * kSecond));
    CHECK(scheduler.awaiting() == 0);
    CHECK(scheduler.backing_off() == 1);
  }
}

TEST_CASE("a pod gives its place up when its volume has become another's, or free again") {
  for (const char* owner : {"", "data-b"}) {
    Scheduler scheduler = scheduler_of(storage(false));
    scheduler.put(claiming_pod("a", "data-a"));
    REQUIRE(scheduler.advance(kSecond));
    const ClaimRequest request = asked(scheduler);
    scheduler.answer(request.ticket, ClaimAnswer::kAsked, kSecond);
    scheduler.put(with_disk("disk-0", "n0", "data-a", "data-a-uid"));
    REQUIRE(scheduler.advance(2 * kSecond));
    CHECK(scheduler.awaiting() == 1);
    scheduler.put(with_disk("disk-0", "n0", owner));
    REQUIRE(scheduler.advance(3 * kSecond));
    CHECK(scheduler.awaiting() == 0);
    CHECK(scheduler.backing_off() == 1);
  }
}

TEST_CASE("a pod waits for a volume that was reserved for its claim before") {
  Facts facts = storage(false);
  facts.volumes = {with_disk("disk-0", "n0", "data-a").volumes[0]};
  Scheduler scheduler = scheduler_of(std::move(facts));
  scheduler.put(claiming_pod("a", "data-a"));
  REQUIRE(scheduler.advance(kSecond));
  CHECK(scheduler.take_claims().empty());
  scheduler.put(with_claim("data-b"));
  REQUIRE(scheduler.advance(2 * kSecond));
  CHECK(scheduler.awaiting() == 1);
}

TEST_CASE("a volume that is given back wakes those that found none") {
  for (const bool goes : {false, true}) {
    Facts facts = storage(false);
    facts.volumes.pop_back();
    Scheduler scheduler = scheduler_of(std::move(facts));
    scheduler.put(claiming_pod("a", "data-a"));
    scheduler.put(claiming_pod("b", "data-b"));
    REQUIRE(scheduler.advance(kSecond));
    const ClaimRequest request = asked(scheduler);
    REQUIRE(request.claim == PodName{"default", "data-a"});
    REQUIRE(scheduler.parked() == 1);
    if (goes)
      scheduler.remove(FactKind::kPod, "default", "a");
    else
      scheduler.answer(request.ticket, ClaimAnswer::kRefused, 3 * kSecond);
    REQUIRE(scheduler.advance(3 * kSecond));
    CHECK(scheduler.parked() == 0);
    CHECK(asked(scheduler).claim == PodName{"default", "data-b"});
  }
}
