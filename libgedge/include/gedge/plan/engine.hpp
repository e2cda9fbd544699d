// gedge/plan/engine.hpp - one profile, evaluated over one cluster state: the scheduling cycle
// without the binding.
//
// Every node is considered. A pod's policies are prepared once per class of equal pods and kept
// true by the state's journal. `choose` leaves out what cannot change its answer; `evaluate` and
// `explain` ask the same policies about every row.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "gedge/base/result.hpp"
#include "gedge/effect/plan.hpp"
#include "gedge/policy/profile.hpp"
#include "gedge/snapshot/cluster_state.hpp"

namespace gedge {

/// Makes policies beyond those of this library (loaded modules). Returns null for a name it does
/// not know.
class PolicySource {
 public:
  virtual ~PolicySource() = default;
  virtual std::unique_ptr<FilterPolicy> filter(std::string_view name) const = 0;
  virtual std::unique_ptr<ScorePolicy> score(std::string_view name) const = 0;
  /// What a policy made here did that voids everything it took part in. Planning ends with it.
  virtual std::optional<Error> failure() const { return std::nullopt; }
};

/// What one evaluation found, by slot.
struct Evaluation {
  NodeMask feasible;
  std::vector<std::uint32_t> rejected;  ///< [filters]: nodes first rejected by that filter
  std::vector<std::int64_t> totals;     ///< [slots]; meaningful where feasible
  NodeIndex winner = kNoNode, runner_up = kNoNode;
};

/// Where a pod goes; kNoNode where it fits nowhere. Totals mean something where there is a node.
struct Choice {
  NodeIndex winner = kNoNode, runner_up = kNoNode;
  std::int64_t winner_total = 0, runner_up_total = 0;
  std::vector<std::uint32_t> rejected;  ///< [filters]: nodes first rejected by that filter
};

Choice to_choice(const Evaluation& evaluation);

class Engine {
 public:
  /// `state` must outlive the engine and may be changed between evaluations by anybody.
  /// Errors: kNotFound for a policy that neither the library nor `modules` has; kInvalidInput for
  /// its arguments.
  static Result<Engine> make(const ClusterState& state, const Profile& profile,
                             const PolicySource* modules, std::uint64_t seed);
  Engine(Engine&&) noexcept;
  Engine& operator=(Engine&&) noexcept;
  ~Engine();

  /// Where one unplaced pod goes: the answer of `evaluate`. Costs the filters and the blocks of
  /// rows that can win where a class is new, the rows that changed since where pods that share its
  /// requests were asked about before. Lives until the next call.
  const Choice& choose(PodIndex pod);
  /// Filters (first rejection counts) and scores one unplaced pod. Cost: O(nodes * policies).
  Evaluation evaluate(PodIndex pod);
  /// Nodes that pass every filter, best first; ties as the profile says.
  std::vector<NodeIndex> ranking(PodIndex pod, const Evaluation& evaluation) const;
  /// Every filter and every score on every node, in name order of nodes.
  std::vector<NodeExplanation> explain(PodIndex pod);
  /// True if `pod` could run on `node` as things are. Cost: O(policies), plus preparing its class.
  bool fits(PodIndex pod, NodeIndex node);
  /// Whether what filters say of `pod` depends on where other pods are.
  bool heeds_pods(PodIndex pod);
  /// Everything that speaks against `node`, in filter order; empty if the pod fits.
  std::vector<Rejection> rejections(PodIndex pod, NodeIndex node);
  /// All reasons of the first rejecting filter, counted as kube-scheduler words them: "0/6 nodes
  /// are available: ...".
  std::string fit_error(PodIndex pod);
  /// Filter names with the number of nodes each was first to reject, zeros left out. `rejected`
  /// [filters]: of a Choice or an Evaluation.
  RejectedBy rejected_by(const std::vector<std::uint32_t>& rejected) const;

  /// Brings what is kept of classes of pods up to date with the state. Whoever changes facts of
  /// nodes, or several things before the next question, saves it from being made anew by calling
  /// this after every single change. Cost: O(live classes) a change.
  void follow();

  const Profile& profile() const;
  bool has_filter(std::string_view name) const;

 private:
  struct Parts;
  explicit Engine(std::unique_ptr<Parts> parts);
  std::unique_ptr<Parts> parts_;
};

}  // namespace gedge
