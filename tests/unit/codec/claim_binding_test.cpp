#include "codec/claim_binding.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>

#include "support/dice.hpp"

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

std::string volumes_of(const Facts& facts) {
  std::string text;
  for (const PersistentVolumeClaim& c : facts.claims) text += c.name + "=" + c.volume_name + " ";
  return text;
}

std::string bound(Facts facts) {
  codec::bind_immediate_claims(facts);
  return volumes_of(facts);
}

bool may_have(const PersistentVolume& v, const PersistentVolumeClaim& c) {
  if (!v.is_offered || v.is_block != c.is_block) return false;
  if (!v.claim_name.empty())
    return v.claim_name == c.name && (v.claim_uid.empty() || v.claim_uid == c.uid);
  return v.storage_class == *c.storage_class && v.capacity_bytes >= c.request_bytes &&
         v.access_modes == c.access_modes;
}

// By looking at every volume for every claim.
std::string bound_one_by_one(Facts facts) {
  for (PersistentVolumeClaim& c : facts.claims) {
    PersistentVolume* best = nullptr;
    for (PersistentVolume& v : facts.volumes) {
      if (!may_have(v, c)) continue;
      const bool is_better =
          best == nullptr || (best->claim_name.empty() &&
                              (!v.claim_name.empty() || v.capacity_bytes < best->capacity_bytes));
      if (is_better) best = &v;
    }
    if (best == nullptr) continue;
    c.volume_name = best->name;
    best->claim_name = c.name;
  }
  return volumes_of(facts);
}

Facts random_storage(test::Dice& dice) {
  Facts facts;
  const auto with_leading_zero = [](int i) { return (i < 10 ? "0" : "") + std::to_string(i); };
  const auto storage_class = [&] { return dice.pick<std::string>({"s", "s", "t"}); };
  const auto modes = [&] {
    return dice.pick<std::string>({"ReadWriteOnce", "ReadWriteOnce", "ReadOnlyMany"});
  };
  for (int i = 0; i < 40; ++i) {
    PersistentVolume v = volume(("v" + with_leading_zero(i)).c_str(), dice.between(1, 9), "");
    v.storage_class = storage_class();
    v.access_modes = {modes()};
    v.is_block = dice.chance(20);
    v.is_offered = !dice.chance(20);
    if (dice.chance(30)) {
      v.claim_namespace = "default";
      v.claim_name = "c" + with_leading_zero(static_cast<int>(dice.below(30)));
      v.claim_uid = dice.pick<std::string>({"", "now", "before"});
    }
    facts.volumes.push_back(std::move(v));
  }
  for (int i = 0; i < 30; ++i) {
    PersistentVolumeClaim c = claim(("c" + with_leading_zero(i)).c_str(), dice.between(1, 9), "");
    c.storage_class = storage_class();
    c.uid = "now";
    c.access_modes = {modes()};
    c.is_block = dice.chance(20);
    facts.claims.push_back(std::move(c));
  }
  return facts;
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

TEST_CASE("claim binding: a volume that was of a claim of this name before is not of this one") {
  Facts facts;
  facts.volumes = {volume("v", kGi, "s"), volume("w", 2 * kGi, "s")};
  facts.volumes[0].claim_namespace = "default";
  facts.volumes[0].claim_name = "a";
  facts.volumes[0].claim_uid = "old";
  facts.claims = {claim("a", kGi, "s")};
  CHECK(bound(facts) == "a=v ");  // who has no UID was written by hand
  facts.claims[0].uid = "new";
  CHECK(bound(facts) == "a=w ");
  facts.claims[0].uid = "old";
  CHECK(bound(facts) == "a=v ");
}

TEST_CASE("claim binding: what is not offered, or has another mode, is passed over") {
  Facts facts;
  facts.volumes = {volume("v", kGi, "s"), volume("w", 2 * kGi, "s"), volume("x", 3 * kGi, "s")};
  facts.volumes[0].is_offered = false;
  facts.volumes[1].is_block = true;
  facts.claims = {claim("a", kGi, "s")};
  CHECK(bound(facts) == "a=x ");
  facts.claims[0].is_block = true;
  CHECK(bound(facts) == "a=w ");
}

TEST_CASE("claim binding: as who looks at every volume for every claim") {
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    INFO("seed " << seed);
    test::Dice dice(seed);
    const Facts facts = random_storage(dice);
    CHECK(bound(facts) == bound_one_by_one(facts));
  }
}

// Where each looks at all of them, this takes minutes.
TEST_CASE("claim binding: very many claims and volumes") {
  constexpr int kMany = 50'000;
  Facts facts;
  for (int i = 0; i < kMany; ++i) {
    const std::string number = std::to_string(100'000 + i);
    facts.volumes.push_back(volume(("v" + number).c_str(), kGi, "s"));
    facts.claims.push_back(claim(("c" + number).c_str(), kGi, "s"));
    if (i % 3 == 0) facts.claims.back().volume_name = "v" + number;
  }
  codec::bind_immediate_claims(facts);
  CHECK(std::all_of(facts.claims.begin(), facts.claims.end(),
                    [](const auto& c) { return c.volume_name == "v" + c.name.substr(1); }));
}
