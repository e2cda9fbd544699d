#include "codec/claim_binding.hpp"

#include <doctest/doctest.h>

using namespace gedge;

namespace {

constexpr std::int64_t kGi = std::int64_t{1} << 30;

PersistentVolume volume(const char* name, std::int64_t size, const char* storage_class) {
  PersistentVolume made;
  made.name = name;
  made.storage_class = storage_class;
  made.capacity_bytes = size;
  made.access_modes = {"ReadWriteOnce"};
  return made;
}

PersistentVolumeClaim claim(const char* name, std::int64_t size, const char* storage_class) {
  PersistentVolumeClaim made;
  made.namespace_name = "default";
  made.name = name;
  made.storage_class = storage_class;
  made.request_bytes = size;
  made.access_modes = {"ReadWriteOnce"};
  return made;
}

std::string bound(Facts facts) {
  codec::bind_immediate_claims(facts);
  std::string text;
  for (const PersistentVolumeClaim& c : facts.claims) text += c.name + "=" + c.volume_name + " ";
  return text;
}

}  // namespace

TEST_CASE("claim binding: the smallest volume that is large enough, each once") {
  Facts facts;
  facts.volumes = {volume("big", 9 * kGi, "s"), volume("mid", 2 * kGi, "s"),
                   volume("tiny", kGi - 1, "s")};
  facts.claims = {claim("a", kGi, "s"), claim("b", kGi, "s"), claim("c", kGi, "s")};
  CHECK(bound(facts) == "a=mid b=big c= ");
}

TEST_CASE("claim binding: class, access mode and labels must fit") {
  Facts facts;
  facts.volumes = {volume("other-class", kGi, "t"), volume("read-only", kGi, "s"),
                   volume("unlabelled", kGi, "s")};
  facts.volumes[1].access_modes = {"ReadOnlyMany"};
  facts.claims = {claim("a", kGi, "s")};
  facts.claims[0].selector.requirements = {{"disk", SelectorOp::kExists, {}}};
  CHECK(bound(facts) == "a= ");
  facts.volumes[2].labels.set("disk", "ssd");
  CHECK(bound(facts) == "a=unlabelled ");
}

TEST_CASE("claim binding: a class that waits for the first pod is left to the scheduler") {
  Facts facts;
  facts.volumes = {volume("v", kGi, "s")};
  facts.claims = {claim("a", kGi, "s")};
  facts.storage_classes = {{"s", VolumeBinding::kWaitForFirstConsumer, false, false, {}}};
  CHECK(bound(facts) == "a= ");
}

TEST_CASE("claim binding: a reserved volume goes to its claim and to nobody else") {
  Facts facts;
  facts.volumes = {volume("v", kGi, "s"), volume("w", 2 * kGi, "s")};
  facts.volumes[0].claim_namespace = "default";
  facts.volumes[0].claim_name = "z";
  facts.claims = {claim("a", kGi, "s"), claim("z", kGi, "s")};
  CHECK(bound(facts) == "a=w z=v ");
}

TEST_CASE("claim binding: a claim without a class takes the default one") {
  Facts facts;
  facts.volumes = {volume("v", kGi, "std")};
  facts.claims = {claim("a", kGi, "")};
  CHECK(bound(facts) == "a= ");
  facts.claims[0].storage_class.reset();
  facts.storage_classes = {{"std", VolumeBinding::kImmediate, true, true, {}}};
  CHECK(bound(facts) == "a=v ");
}
