// gedge/sim/checks.hpp - what must hold of a scheduler, whatever goes wrong around it.
//
//   I-1   a pod is bound once, to one node, and not again before it is known what became of it
//   I-2   what is bound to a node fits, unless other hands have meddled with the node
//   I-4   no bind to a node that, as the scheduler was last told, cannot take the pod; or by what
//         it was told more than a minute ago
//   I-9   no more binds are under way than the budget has, whole groups apart
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "gedge/sim/bind_budget.hpp"
#include "gedge/sim/cluster_link.hpp"
#include "gedge/sim/memory_checks.hpp"

namespace gedge {

struct SimCheckOptions {
  std::set<std::string> filters;  ///< of the profile that decides: only these rules are judged
  Compat compat = Compat::k1_36;
  std::string rtt_by;
  std::size_t first_binds = 2, max_binds = 100;  ///< under way, as of the scheduler's options
};

class SimChecks final : public SimWitness {
 public:
  SimChecks(const SimWorld& world, SimCheckOptions options)
      : world_(world),
        options_(std::move(options)),
        budget_(options_.first_binds, options_.max_binds) {}

  void sent(const BindRequest& bind) override;
  void done(const BindRequest& bind, const SharedText& uid, BindAnswer answer) override;
  void answered(const BindRequest& bind, BindAnswer answer) override;
  void answered(const ReadRequest& read, const PodReading& reading) override;
  void told(const ClusterEvent& event) override;
  void listed(const Facts& all) override;
  void broke() override { blind_since_ = world_.time(); }

  /// The scheduler was made anew: it knows nothing.
  void forget();
  void fail(std::string invariant, std::string text);
  /// What the scheduler was told, and has sent; without requests that are no binds.
  SchedulerInput input() const { return {pods_.size(), nodes_.size(), unanswered_, 0}; }
  std::vector<Breach> take_breaches() { return std::exchange(breaches_, {}); }

 private:
  struct Told {
    Pod pod;
    PodSpec spec;
  };
  void judge(const std::string& invariant, const Facts& facts, const PodName& pod,
             const SharedText& node);
  bool is_alone(const PodName& name) const;
  bool names_pods(const DelayBudget& budget) const;
  Facts told_of(const SharedText& node, const PodName& bound) const;
  Facts truth_of(const SharedText& node, const PodName& bound) const;

  const SimWorld& world_;
  SimCheckOptions options_;
  std::map<PodName, Told> pods_;  // as they were last told
  std::map<std::string, Node> nodes_;
  std::map<PodName, SharedText> assumed_;          // sent, and not told or refused
  std::set<PodName> open_;                         // of which a bind is not settled
  std::map<SharedText, std::set<SharedText>> on_;  // by UID: nodes it was bound to
  BindBudget budget_;
  std::size_t unanswered_ = 0;  // binds
  std::optional<Nanos> blind_since_;
  std::vector<Breach> breaches_;
};

}  // namespace gedge
