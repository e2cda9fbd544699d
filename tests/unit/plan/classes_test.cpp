#include "plan/classes.hpp"

#include <doctest/doctest.h>

#include <string_view>

#include "gedge/policy/profile.hpp"
#include "support/site_builder.hpp"

using namespace gedge;
using namespace gedge::test;

namespace {

/// The policies of profile `kube`, as an engine holds them.
struct Slots {
  std::vector<FilterSlot> filters;
  std::vector<ScoreSlot> scores;

  Slots() {
    const Profile profile = *builtin_profile("kube", Compat::k1_36);
    for (const ProfileEntry& entry : profile.filters) {
      auto policy = make_filter(entry.policy, entry.args, profile.compat);
      REQUIRE(policy);
      filters.push_back({entry.policy, *std::move(policy)});
    }
    for (const ProfileEntry& entry : profile.scores) {
      auto policy = make_score(entry.policy, entry.args, profile.compat);
      REQUIRE(policy);
      scores.push_back({entry.policy, *std::move(policy), entry.weight});
    }
  }

  const ClassState* state(const PreparedClass& prepared, std::string_view filter) const {
    for (std::size_t i = 0; i < filters.size(); ++i)
      if (filters[i].name == filter) return prepared.filters[i];
    return nullptr;
  }
};

}  // namespace

TEST_CASE("classes: pods whose differences no policy reads share one class, whoever came first") {
  SiteBuilder b;
  b.node("n");
  for (const char* name : {"one", "two"})
    b.pod(name, {{"app", "web"}}).request(kCpu, 100).spec.annotations.set("note", name);
  const auto site = b.build();
  const Slots slots;
  ClassCache classes(*site->state, slots.filters, slots.scores, {}, true);
  const auto state = [&](const char* pod) {
    return slots.state(classes.get(site->pod(pod)), "InterPodAffinity");
  };
  state("one");  // is not known to come again
  const ClassState* const made = state("two");
  REQUIRE(made != nullptr);
  CHECK(state("one") == made);
  CHECK(state("two") == made);
}
