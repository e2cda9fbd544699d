// What volumes and claims say of who may have whom.
#include <doctest/doctest.h>

#include <string>

#include "support/objects.hpp"

namespace gedge {
namespace {

PersistentVolume volume(const std::string& metadata, const std::string& spec,
                        const std::string& status) {
  const Facts facts = test::cluster_facts("kind: PersistentVolume\nmetadata: {name: pv" + metadata +
                                          "}\nspec: {storageClassName: s" + spec + "}\n" + status);
  REQUIRE(facts.volumes.size() == 1);
  return facts.volumes.front();
}

PersistentVolumeClaim claim(const std::string& metadata, const std::string& spec,
                            const std::string& status) {
  const Facts facts =
      test::cluster_facts("kind: PersistentVolumeClaim\nmetadata: {name: c, namespace: a" +
                          metadata + "}\nspec: {storageClassName: s" + spec + "}\n" + status);
  REQUIRE(facts.claims.size() == 1);
  return facts.claims.front();
}

TEST_CASE("object readers: a volume that may be had is available, and not going") {
  CHECK(volume("", "", "").is_offered);
  CHECK(volume("", "", "status: {}").is_offered);
  CHECK(volume("", "", "status: {phase: Available}").is_offered);
  for (const char* phase : {"Pending", "Bound", "Released", "Failed"})
    CHECK_FALSE(volume("", "", "status: {phase: " + std::string(phase) + "}").is_offered);
  CHECK_FALSE(volume(", deletionTimestamp: \"2020-01-01T00:00:00Z\"", "", "").is_offered);
}

TEST_CASE("object readers: a volume with a claimRef is offered to that claim in every phase") {
  const std::string reserved = ", claimRef: {namespace: a, name: c, uid: old}";
  const PersistentVolume released = volume("", reserved, "status: {phase: Released}");
  CHECK(released.is_offered);
  CHECK(released.claim_name == "c");
  CHECK(released.claim_uid == "old");
  CHECK_FALSE(volume(", deletionTimestamp: \"2020-01-01T00:00:00Z\"", reserved, "").is_offered);
}

TEST_CASE("object readers: volumes and claims are file systems unless they say that they are not") {
  CHECK_FALSE(volume("", "", "").is_block);
  CHECK_FALSE(volume("", ", volumeMode: Filesystem", "").is_block);
  CHECK(volume("", ", volumeMode: Block", "").is_block);
  CHECK_FALSE(claim("", "", "").is_block);
  CHECK(claim("", ", volumeMode: Block", "").is_block);
}

TEST_CASE("object readers: a claim names its controller, and says that it is going") {
  const PersistentVolumeClaim plain = claim("", "", "");
  CHECK(plain.owner_uid.empty());
  CHECK_FALSE(plain.terminating);
  const PersistentVolumeClaim owned = claim(
      ", deletionTimestamp: \"2020-01-01T00:00:00Z\", ownerReferences: "
      "[{kind: Pod, name: o, uid: other}, {kind: Pod, name: p, uid: own, controller: true}]",
      "", "");
  CHECK(owned.owner_uid == "own");
  CHECK(owned.terminating);
}

TEST_CASE("object readers: a claim that names a volume is bound unless its status denies it") {
  const std::string named = ", volumeName: pv";
  const std::string done = ", annotations: {pv.kubernetes.io/bind-completed: \"yes\"}";
  CHECK_FALSE(claim("", named, "").is_half_bound);
  CHECK_FALSE(claim("", named, "status: {phase: Bound}").is_half_bound);
  CHECK_FALSE(claim("", "", "status: {phase: Pending}").is_half_bound);
  CHECK(claim("", named, "status: {phase: Pending}").is_half_bound);
  CHECK_FALSE(claim(done, named, "status: {phase: Pending}").is_half_bound);
}

}  // namespace
}  // namespace gedge
