// The scheduler's loop in a simulated cluster, with the clock of this machine instead of one that
// jumps.
#include <doctest/doctest.h>

#include <string>
#include <utility>

#include "gedge/drive/schedule_loop.hpp"
#include "gedge/io/steady_pace.hpp"
#include "gedge/policy/profile.hpp"
#include "gedge/sim/cluster_link.hpp"
#include "support/sim_site.hpp"

using namespace gedge;
using namespace gedge::test;

TEST_CASE("pods of a simulated cluster are bound in real time, until somebody stops it") {
  Facts facts = three_nodes();
  add_pods(facts, "Deployment", "web", 3);
  SimWorld world(std::move(facts), {}, {});
  SteadyPace pace;
  SimLink link(world, pace, {});
  LiveOptions live;
  live.profiles = {*builtin_profile("edge", Compat::k1_36)};
  std::size_t bound = 0;
  ScheduleLoop* running = nullptr;
  ScheduleEvents events;
  events.bound = [&](const BindRequest&, Nanos) {
    if (++bound == 3) running->stop();
  };
  ScheduleLoop loop({LiveCluster(std::move(live)), {"gedge"}, {}}, link, pace, {}, events);
  running = &loop;
  REQUIRE(loop.run());
  CHECK(bound == 3);
  CHECK(where(world) == "web-0@n0 web-1@n1 web-2@n2");
}
