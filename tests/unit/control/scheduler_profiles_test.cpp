// Profiles that change while pods wait.
#include <doctest/doctest.h>

#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include "gedge/control/scheduler.hpp"
#include "gedge/policy/profile.hpp"
#include "support/sim_site.hpp"

using namespace gedge;
using namespace gedge::test;

namespace {

Scheduler scheduler_of(Profile profile) {
  LiveOptions options;
  options.profiles = {std::move(profile)};
  return Scheduler(LiveCluster(std::move(options)), {"gedge"}, {});
}

// Only nodes with this label will do.
Profile demanding(const std::string& label) {
  Profile profile = *builtin_profile("kube", Compat::k1_36);
  for (ProfileEntry& entry : profile.filters)
    if (entry.policy == "NodeAffinity") {
      NodeSelectorTerm term;
      term.expressions.push_back({label, SelectorOp::kExists, {}});
      entry.args.added_required_terms = {term};
    }
  return profile;
}

}  // namespace

TEST_CASE("profiles: a pod that fits nowhere is tried again under new ones") {
  Scheduler scheduler = scheduler_of(demanding("disk"));
  Facts facts = three_nodes();
  add_pods(facts, "Pod", "web", 1);
  scheduler.put(std::move(facts));
  REQUIRE(scheduler.advance(kSecond));
  REQUIRE(scheduler.parked() == 1);

  REQUIRE(scheduler.use({*builtin_profile("kube", Compat::k1_36)}));
  REQUIRE(scheduler.next());
  REQUIRE(scheduler.advance(3 * kSecond));
  CHECK(scheduler.take_binds().size() == 1);
}

TEST_CASE("profiles: those that are impossible change nothing") {
  Scheduler scheduler = scheduler_of(*builtin_profile("kube", Compat::k1_36));
  Facts facts = three_nodes();
  add_pods(facts, "Pod", "web", 1);
  scheduler.put(std::move(facts));

  Profile unknown = *builtin_profile("kube", Compat::k1_36);
  unknown.filters.push_back({"NoSuchFilter", 1, {}});
  CHECK(scheduler.use({unknown}).error().code == Errc::kNotFound);
  Profile others = *builtin_profile("kube", Compat::k1_36);
  others.scheduler_name = "somebody-else";
  CHECK(scheduler.use({others}).error().code == Errc::kInvalidInput);

  REQUIRE(scheduler.advance(kSecond));
  CHECK(scheduler.take_binds().size() == 1);
}

TEST_CASE("profiles: pods keep the places that they were given before") {
  Scheduler scheduler = scheduler_of(*builtin_profile("kube", Compat::k1_36));
  Facts facts = three_nodes();
  facts.nodes.resize(1);
  facts.nodes[0].allocatable.set("pods", 2);
  add_pods(facts, "ReplicaSet", "web", 3);
  scheduler.put(std::move(facts));
  REQUIRE(scheduler.advance(kSecond));
  REQUIRE(scheduler.take_binds().size() == 2);

  REQUIRE(scheduler.use({demanding("kubernetes.io/hostname")}));
  REQUIRE(scheduler.advance(10 * kSecond));
  CHECK(scheduler.binding() == 2);
  CHECK(scheduler.take_binds().empty());
}
