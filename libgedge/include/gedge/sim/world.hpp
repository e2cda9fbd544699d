// gedge/sim/world.hpp - a cluster in memory with everybody who acts in it but its scheduler.
//
// Controllers make pods anew, kubelets start and stop them, nodes that fall silent are tainted and
// emptied. Time is handed in, and what happens depends on nothing else: the same acts at the same
// moments give the same history.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gedge/base/nanos.hpp"
#include "gedge/base/result.hpp"
#include "gedge/effect/simulation.hpp"
#include "gedge/latency/matrix.hpp"
#include "gedge/model/facts.hpp"
#include "gedge/model/scenario.hpp"
#include "gedge/port/binding.hpp"
#include "gedge/sim/cluster.hpp"

namespace gedge {

struct SimWorldOptions {
  ScenarioTiming timing;
  std::uint64_t seed = 0;  ///< of churn
  std::string rtt_by;      ///< node label that names nodes in the matrix; empty: their names
  Compat compat = Compat::k1_36;
  bool reports_budgets = true;  ///< in events of binds; costs a view of the cluster each
};

/// Which workload: "default", "Deployment", "web". The kind in any case.
struct WorkloadName {
  std::string namespace_name, kind, name;
};

class SimWorld {
 public:
  using Act = std::function<Status(SimWorld&)>;
  using Change = std::function<Status(Facts&, RttMatrix&)>;

  /// How many replicas a workload should have is what the facts hold of it.
  SimWorld(Facts facts, RttMatrix rtt, const SimWorldOptions& options);
  ~SimWorld();
  SimWorld(SimWorld&&) = delete;

  /// Lets everything happen up to `now`, in order. Errors: of acts, the first of which ends it.
  Status advance(Nanos now);
  /// When something will happen by itself; empty: nothing will.
  std::optional<Nanos> next() const;
  Nanos time() const;

  void at(Nanos when, Act act);
  /// Somebody does something about that often, until then: pods are deleted, made anew under their
  /// name, finish; nodes fail, recover, are cordoned, go and come back.
  void churn(Nanos every, Nanos until);

  // What somebody does, now. Errors: kNotFound for what is not there.
  Status fail_node(std::string_view name);
  Status recover_node(std::string_view name);
  Status delete_pod(const PodName& name, std::string note);
  /// It is gone, and another one of its name waits: as `kubectl replace --force` does.
  Status replace_pod(const PodName& name);
  Status finish_pod(const PodName& name);
  /// Errors too: kInvalidInput for what has no number of replicas.
  Status scale(const WorkloadName& workload, std::int64_t replicas);
  /// Everything that `change` does to facts and matrix. Pods that lose their node are deleted, as
  /// an eviction does it; pods of a node that goes are gone with it.
  Status edit(const Change& change, std::string note);
  /// What `after` has more than `before`, by name.
  void add(const Facts& before, const Facts& after);

  // What a scheduler asks for, done at once.
  BindAnswer bind(const BindRequest& request);
  ClaimAnswer claim(const ClaimRequest& request);
  PodReading read(const PodName& name) const { return cluster().read(name); }
  EvictAnswer evict(const EvictRequest& request);
  void nominate(const Nomination& nomination);
  void tell(const Unschedulable& pod);

  const SimCluster& cluster() const;
  /// Nobody asks for events of the cluster before that version any more.
  void forget_before(std::size_t version);
  const RttMatrix& rtt() const;
  /// Grows when the matrix changes.
  std::uint64_t rtt_version() const;
  /// Its pods came, or what it has went, by other hands than a scheduler's: it may hold too much.
  bool is_meddled_with(std::string_view node) const;
  /// Since the last call, in order.
  std::vector<SimulationEvent> take_events();

 private:
  class Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace gedge
