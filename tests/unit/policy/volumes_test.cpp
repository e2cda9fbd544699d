#include "support/policy_probe.hpp"

using namespace gedge;
using namespace gedge::test;

namespace {

constexpr const char* kZone = "topology.kubernetes.io/zone";
constexpr const char* kBetaZone = "failure-domain.beta.kubernetes.io/zone";
constexpr const char* kHost = "kubernetes.io/hostname";

SiteBuilder two_zones() {
  SiteBuilder b;
  b.node("a1", {{kZone, "a"}});
  b.node("a2", {{kZone, "a"}});
  b.node("b1", {{kZone, "b"}});
  StorageClass local, cloud, cloud_a, at_once;
  local.name = "local";
  cloud.name = "cloud";
  cloud_a.name = "cloud-a";
  at_once.name = "at-once";
  local.binding = cloud.binding = cloud_a.binding = VolumeBinding::kWaitForFirstConsumer;
  local.provisions = false;
  cloud_a.allowed_topologies = {node_term(kZone, {"a"})};
  b.facts().storage_classes = {local, cloud, cloud_a, at_once};
  return b;
}

PersistentVolume& add_volume(SiteBuilder& b, const std::string& name, std::int64_t bytes,
                             const char* host = nullptr) {
  PersistentVolume& volume = b.facts().volumes.emplace_back();
  volume.name = name;
  volume.storage_class = "local";
  volume.capacity_bytes = bytes;
  volume.access_modes = {"ReadWriteOnce"};
  volume.has_node_affinity = host != nullptr;
  if (host != nullptr) volume.node_terms = {node_term(kHost, {host})};
  return volume;
}

PersistentVolumeClaim& add_claim(SiteBuilder& b, const std::string& name,
                                 std::optional<std::string> storage_class, std::int64_t bytes = 1) {
  PersistentVolumeClaim& claim = b.facts().claims.emplace_back();
  claim.namespace_name = "default";
  claim.name = name;
  claim.storage_class = std::move(storage_class);
  claim.request_bytes = bytes;
  claim.access_modes = {"ReadWriteOnce"};
  return claim;
}

PodDraft& add_user(SiteBuilder& b, const std::string& name,
                   const std::vector<std::string>& claims) {
  PodDraft& draft = b.pod(name);
  for (const std::string& claim : claims) draft.spec.volumes.push_back({"v", claim, false});
  return draft;
}

Evidence only_evidence(const Site& site, std::string_view pod, const std::string& node) {
  const Evidences why = rejections(*filter_named("VolumeBinding"), site, pod);
  REQUIRE(why.at(node).size() == 1);
  CHECK(why.at(node)[0].verdict == Verdict::kUnresolvable);
  return why.at(node)[0];
}

}  // namespace

TEST_CASE("volume binding: a bound volume keeps its pod on the nodes that reach it") {
  SiteBuilder b = two_zones();
  add_volume(b, "pv-1", 10, "a2");
  add_claim(b, "data", "local").volume_name = "pv-1";
  add_user(b, "db", {"data"});
  add_user(b, "web", {});
  const auto site = b.build();
  const auto policy = filter_named("VolumeBinding");
  CHECK(passing(*policy, *site, "db") == "a2");
  CHECK(passing(*policy, *site, "web") == "a1 a2 b1");
  const Evidence why = only_evidence(*site, "db", "b1");
  CHECK(why.reason == Reason::kVolumeNodeAffinity);
  CHECK(why.subject == "pv-1");
}

TEST_CASE("volume binding: what is missing rejects every node and says what it is") {
  SiteBuilder b = two_zones();
  add_claim(b, "orphan", "local").volume_name = "gone";
  add_claim(b, "waiting", "at-once");
  add_claim(b, "classless", "");
  add_claim(b, "unknown-class", "nobody");
  add_claim(b, "defaulted", std::nullopt);
  for (const char* claim :
       {"absent", "orphan", "waiting", "classless", "unknown-class", "defaulted"})
    add_user(b, "uses-" + std::string(claim), {claim});
  const auto site = b.build();
  CHECK(passing(*filter_named("VolumeBinding"), *site, "uses-absent").empty());
  CHECK(only_evidence(*site, "uses-absent", "a1").reason == Reason::kClaimMissing);
  CHECK(only_evidence(*site, "uses-absent", "a1").subject == "absent");
  CHECK(only_evidence(*site, "uses-orphan", "a1").reason == Reason::kVolumeMissing);
  CHECK(only_evidence(*site, "uses-orphan", "a1").subject == "gone");
  CHECK(only_evidence(*site, "uses-waiting", "a1").reason == Reason::kClaimUnbound);
  for (const char* pod : {"uses-classless", "uses-unknown-class", "uses-defaulted"})
    CHECK(only_evidence(*site, pod, "a1").reason == Reason::kClaimUnbound);
}

TEST_CASE("volume binding: a claim without a class takes the default class") {
  SiteBuilder b = two_zones();
  b.facts().storage_classes[2].is_default = true;  // cloud-a
  add_claim(b, "data", std::nullopt);
  add_user(b, "db", {"data"});
  CHECK(passing(*filter_named("VolumeBinding"), *b.build(), "db") == "a1 a2");
}

TEST_CASE("volume binding: a provisioning class goes everywhere its topologies allow") {
  SiteBuilder b = two_zones();
  add_claim(b, "any", "cloud");
  add_claim(b, "zone-a", "cloud-a");
  add_claim(b, "chosen", "cloud").selected_node = "b1";
  add_user(b, "anywhere", {"any"});
  add_user(b, "in-a", {"zone-a"});
  add_user(b, "on-b1", {"chosen"});
  const auto site = b.build();
  const auto policy = filter_named("VolumeBinding");
  CHECK(passing(*policy, *site, "anywhere") == "a1 a2 b1");
  CHECK(passing(*policy, *site, "in-a") == "a1 a2");
  CHECK(passing(*policy, *site, "on-b1") == "b1");
  CHECK(only_evidence(*site, "in-a", "b1").reason == Reason::kNoVolume);
  CHECK(only_evidence(*site, "in-a", "b1").subject == "zone-a");
}

TEST_CASE("volume binding: without a provisioner a free volume must suit claim and node") {
  SiteBuilder b = two_zones();
  add_volume(b, "small", 5, "a1");
  add_volume(b, "large", 10, "a2").labels = {{"speed", "high"}};
  add_volume(b, "taken", 10, "b1").claim_name = "somebody";
  b.facts().volumes.back().claim_namespace = "default";
  add_volume(b, "read-only", 10, "b1").access_modes = {"ReadOnlyMany"};
  add_volume(b, "other-class", 10, "b1").storage_class = "cloud";
  add_claim(b, "five", "local", 5);
  add_claim(b, "six", "local", 6);
  add_claim(b, "fast", "local", 1).selector = selector({{"speed", "high"}});
  for (const char* claim : {"five", "six", "fast"}) add_user(b, claim, {claim});
  const auto site = b.build();
  const auto policy = filter_named("VolumeBinding");
  CHECK(passing(*policy, *site, "five") == "a1 a2");
  CHECK(passing(*policy, *site, "six") == "a2");
  CHECK(passing(*policy, *site, "fast") == "a2");
}

TEST_CASE("volume binding: a volume that names its claim is for that claim alone") {
  SiteBuilder b = two_zones();
  PersistentVolume& reserved = add_volume(b, "reserved", 10, "b1");
  reserved.claim_namespace = "default";
  reserved.claim_name = "mine";
  add_volume(b, "free", 10, "a1");
  add_claim(b, "mine", "local");
  add_claim(b, "yours", "local");
  add_user(b, "owner", {"mine"});
  add_user(b, "stranger", {"yours"});
  const auto site = b.build();
  const auto policy = filter_named("VolumeBinding");
  CHECK(passing(*policy, *site, "stranger") == "a1");
  CHECK(passing(*policy, *site, "owner") == "b1");
}

TEST_CASE("volume binding: a volume that another claim of that name had is for none") {
  SiteBuilder b = two_zones();
  PersistentVolume& released = add_volume(b, "released", 10, "b1");
  released.claim_namespace = "default";
  released.claim_name = "data";
  released.claim_uid = "old";
  add_volume(b, "free", 10, "a1");
  add_claim(b, "data", "local");
  add_user(b, "db", {"data"});
  const auto policy = filter_named("VolumeBinding");
  CHECK(passing(*policy, *b.build(), "db") == "b1");  // a claim without UID was written by hand
  b.facts().claims.back().uid = "new";
  CHECK(passing(*policy, *b.build(), "db") == "a1");
  b.facts().claims.back().uid = "old";
  CHECK(passing(*policy, *b.build(), "db") == "b1");
  b.facts().volumes.front().is_offered = false;  // it is being deleted
  CHECK(passing(*policy, *b.build(), "db") == "a1");
}

TEST_CASE("volume binding: only volumes of its mode that are offered are for a claim") {
  SiteBuilder b = two_zones();
  add_volume(b, "gone", 10, "a1").is_offered = false;
  add_volume(b, "raw", 10, "a2").is_block = true;
  add_volume(b, "plain", 10, "b1");
  add_claim(b, "data", "local");
  add_claim(b, "device", "local").is_block = true;
  add_user(b, "db", {"data"});
  add_user(b, "raw-db", {"device"});
  const auto site = b.build();
  const auto policy = filter_named("VolumeBinding");
  CHECK(passing(*policy, *site, "db") == "b1");
  CHECK(passing(*policy, *site, "raw-db") == "a2");
}

TEST_CASE(
    "volume binding: a claim that is going, or whose binding is not done, rejects all nodes") {
  SiteBuilder b = two_zones();
  add_volume(b, "pv-1", 10);
  for (const char* claim : {"going", "half", "bound"}) add_claim(b, claim, "local");
  std::vector<PersistentVolumeClaim>& claims = b.facts().claims;
  claims[0].terminating = claims[1].is_half_bound = true;
  for (PersistentVolumeClaim& claim : claims) claim.volume_name = "pv-1";
  for (const char* claim : {"going", "half", "bound"}) add_user(b, claim, {claim});
  const auto site = b.build();
  CHECK(only_evidence(*site, "going", "a1").reason == Reason::kClaimTerminating);
  CHECK(only_evidence(*site, "going", "b1").subject == "going");
  CHECK(only_evidence(*site, "half", "a1").reason == Reason::kClaimUnbound);
  CHECK(passing(*filter_named("VolumeBinding"), *site, "bound") == "a1 a2 b1");
}

TEST_CASE("volume binding: an ephemeral volume is of a claim that was made for its pod") {
  SiteBuilder b = two_zones();
  add_claim(b, "db-data", "cloud").uid = "claim";
  PodDraft& user = add_user(b, "db", {"db-data"});
  user.pod.uid = "now";
  const auto policy = filter_named("VolumeBinding");
  CHECK(passing(*policy, *b.build(), "db") == "a1 a2 b1");
  user.spec.volumes.edit().front().ephemeral = true;
  CHECK(only_evidence(*b.build(), "db", "a1").reason == Reason::kClaimNotOwned);
  b.facts().claims.back().owner_uid = "before";
  CHECK(only_evidence(*b.build(), "db", "a1").reason == Reason::kClaimNotOwned);
  b.facts().claims.back().owner_uid = "now";
  CHECK(passing(*policy, *b.build(), "db") == "a1 a2 b1");
  b.facts().claims.back().owner_uid.clear();
  b.facts().claims.back().uid.clear();  // written by hand
  CHECK(passing(*policy, *b.build(), "db") == "a1 a2 b1");
}

TEST_CASE("volume binding: two claims of one pod need two volumes") {
  SiteBuilder b = two_zones();
  add_volume(b, "one", 10, "a1");
  add_volume(b, "two", 10, "a2");
  add_volume(b, "three", 5, "a2");
  add_claim(b, "big", "local", 8);
  add_claim(b, "little", "local", 1);
  add_user(b, "both", {"big", "little"});
  add_user(b, "twice", {"big", "big"});
  const auto site = b.build();
  const auto policy = filter_named("VolumeBinding");
  CHECK(passing(*policy, *site, "both") == "a2");
  CHECK(passing(*policy, *site, "twice") == "a1 a2");
}

TEST_CASE("volume binding: what an earlier pod took is taken, until it leaves") {
  SiteBuilder b = two_zones();
  add_volume(b, "one", 10, "a1");
  add_volume(b, "two", 10, "b1");
  for (const char* claim : {"c0", "c1", "shared"}) add_claim(b, claim, "local");
  add_user(b, "p0", {"c0"});
  add_user(b, "p1", {"c1"});
  add_user(b, "s0", {"shared"});
  add_user(b, "s1", {"shared"});
  const auto site = b.build();
  const auto policy = filter_named("VolumeBinding");
  const ClusterState::Mark mark = site->state->mark();
  site->state->bind(site->pod("p0"), site->node("a1"));
  CHECK(passing(*policy, *site, "p1") == "b1");
  site->state->bind(site->pod("s0"), site->node("b1"));
  CHECK(passing(*policy, *site, "p1").empty());
  CHECK(passing(*policy, *site, "s1") == "b1");  // its claim is bound to "two" now
  CHECK(only_evidence(*site, "s1", "a1").reason == Reason::kVolumeNodeAffinity);
  site->state->unbind(site->pod("p0"));
  CHECK(passing(*policy, *site, "p1") == "a1");
  site->state->undo(mark);
  CHECK(passing(*policy, *site, "p1") == "a1 b1");
}

TEST_CASE("volume zone: a bound volume's zone label binds nodes that have zones") {
  SiteBuilder b = two_zones();
  b.node("none");
  b.node("beta", {{kBetaZone, "b"}});
  const auto user = [&](const std::string& name, const char* key, const char* zones) {
    add_volume(b, name, 1).labels = {{key, zones}};
    add_claim(b, name, "local").volume_name = name;
    add_user(b, name, {name});
  };
  user("in-a", kZone, "a");
  user("in-both", kZone, "a__b");
  user("beta-b", kBetaZone, "b");
  user("broken", kZone, "a__");
  const auto site = b.build();
  const auto policy = filter_named("VolumeZone");
  CHECK(passing(*policy, *site, "in-a") == "a1 a2 none");
  CHECK(passing(*policy, *site, "in-both") == "a1 a2 b1 none");
  CHECK(passing(*policy, *site, "beta-b") == "b1 beta none");
  CHECK(passing(*policy, *site, "broken") == "a1 a2 b1 beta none");
  CHECK(passing(*filter_named("VolumeZone", Compat::k1_20), *site, "beta-b") == "beta none");
  const Evidence why = rejections(*policy, *site, "in-a").at("b1").at(0);
  CHECK(why.reason == Reason::kVolumeZone);
  CHECK(why.verdict == Verdict::kUnresolvable);
  CHECK(why.subject == "in-a");
}
