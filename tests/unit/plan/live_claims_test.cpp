// Claims of pods that come and go while they are placed.
#include "plan/live_claims.hpp"

#include <doctest/doctest.h>

#include <string>
#include <utility>
#include <vector>

#include "gedge/policy/profile.hpp"

using namespace gedge;

namespace {

Facts site() {
  Facts facts;
  Node node;
  node.name = "n0";
  node.allocatable.set("cpu", 4'000);
  node.allocatable.set("pods", 10);
  facts.nodes.push_back(std::move(node));
  StorageClass cloud;
  cloud.name = "cloud";
  cloud.binding = VolumeBinding::kWaitForFirstConsumer;
  facts.storage_classes.push_back(std::move(cloud));
  return facts;
}

LiveCluster cluster() {
  LiveOptions options;
  options.profiles = {*builtin_profile("kube", Compat::k1_36)};
  LiveCluster made(std::move(options));
  made.put(site());
  return made;
}

Facts pod_with_scratch(const std::string& uid) {
  Facts facts;
  PodSpec spec;
  spec.volumes = std::vector<PodVolume>{{"scratch", "a-scratch", true}};
  facts.specs.push_back(std::move(spec));
  Pod pod;
  pod.name = "a";
  pod.uid = uid;
  facts.pods.push_back(std::move(pod));
  return facts;
}

Facts scratch_of(const std::string& pod_uid) {
  Facts facts;
  PersistentVolumeClaim claim;
  claim.namespace_name = "default";
  claim.name = "a-scratch";
  claim.uid = "of-" + pod_uid;
  claim.owner_uid = pod_uid;
  claim.storage_class = "cloud";
  facts.claims.push_back(std::move(claim));
  return facts;
}

std::string place(LiveCluster& cluster) {
  const auto decisions = cluster.place(std::vector<PodName>{{"default", "a"}});
  REQUIRE(decisions);
  REQUIRE(decisions->size() == 1);
  const Decision& decision = decisions->front();
  return decision.chosen ? decision.chosen->node.str() : decision.message.str();
}

}  // namespace

TEST_CASE("live claims: a pod that was made anew does not get what was made for the one before") {
  LiveCluster live = cluster();
  live.put(pod_with_scratch("first"));
  live.put(scratch_of("first"));
  CHECK(place(live) == "n0");
  CHECK(live.remove(FactKind::kPod, "default", "a"));
  live.put(pod_with_scratch("second"));
  CHECK(place(live).find("was not created for the pod") != std::string::npos);
  live.put(scratch_of("second"));
  CHECK(place(live) == "n0");
}

TEST_CASE(
    "live claims: what has been promised to a claim is not promised to the next of its name") {
  LiveCluster live = cluster();
  live.put(pod_with_scratch("pod"));
  live.put(scratch_of("pod"));
  REQUIRE(place(live) == "n0");
  const PodName pod{"default", "a"};
  CHECK(live.volumes_of(pod) == VolumesOfPod::kUnbound);  // nothing has been asked for
  REQUIRE(live.take_claims(pod).size() == 1);
  CHECK(live.volumes_of(pod) == VolumesOfPod::kAwaited);
  live.put(scratch_of("pod"));  // as it was before
  CHECK(live.volumes_of(pod) == VolumesOfPod::kAwaited);
  Facts next = scratch_of("pod");
  next.claims.front().uid = "next";
  live.put(std::move(next));
  CHECK(live.volumes_of(pod) == VolumesOfPod::kUnbound);
}
