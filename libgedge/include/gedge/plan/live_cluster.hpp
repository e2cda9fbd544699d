// gedge/plan/live_cluster.hpp - a cluster that changes while its pods are placed.
//
// Holds what is known of it, and a state that follows what it can; what it cannot follow (new
// nodes, other rules, new pods where anybody has delay budgets or they ask for a new resource)
// makes it anew before the next decision. Either way the decisions are those of make_plan on the
// same facts.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "gedge/base/nanos.hpp"
#include "gedge/base/result.hpp"
#include "gedge/base/shared_text.hpp"
#include "gedge/effect/overcommit.hpp"
#include "gedge/effect/plan.hpp"
#include "gedge/latency/matrix.hpp"
#include "gedge/model/fact_name.hpp"
#include "gedge/model/facts.hpp"
#include "gedge/plan/engine.hpp"
#include "gedge/policy/profile.hpp"
#include "gedge/port/binding.hpp"

namespace gedge {

struct LiveOptions {
  std::vector<Profile> profiles;  ///< at least one; several: pods choose by schedulerName
  std::string rtt_by;             ///< node label that names nodes in the matrix; empty: their names
  std::uint64_t seed = 0;
  const PolicySource* modules = nullptr;
};

/// A place for a pod, once others have gone.
struct Preempted {
  SharedText node;               ///< empty: nobody can help the pod, and it is freed itself
  std::vector<PodName> victims;  ///< not those that are terminating already
  std::vector<PodName> freed;    ///< of their promise
  bool within_budgets = false;   ///< victims go only if their disruption budgets allow it
};

/// What claims have got of what they need.
enum class VolumesOfPod : std::uint8_t {
  kBound,    ///< every one a volume that there is
  kAwaited,  ///< what was asked for with take_claims() stands
  kUnbound,  ///< one is gone, or its volume is another's, or nobody makes one for the pod's node
};

/// A pod that waits, where it can be asked about. Whoever tries things out undoes them.
struct PodView {
  ClusterState& cluster;
  Engine& engine;  ///< of the pod's profile
  PodIndex pod;
};

class LiveCluster {
 public:
  using MayGo = std::function<bool(const Pod&, const PodSpec&)>;

  explicit LiveCluster(LiveOptions options);
  LiveCluster(LiveCluster&&) noexcept;
  LiveCluster& operator=(LiveCluster&&) noexcept;
  ~LiveCluster();

  /// Objects that came or changed, each whole: it replaces the one of its kind and name. A pod that
  /// was assumed on a node stays there until it is said to be on one, or forgotten.
  void put(Facts objects);
  /// False where there is none.
  bool remove(FactKind kind, std::string_view namespace_name, std::string_view name);
  /// Drops what went, of a cluster that changes while nobody decides: place() does so otherwise.
  /// Cost: now and then O(pods), else nothing.
  void tidy();
  void put(RttMatrix rtt);
  /// From now on these decide, as they are needed by what is known: at least one. Errors: as
  /// Engine::make; those before stay.
  Status use(std::vector<Profile> profiles);
  const std::vector<Profile>& profiles() const;

  /// Null where there is none. Valid until the next put, remove or place.
  const Pod* find_pod(const PodName& pod) const;
  const PodSpec* find_spec(const PodName& pod) const;
  const Node* find_node(std::string_view name) const;
  /// Cost: O(budgets).
  const PodDisruptionBudget* find_budget(const PodName& budget) const;
  std::size_t pod_count() const;
  std::size_t node_count() const;
  /// All objects of a kind, sorted; those without a namespace have none in their names.
  std::vector<PodName> names(FactKind kind) const;

  /// Decides the pods that are known and wait for a place, in placing order, and assumes them where
  /// they were placed; of others nothing is said. Errors: as Engine::make; whatever a module
  /// breaks.
  Result<std::vector<Decision>> place(std::span<const PodName> pods);
  /// Who would have to go so that a pod fits that fits nowhere; empty: nobody can help it, or those
  /// who were asked to go are still going. The pod is promised the node from now on, and pods that
  /// were promised it and are less important are not any more; whom nobody can help is promised
  /// none. Errors: as place().
  Result<std::optional<Preempted>> preempt(const PodName& pod);
  /// Those that wait for a place and are to be placed together with these, or not at all: delay
  /// budgets of the ones need the places of the others, and the other way round. Errors: as
  /// place().
  Result<std::vector<PodName>> companions(std::span<const PodName> pods);
  /// The pod is promised no node any more. False: it was not.
  bool break_promise(const PodName& pod);
  /// Lives until anything changes; empty where no such pod waits, or no profile serves it. Errors:
  /// as place().
  Result<std::optional<PodView>> look(const PodName& pod);
  /// Holds a place for a pod that has none. Nothing where there is no such pod.
  void assume(const PodName& pod, const SharedText& node);
  /// Takes an assumption back, with what claims were promised for it. Nothing where there is none.
  void forget(const PodName& pod);
  /// What has to be asked for so that the claims of a pod that place() has just placed are bound to
  /// volumes; from now on those are promised to them. Cost: O(pods) for a pod with claims.
  std::vector<ClaimRequest> take_claims(const PodName& pod);
  /// Of all claims of the pod; kBound where there is none.
  VolumesOfPod volumes_of(const PodName& pod) const;
  /// Of the pod's group, how long a member may hold a place; empty: not said, or no group.
  std::optional<Nanos> group_timeout(const PodName& pod) const;
  /// The pod could still be placed where it is assumed to be. Errors: as place().
  Result<bool> still_fits(const PodName& pod);

  /// Those of these nodes whose pods ask for more than they have, those included that are assumed
  /// there; in their order. Errors: as place().
  Result<std::vector<Overcommit>> overcommits(const std::vector<SharedText>& nodes);

  /// Who should go from a node whose pods ask for more than it has. Of the pods that may go and
  /// that take of what is too much: the least important; of these the one that started last. Empty:
  /// nobody may, those who are going already are enough, or somebody is only assumed there. Errors:
  /// as place().
  Result<std::optional<PodName>> relief(const SharedText& node, const MayGo& may_go);

  /// How often everything was made anew, for metrics.
  std::uint64_t rebuilds() const;

 private:
  class Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace gedge
