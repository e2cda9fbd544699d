// gedge/model/scenario.hpp - what a simulation is to play through: a cluster, what happens to it
// and when, and what goes wrong between it and its scheduler.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "gedge/base/error.hpp"
#include "gedge/base/nanos.hpp"

namespace gedge {

/// How long a cluster takes for what it does by itself; Kubernetes' defaults where it has any.
struct ScenarioTiming {
  Nanos node_grace{40'000'000'000};    ///< until a node that fell silent counts as unreachable
  Nanos evict_after{300'000'000'000};  ///< tolerationSeconds of not-ready and unreachable
  Nanos start_after{2'000'000'000};    ///< from bound to running
  Nanos stop_after{1'000'000'000};     ///< from deleted to gone
  Nanos answer_after{5'000'000};       ///< of a request, there and back
  Nanos watch_after{5'000'000};        ///< until who watches is told
};

/// What goes wrong, as shares in parts of a million; nothing does by default.
struct ScenarioFaults {
  std::uint32_t lost_binds = 0;     ///< not done, and nobody knows
  std::uint32_t lost_answers = 0;   ///< done, and nobody knows
  std::uint32_t refused_binds = 0;  ///< an error of the server
  std::uint32_t lost_reads = 0;
  std::uint32_t watch_repeats = 0;  ///< before an event some that were told are told again
  std::uint32_t watch_breaks = 0;   ///< instead of an event everything is listed anew
  std::uint32_t restarts = 0;       ///< of the scheduler, at a bind that it sends
  Nanos slow_answers{0};            ///< later than usual, by up to that
  Nanos late_watch{0};              ///< the same
  Nanos watch_outage{0};            ///< a watch that broke is away longer, by up to that
  Nanos timeout{2'000'000'000};     ///< of requests whose answer is lost
  Nanos churn{0};  ///< somebody does something about that often; 0: only what is written

  bool any() const {
    return lost_binds != 0 || lost_answers != 0 || refused_binds != 0 || lost_reads != 0 ||
           watch_repeats != 0 || watch_breaks != 0 || restarts != 0 || slow_answers != Nanos{0} ||
           late_watch != Nanos{0} || churn != Nanos{0};
  }
};

struct ScenarioEvent {
  enum class Kind : std::uint8_t {
    kAdd,      ///< subject: a file of manifests
    kRemove,   ///< subject: a workload, [NAMESPACE/]KIND/NAME
    kScale,    ///< subject: a workload; replicas
    kEdit,     ///< subject: in the EDIT grammar of `--what-if`
    kFail,     ///< subject: a node
    kRecover,  ///< subject: a node
    kFinish,   ///< subject: a pod, [NAMESPACE/]NAME, whose work is done
  };
  Nanos at{0};
  Kind kind = Kind::kFail;
  std::string subject;
  std::int64_t replicas = 0;
  SourceSpan where;
};

/// Files as they are written, beside the scenario.
struct Scenario {
  std::vector<std::string> cluster, rtt, manifests;
  std::uint64_t seed = 0;
  Nanos duration{600'000'000'000};
  ScenarioTiming timing;
  ScenarioFaults faults;
  std::vector<ScenarioEvent> events;  ///< by time; at one time as they are written
};

}  // namespace gedge
