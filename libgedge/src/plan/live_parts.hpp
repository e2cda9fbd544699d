// plan/live_parts.hpp - what a LiveCluster keeps.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "gedge/model/fact_name.hpp"
#include "gedge/plan/live_cluster.hpp"
#include "plan/live_claims.hpp"
#include "plan/live_nodes.hpp"
#include "plan/live_storage.hpp"
#include "plan/nominations.hpp"
#include "plan/other_facts.hpp"
#include "plan/session.hpp"
#include "plan/spec_pool.hpp"

namespace gedge {

// A name of the API has no '/'.
inline std::string key_of(std::string_view namespace_name, std::string_view name) {
  std::string key;
  key.reserve(namespace_name.size() + 1 + name.size());
  return key.append(namespace_name).append(1, '/').append(name);
}
inline std::string key_of(const Pod& pod) { return key_of(pod.namespace_name, pod.name); }

class LiveCluster::Parts {
 public:
  explicit Parts(LiveOptions asked) : options_(std::move(asked)) { facts_.files.emplace_back(); }

  void put(Facts objects);
  bool remove(FactKind kind, std::string_view namespace_name, std::string_view name);
  void tidy();
  void put(RttMatrix rtt) {
    rtt_ = std::move(rtt);
    outdate();
  }
  const std::vector<Profile>& profiles() const { return options_.profiles; }
  Status use(std::vector<Profile> profiles);
  const Pod* find_pod(const PodName& pod) const {
    const auto at = pods_.find(key_of(pod.namespace_name, pod.name));
    return at == pods_.end() ? nullptr : &facts_.pods[at->second];
  }
  const PodSpec* find_spec(const PodName& pod) const {
    const Pod* const known = find_pod(pod);
    return known == nullptr ? nullptr : &facts_.spec_of(*known);
  }
  const Node* find_node(std::string_view name) const { return nodes_.find_node(name); }
  const PodDisruptionBudget* find_budget(const PodName& name) const {
    const auto& all = facts_.disruption_budgets;
    const auto at = std::find_if(all.begin(), all.end(), [&](const PodDisruptionBudget& budget) {
      return fact_name(budget) == name;
    });
    return at == all.end() ? nullptr : &*at;
  }
  std::size_t pod_count() const { return pods_.size(); }
  std::size_t node_count() const { return nodes_.size(); }
  std::vector<PodName> names(FactKind kind) const;
  void assume(const PodName& pod, const SharedText& node);
  Result<std::vector<Decision>> place(std::span<const PodName> pods);
  Result<std::optional<Preempted>> preempt(const PodName& pod);
  bool break_promise(const PodName& pod);
  Result<std::vector<PodName>> companions(std::span<const PodName> pods);
  Result<std::optional<PodView>> look(const PodName& pod);
  void forget(const PodName& pod);
  std::vector<ClaimRequest> take_claims(const PodName& pod);
  VolumesOfPod volumes_of(const PodName& pod) const {
    const Pod* const known = find_pod(pod);
    if (known == nullptr) return VolumesOfPod::kBound;
    return claims_.volumes_of(*known, facts_.spec_of(*known), storage_);
  }
  std::optional<Nanos> group_timeout(const PodName& pod) const;
  Result<bool> still_fits(const PodName& pod);
  Result<std::vector<Overcommit>> overcommits(const std::vector<SharedText>& nodes);
  Result<std::optional<PodName>> relief(const SharedText& node, const MayGo& may_go);
  std::uint64_t rebuilds() const { return rebuilds_; }

 private:
  void outdate() { session_.reset(); }
  void follow(OtherNews news);
  void renew_volumes();
  void put_node(Node&& node);
  void remove_node(std::string_view name);
  /// `index`: of the spec, once it is known.
  void put_pod(Pod&& pod, const PodSpec& spec, std::optional<SpecIndex>& index);
  void put_unread(Pod&& pod, PodSpec spec);
  bool append_pod(Pod& pod, const PodSpec& spec, std::optional<SpecIndex>& index);
  void add_pod(Pod&& pod);
  void confirm_place(const Pod& known, const Pod& now);
  bool follow_pod(std::uint32_t at, const Pod& now);
  void move(std::uint32_t pod, const SharedText& node);
  void remove_pod(const std::string& key);
  Status freshen();
  std::vector<PodIndex> waiting(std::span<const PodName> pods);
  std::vector<PodIndex> promised() const {
    return nominations_.standing(pods_, session_->cluster());
  }
  static std::optional<Preempted> take_back(Pod& pod);
  Status rebuild();
  void sort_pods();
  void drop_unused_specs();

  LiveOptions options_;
  Facts facts_;
  SpecPool specs_{facts_.specs};
  LiveNodes nodes_{facts_.nodes};
  RttMatrix rtt_;
  // Where pods are in the facts; only looked up.
  std::unordered_map<std::string, std::uint32_t> pods_;
  std::unordered_set<std::string> assumed_;  // pods whose node nobody has confirmed
  Nominations nominations_;
  // What is so since the session was made: its facts stay as they are.
  std::unordered_set<std::uint32_t> gone_pods_;                             // places in the facts
  std::int32_t least_priority_ = std::numeric_limits<std::int32_t>::max();  // that was ever seen
  bool has_budgets_ = false;
  bool has_cards_ = false;          // which of them are left depends on who came first
  bool has_moved_volumes_ = false;  // pods with claims came, went or moved since the last question

  LiveStorage storage_{facts_};
  LiveClaims claims_;
  PlanRequest request_;
  std::unique_ptr<Session> session_;  // null: to be made anew
  ClusterState::Epoch made_at_ = 0;
  std::uint64_t rebuilds_ = 0;
};

}  // namespace gedge
