// gedge/control/extender.hpp - what another scheduler is told before it decides: its extender.
//
// kube-scheduler finds the nodes that a pod fits on and asks which of them it may go to. Only what
// it cannot know itself is judged here: delay budgets, shared cards, policy modules. Resources,
// ports, taints, affinity, spread and volumes are its own business: it counts pods that it has just
// decided about and that nobody else has seen yet, so a second opinion would be the older one.
//
// Where a pod's answer depends on nodes alone, every node that it may go to is named, and the other
// scheduler chooses. Where it depends on other pods, or theirs on it, one node is named and held
// for it, until it is seen there, is asked about again, or has gone: so pods that are asked about
// one after the other, before any of them is bound, keep within each other's budgets.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "gedge/base/nanos.hpp"
#include "gedge/base/result.hpp"
#include "gedge/plan/live_cluster.hpp"
#include "gedge/policy/profile.hpp"
#include "gedge/port/binding.hpp"

namespace gedge {

/// The profile without the filters that kube-scheduler has. Its scores stay: they choose the one
/// node where one is named. Errors: kInvalidInput where no filter and no score is left that
/// kube-scheduler lacks.
Result<Profile> extender_profile(Profile profile);

struct ExtenderOptions {
  /// How long a place is held for a pod of which nothing more is heard: kube-scheduler leaves none
  /// untried for longer than five minutes.
  Nanos hold{600'000'000'000};
  /// So long after a bind began it is said that nobody knows, if nobody does, whatever is still to
  /// be answered: kube-scheduler waits for five seconds. The pod is read until somebody does, and
  /// asked about in vain till then.
  Nanos settle_within{4'000'000'000};
  Nanos first_pause{250'000'000}, max_pause{8'000'000'000};  ///< between reads
};

/// Counted since the beginning.
struct ExtenderCounts {
  std::uint64_t filters = 0, narrowed = 0, refused = 0;  ///< refused: no node at all
  std::uint64_t prioritizes = 0, preempts = 0, bound = 0, not_bound = 0;
};

/// About one node that was asked about.
struct NodeVerdict {
  bool passes = false;
  bool is_unresolvable = false;  ///< no preemption would help
  std::string why;  ///< in the form of kube-scheduler; empty where another node is named instead
};

/// Pods that would have to leave a node.
struct NodeVictims {
  std::string node;
  std::vector<std::string> uids;
};

/// What became of a bind. `error` is empty where the pod is on its node.
struct BindOutcome {
  std::uint64_t ticket = 0;
  std::string error;
};

class Extender {
 public:
  /// `cluster`: with profiles of extender_profile().
  explicit Extender(LiveCluster cluster, ExtenderOptions options = {});

  // What the cluster says, as for a Scheduler.
  void put(Facts objects);
  void put_listed(Facts objects, Nanos now);
  void remove(FactKind kind, std::string_view namespace_name, std::string_view name,
              std::string_view uid = {});
  void keep_only(FactKind kind, std::vector<PodName> names);
  void put(RttMatrix rtt) { cluster_.put(std::move(rtt)); }

  // Questions. `pod`: facts that hold one pod, which waits. One that none of several profiles
  // serves is refused nothing. Errors: kInvalidInput where they hold something else, kConflict for
  // a pod that has a node already, kNotFound for one that ran; as LiveCluster::place.

  /// [nodes]
  Result<std::vector<NodeVerdict>> filter(Facts pod, std::span<const std::string> nodes, Nanos now);
  /// [nodes], 0..10: what kube-scheduler does not score itself.
  Result<std::vector<int>> prioritize(Facts pod, std::span<const std::string> nodes);
  /// [nodes]: whether the pod may go there once those have left.
  Result<std::vector<bool>> preempt(Facts pod, std::span<const NodeVictims> nodes);
  /// Begins to bind, where the pod may go there still. The ticket of what take_settled() will have;
  /// empty: it is there already. Errors: why not.
  Result<std::optional<std::uint64_t>> bind(const PodName& pod, std::string_view uid,
                                            const std::string& node, Nanos now);

  // What is to be done since the last call, and what came of it.
  std::vector<BindRequest> take_binds() { return std::exchange(binds_, {}); }
  std::vector<ReadRequest> take_reads(Nanos now);
  std::vector<BindOutcome> take_settled() { return std::exchange(settled_, {}); }
  /// When take_reads() will have more; empty: no time changes that.
  std::optional<Nanos> next() const;
  void answer(std::uint64_t ticket, BindAnswer answer, Nanos now);
  void answer(std::uint64_t ticket, const PodReading& reading, Nanos now);

  const LiveCluster& cluster() const { return cluster_; }
  const ExtenderCounts& counts() const { return counts_; }
  /// Places that are held for pods that nobody has seen there.
  std::size_t held() const { return held_.size(); }

 private:
  using Key = std::string;
  enum class Place : std::uint8_t {
    kNamed,    ///< to the other scheduler
    kBinding,  ///< a bind was sent, and what became of it is not known
    kBound,    ///< the server has said so
  };
  struct Held {
    PodName pod;
    Place place = Place::kNamed;
    Nanos until{0};
    std::vector<std::string> tried;  // nodes that were named, and that it did not come to; the last
                                     // is the one that is held
    std::uint64_t bind = 0;          // kBinding: the ticket
  };
  struct Bind {
    BindRequest request;
    Nanos begun{0};
    std::optional<Nanos> read_at;  // what became of it is to be read then
    std::uint32_t looks = 0;       // that said nothing
    bool is_told = false;          // that nobody knows
  };

  Result<PodName> meet(Facts pod);
  Status check_waits(const Pod& known) const;
  bool is_served(const PodName& pod) const;
  bool is_binding(const PodName& pod) const;
  Result<PodView> view(const PodName& pod);
  Status judge(const PodName& pod, const std::string& node);
  std::string peer_under_way(const PodView& view) const;
  void name_one(const PodName& pod, const std::vector<NodeExplanation>& nodes,
                std::span<const std::string> asked, std::vector<NodeVerdict>& verdicts, Nanos now);
  void leave_open(const PodName& pod, Nanos now);
  void hold(const PodName& pod, const std::string& node, Nanos now);
  void forget_old(Nanos now);
  void drop(const PodName& pod);
  void release(const PodName& pod);
  Held* held_by(std::uint64_t ticket, const PodName& pod);
  void give_up(std::uint64_t ticket, std::string error);
  bool is_known(const BindRequest& bind) const;
  void look_again(std::uint64_t ticket, Bind& bind, Nanos now);
  Bind& begin(const PodName& pod, SharedText uid, SharedText node, Nanos now);
  void tell_late(std::uint64_t ticket, Bind& bind, Nanos now);
  void tell(std::uint64_t ticket, std::string error);
  void settle(std::uint64_t ticket, std::string error);

  LiveCluster cluster_;
  ExtenderOptions options_;
  std::unordered_map<Key, Held> held_;   // only looked up, but for forget_old()
  std::unordered_map<Key, Nanos> open_;  // pods with several nodes, until when; as held_
  std::map<std::uint64_t, Bind> under_way_;
  std::unordered_map<std::uint64_t, std::uint64_t> read_;  // tickets of binds, by those of reads
  std::uint64_t last_ticket_ = 0;
  Nanos swept_{0};
  std::vector<BindRequest> binds_;
  std::vector<BindOutcome> settled_;
  ExtenderCounts counts_;
};

}  // namespace gedge
