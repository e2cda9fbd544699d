// gedge/effect/simulation.hpp - what happened in a simulated cluster, and what it comes to.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gedge/base/nanos.hpp"
#include "gedge/base/shared_text.hpp"
#include "gedge/base/units.hpp"
#include "gedge/effect/plan.hpp"

namespace gedge {

enum class Happening : std::uint8_t {
  kCreated,
  kBound,
  kRunning,
  kUnschedulable,  ///< note: why
  kDeleted,        ///< asked to go; note: by whom
  kGone,
  kFinished,
  kNodeAdded,
  kNodeFailed,  ///< nobody knows yet
  kNodeUnreachable,
  kNodeReady,
  kNodeChanged,
  kNodeGone,
  kScaled,     ///< pod: the workload, as KIND/NAME; note: how
  kEdited,     ///< note: the edit
  kRestarted,  ///< the scheduler was
};

/// One word: "bound", "node-failed".
std::string_view to_string(Happening what);

struct SimulationEvent {
  Nanos at{0};
  Happening what = Happening::kCreated;
  SharedText namespace_name, pod, node;  ///< empty where it concerns none
  std::vector<BudgetReport> budgets;     ///< kBound
  SharedText replaces, was_on;      ///< kCreated, kBound: the pod that went and its node, where it
                                    ///< stands for one
  std::optional<Nanos> since_lost;  ///< kBound of such a pod: since the other's node failed, or it
                                    ///< was deleted
  std::string note;
};

struct SimulationSummary {
  std::uint64_t created = 0;  ///< pods that came after the beginning
  std::uint64_t bound = 0;
  std::uint64_t replaced = 0;  ///< bound for a pod that went
  std::uint64_t moved = 0;     ///< of these, on another node
  Nanos longest_rebind{0};     ///< from loss to bound; of these
  std::uint64_t attempts = 0, faults = 0;
  std::uint64_t pods = 0, placed = 0;  ///< at the end: that did not finish; that have a node
  std::uint64_t over_budget = 0;       ///< at the end: placed beyond a delay budget
};

/// An invariant that did not hold.
struct Breach {
  std::uint64_t seed = 0;
  Nanos at{0};
  std::string invariant;  ///< "I-2"
  std::string text;
};

struct Simulation {
  std::string profile;
  Compat compat = Compat::k1_36;
  std::uint64_t seed = 0, runs = 1;
  Nanos duration{0};
  std::vector<SimulationEvent> events;  ///< of a single run
  std::vector<Breach> breaches;
  SimulationSummary summary;  ///< over all runs

  bool all_placed() const { return summary.placed == summary.pods && summary.over_budget == 0; }
};

}  // namespace gedge
