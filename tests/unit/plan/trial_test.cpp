#include "plan/trial.hpp"

#include <doctest/doctest.h>

#include "support/site_builder.hpp"

using namespace gedge;
using namespace gedge::test;

namespace {

Engine engine_for(const Site& site) {
  auto engine = Engine::make(*site.state, *builtin_profile("kube", Compat::k1_36), nullptr, 0);
  REQUIRE(engine);
  return *std::move(engine);
}

}  // namespace

TEST_CASE("trial: edits add up while it lives, and are taken back with it") {
  SiteBuilder b;
  b.node("a");
  b.node("b");
  b.pod("old").on("a").request(kCpu, 3000);
  b.pod("big").request(kCpu, 4500);
  const auto site = b.build();
  Engine engine = engine_for(*site);
  const PodIndex big = site->pod("big");
  const NodeIndex a = site->node("a");
  CHECK_FALSE(engine.fits(big, a));
  {
    Trial trial(*site->state, engine);
    CHECK(trial.apply(*parse_edit("node/a:cpu=+500m")));
    CHECK_FALSE(engine.fits(big, a));
    CHECK(trial.apply(*parse_edit("pod/default/old:delete")));
    CHECK(engine.fits(big, a));
    CHECK_FALSE(engine.fits(big, site->node("b")));
  }
  CHECK_FALSE(engine.fits(big, a));
  CHECK(site->state->node_of(site->pod("old")) == a);
  CHECK(site->state->node(a).allocatable.amount(kCpu) == 4000);
}

TEST_CASE("trial: pods of a node that is drained are gone, those of a daemon set stay") {
  SiteBuilder b;
  b.node("a");
  b.pod("old").on("a");
  b.pod("agent").on("a").pod.workload_kind = "DaemonSet";
  const auto site = b.build();
  Engine engine = engine_for(*site);
  Trial trial(*site->state, engine);
  CHECK(trial.apply(*parse_edit("node/a:drain")));
  CHECK_FALSE(site->state->is_placed(site->pod("old")));
  CHECK(site->state->is_placed(site->pod("agent")));
}

TEST_CASE("trial: what names nothing changes nothing") {
  SiteBuilder b;
  b.node("a");
  b.pod("waiting");
  const auto site = b.build();
  Engine engine = engine_for(*site);
  Trial trial(*site->state, engine);
  const auto before = site->state->epoch();
  for (const char* edit :
       {"node/x:drain", "node/a:label.rack-", "pod/default/x:delete", "pod/default/waiting:delete",
        "pod/default/waiting:node=x", "rtt/a,x=3ms", "add=more.yaml"})
    CHECK_FALSE(trial.apply(*parse_edit(edit)));
  CHECK(site->state->epoch() == before);
}
