// sim/stage.hpp - what the actors of a simulated cluster share: its objects, the time, and what is
// to happen later.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "gedge/base/nanos.hpp"
#include "gedge/effect/simulation.hpp"
#include "gedge/model/scenario.hpp"
#include "gedge/sim/cluster.hpp"

namespace gedge::sim {

struct Stage {
  using Then = std::function<Status()>;

  SimCluster cluster;
  ScenarioTiming timing;
  Nanos now{0};
  UnixSeconds begin = 0;
  std::multimap<Nanos, Then> later;  // at one time in the order in which it was asked for
  std::vector<SimulationEvent> events;

  UnixSeconds date() const { return begin + now.count() / 1'000'000'000; }
  void after(Nanos span, std::function<void()> then) {
    later.emplace(now + span, [then = std::move(then)] {
      then();
      return Status{};
    });
  }
  SimulationEvent& say(Happening what) {
    SimulationEvent& event = events.emplace_back();
    event.at = now;
    event.what = what;
    return event;
  }
  SimulationEvent& say(Happening what, const Pod& pod) {
    SimulationEvent& event = say(what);
    event.namespace_name = pod.namespace_name;
    event.pod = pod.name;
    event.node = pod.bound_node;
    return event;
  }
  /// Null where there is no pod of that name and UID any more.
  const Pod* find(const PodName& name, const SharedText& uid) const {
    const auto at = cluster.pods().find(name);
    return at == cluster.pods().end() || at->second.pod.uid != uid ? nullptr : &at->second.pod;
  }
};

inline bool has_ended(const Pod& pod) {
  return pod.phase == PodPhase::kSucceeded || pod.phase == PodPhase::kFailed;
}
inline PodName name_of(const Pod& pod) { return {pod.namespace_name, pod.name}; }

}  // namespace gedge::sim
