// plan/live_cluster.cpp - facts by name, and a session that follows them as long as it can.
#include "gedge/plan/live_cluster.hpp"

#include <algorithm>
#include <utility>

#include "gedge/model/fact_names.hpp"
#include "plan/history.hpp"
#include "plan/live_parts.hpp"
#include "plan/same_pod.hpp"
#include "plan/unread_pods.hpp"

namespace gedge {
namespace {

// A journal that long is more than a state that is made anew.
constexpr ClusterState::Epoch kLongestJournal = 1'000'000;
// Pods and specs for which a state that is made anew has room.
constexpr std::size_t kRoomForPods = 1'024, kRoomForSpecs = 128;

}  // namespace

void LiveCluster::Parts::put(Facts objects) {
  for (Node& node : objects.nodes) put_node(std::move(node));
  std::vector<std::optional<SpecIndex>> specs(objects.specs.size());
  for (Pod& pod : objects.pods) {
    const std::uint32_t i = raw(pod.spec);
    if (objects.specs[i].unread.empty())
      put_pod(std::move(pod), objects.specs[i], specs[i]);
    else
      put_unread(std::move(pod), objects.specs[i]);
  }
  claims_.confirm(objects.volumes, objects.claims);
  for (PersistentVolume& volume : objects.volumes) storage_.put(std::move(volume));
  for (PersistentVolumeClaim& claim : objects.claims) storage_.put(std::move(claim));
  follow(merge_others(facts_, std::move(objects)));
}

void LiveCluster::Parts::follow(OtherNews news) {
  if (news == OtherNews::kOfOthers) outdate();
  if (news == OtherNews::kOfClasses) storage_.renew_all();
  if (storage_.has_news()) renew_volumes();
}

void LiveCluster::Parts::renew_volumes() {
  const StorageNews news = storage_.take_news();
  has_moved_volumes_ = false;
  if (!session_) return;
  session_->cluster().renew_volumes(news);
  session_->follow();
}

void LiveCluster::Parts::put_node(Node&& node) {
  if (nodes_.is_crowded() || !nodes_.find(node.name)) outdate();
  const Node* const known = nodes_.find_node(node.name);
  if (!node.unread.empty() && known != nullptr) node.allocatable = known->allocatable;
  const LiveNodes::News news = nodes_.put(std::move(node), session_ != nullptr);
  if (news.changed == nullptr || !session_) return;
  ClusterState& cluster = session_->cluster();
  const bool is_known =
      std::all_of(news.changed->allocatable.begin(), news.changed->allocatable.end(),
                  [&](const auto& entry) { return cluster.find_resource(entry.first); });
  if (!is_known) return outdate();
  Change change;
  change.kind = Change::Kind::kReplaceNode;
  change.node = NodeIndex{news.place};
  change.facts = news.changed;
  cluster.apply(change);
  session_->follow();
}

// Pods on it take no place any more, as those of a node that never was.
void LiveCluster::Parts::remove_node(std::string_view name) {
  const auto place = nodes_.remove(name);
  if (!place || !session_) return;
  ClusterState& cluster = session_->cluster();
  const auto here = cluster.pods_on(NodeIndex{*place});
  for (const PodIndex pod : std::vector<PodIndex>(here.begin(), here.end()))
    move(raw(pod), SharedText());
  Change change;
  change.kind = Change::Kind::kRemoveNode;
  change.node = NodeIndex{*place};
  cluster.apply(change);
  session_->follow();
}

void LiveCluster::Parts::add_pod(Pod&& pod) {
  pods_.emplace(key_of(pod), static_cast<std::uint32_t>(facts_.pods.size()));
  facts_.pods.push_back(std::move(pod));
}

// Behind the others, where the state can take it in: none of what it refers to moves.
bool LiveCluster::Parts::append_pod(Pod& pod, const PodSpec& spec,
                                    std::optional<SpecIndex>& index) {
  const bool has_room =
      facts_.pods.size() < facts_.pods.capacity() && facts_.specs.size() < facts_.specs.capacity();
  if (!session_ || !has_room || has_cards_ || asks_for_cards(spec)) return false;
  if (!index) index = specs_.keep(spec);
  pod.spec = *index;
  const SharedText node = pod.is_finished() ? SharedText() : pod.bound_node;
  add_pod(std::move(pod));
  if (!session_->cluster().add_new_pods())
    outdate();
  else
    move(static_cast<std::uint32_t>(facts_.pods.size() - 1), node);
  return true;
}

void LiveCluster::Parts::put_pod(Pod&& pod, const PodSpec& spec, std::optional<SpecIndex>& index) {
  pod.place = {};
  least_priority_ = std::min(least_priority_, pod.priority);
  const std::string key = key_of(pod);
  const auto at = pods_.find(key);
  if (!pod.bound_node.empty() && assumed_.erase(key) > 0)
    confirm_place(facts_.pods[at->second], pod);
  nominations_.hear(key, pod, at == pods_.end() ? nullptr : &facts_.pods[at->second]);
  if (at != pods_.end()) {
    const std::uint32_t i = at->second;
    Pod& known = facts_.pods[i];
    if (pod.bound_node.empty() && assumed_.contains(key)) pod.bound_node = known.bound_node;
    if (same_identity(known, pod) && same_spec(facts_.spec_of(known), spec) && follow_pod(i, pod))
      return;
  } else if (append_pod(pod, spec, index)) {
    return;
  }
  outdate();
  if (!index) index = specs_.keep(spec);
  pod.spec = *index;
  if (at != pods_.end())
    facts_.pods[at->second] = std::move(pod);
  else
    add_pod(std::move(pod));
}

void LiveCluster::Parts::put_unread(Pod&& pod, PodSpec spec) {
  const Pod* const known = find_pod(fact_name(pod));
  if (known != nullptr && known->uid == pod.uid) keep_requests(facts_.spec_of(*known), spec);
  std::optional<SpecIndex> index;
  put_pod(std::move(pod), spec, index);
}

// Whoever came elsewhere than it was meant to has no claim on what was promised there.
void LiveCluster::Parts::confirm_place(const Pod& known, const Pod& now) {
  if (known.bound_node != now.bound_node) claims_.give_back(known, facts_.spec_of(known), storage_);
}

// The pod becomes what it is now; false where a state cannot follow. What a state refers to (names,
// labels) is equal, and stays where it is.
bool LiveCluster::Parts::follow_pod(std::uint32_t at, const Pod& now) {
  Pod& known = facts_.pods[at];
  // A pod that comes back from its end, or loses its node, is none that a state knows.
  if (session_ && ((known.is_finished() && !now.is_finished()) ||
                   (now.bound_node.empty() && !known.bound_node.empty())))
    return false;
  // Whether it counts for others changes with that.
  if (session_ && known.terminating != now.terminating) move(at, SharedText());
  known.bound_node = now.bound_node;
  known.nominated_node = now.nominated_node;
  known.told = now.told;
  known.started = now.started;
  known.phase = now.phase;
  known.terminating = now.terminating;
  if (session_) move(at, known.is_finished() ? SharedText() : known.bound_node);
  return true;
}

// To a node, or to none.
void LiveCluster::Parts::move(std::uint32_t pod, const SharedText& node) {
  ClusterState& cluster = session_->cluster();
  const PodIndex index{pod};
  std::optional<NodeIndex> to;
  if (!node.empty()) to = cluster.find_node(node);
  if (cluster.is_placed(index) && to && cluster.node_of(index) == *to) return;
  if (uses_claims(facts_.spec_of(facts_.pods[pod]))) has_moved_volumes_ = true;
  if (cluster.is_placed(index)) {
    cluster.unbind(index);
    session_->follow();
  }
  if (!to) return;
  cluster.bind(index, *to);
  session_->follow();
}

void LiveCluster::Parts::remove_pod(const std::string& key) {
  const auto at = pods_.find(key);
  if (at == pods_.end()) return;
  const std::uint32_t i = at->second;
  if (assumed_.erase(key) > 0)
    claims_.give_back(facts_.pods[i], facts_.spec_of(facts_.pods[i]), storage_);
  pods_.erase(at);
  nominations_.drop(key);
  gone_pods_.insert(i);
  facts_.pods[i].nominated_node = {};
  if (!session_) return;
  // Budgets look pods up by name, and would find this one.
  if (has_budgets_) return outdate();
  move(i, SharedText());
}

bool LiveCluster::Parts::remove(FactKind kind, std::string_view namespace_name,
                                std::string_view name) {
  const std::size_t nodes = nodes_.size(), pods = pods_.size();
  if (kind == FactKind::kNode) {
    remove_node(name);
    return nodes_.size() != nodes;
  }
  if (kind == FactKind::kPod) {
    remove_pod(key_of(namespace_name, name));
    return pods_.size() != pods;
  }
  if (kind == FactKind::kVolume || kind == FactKind::kClaim) {
    const bool is_gone = kind == FactKind::kVolume ? storage_.remove_volume(name)
                                                   : storage_.remove_claim({namespace_name, name});
    follow(OtherNews::kNone);
    return is_gone;
  }
  const OtherNews news = erase_other(facts_, kind, {namespace_name, name});
  follow(news);
  return news != OtherNews::kNone;
}

void LiveCluster::Parts::forget(const PodName& pod) {
  const std::string key = key_of(pod.namespace_name, pod.name);
  if (assumed_.erase(key) == 0) return;
  const std::uint32_t i = pods_.at(key);
  Pod& known = facts_.pods[i];
  claims_.give_back(known, facts_.spec_of(known), storage_);
  known.bound_node = {};
  if (session_) move(i, SharedText());
}

void LiveCluster::Parts::assume(const PodName& pod, const SharedText& node) {
  const std::string key = key_of(pod.namespace_name, pod.name);
  const auto at = pods_.find(key);
  if (at == pods_.end() || !facts_.pods[at->second].bound_node.empty()) return;
  assumed_.insert(key);
  facts_.pods[at->second].bound_node = node;
  if (session_) move(at->second, node);
}

std::vector<PodName> LiveCluster::Parts::names(FactKind kind) const {
  std::vector<PodName> names;
  // Facts may hold nodes and pods that went.
  if (kind == FactKind::kNode)
    names = nodes_.names();
  else if (kind == FactKind::kPod)
    for (const auto& [key, i] : pods_) names.push_back(fact_name(facts_.pods[i]));
  else
    names = fact_names(facts_, kind);
  std::sort(names.begin(), names.end());
  return names;
}

void LiveCluster::Parts::sort_pods() {
  std::vector<Pod> pods;
  pods.reserve(pods_.size() + pods_.size() / 4 + kRoomForPods);
  for (std::uint32_t i = 0; i < facts_.pods.size(); ++i)
    if (!gone_pods_.contains(i)) pods.push_back(std::move(facts_.pods[i]));
  if (!std::is_sorted(pods.begin(), pods.end(), comes_before))
    std::sort(pods.begin(), pods.end(), comes_before);
  facts_.pods = std::move(pods);
  gone_pods_.clear();
  pods_.clear();
  for (std::uint32_t i = 0; i < facts_.pods.size(); ++i) pods_.emplace(key_of(facts_.pods[i]), i);
}

void LiveCluster::Parts::drop_unused_specs() {
  specs_.drop_unused(facts_.pods, kRoomForSpecs);
  has_budgets_ = std::any_of(facts_.specs.begin(), facts_.specs.end(),
                             [](const PodSpec& spec) { return !spec.budgets.empty(); });
  has_cards_ = std::any_of(facts_.specs.begin(), facts_.specs.end(), asks_for_cards);
}

void LiveCluster::Parts::tidy() {
  if (session_ && session_->cluster().epoch() > kLongestJournal) outdate();
  if (session_) return;
  if (nodes_.is_crowded()) nodes_.settle();
  const bool has_gone_pods = gone_pods_.size() >= pods_.size() + kRoomForPods;
  const bool has_unused_specs = facts_.specs.size() >= 2 * pods_.size() + kRoomForPods;
  if (!has_gone_pods && !has_unused_specs) return;
  sort_pods();
  drop_unused_specs();
}

Status LiveCluster::Parts::rebuild() {
  nodes_.settle();
  storage_.take_news();
  sort_pods();
  drop_unused_specs();
  request_.facts = &facts_;
  request_.rtt = &rtt_;
  request_.profiles = options_.profiles;
  request_.rtt_by = options_.rtt_by;
  request_.seed = options_.seed;
  request_.modules = options_.modules;
  auto started = Session::start(request_, true);
  if (!started) return std::move(started).error();
  session_ = *std::move(started);
  made_at_ = session_->cluster().epoch();
  ++rebuilds_;
  return {};
}

Status LiveCluster::Parts::use(std::vector<Profile> profiles) {
  std::vector<Profile> before = std::exchange(options_.profiles, std::move(profiles));
  outdate();
  Status started = rebuild();
  if (!started) options_.profiles = std::move(before);
  return started;
}

Status LiveCluster::Parts::freshen() {
  const bool is_behind = has_cards_ && session_ && session_->cluster().epoch() != made_at_;
  if (is_behind || (session_ && session_->cluster().epoch() > kLongestJournal)) outdate();
  if (!session_) return rebuild();
  if (has_moved_volumes_ || storage_.has_news()) renew_volumes();
  return {};
}

LiveCluster::LiveCluster(LiveOptions options)
    : parts_(std::make_unique<Parts>(std::move(options))) {}
LiveCluster::LiveCluster(LiveCluster&&) noexcept = default;
LiveCluster& LiveCluster::operator=(LiveCluster&&) noexcept = default;
LiveCluster::~LiveCluster() = default;

void LiveCluster::put(Facts objects) { parts_->put(std::move(objects)); }
void LiveCluster::tidy() { parts_->tidy(); }
void LiveCluster::put(RttMatrix rtt) { parts_->put(std::move(rtt)); }
Status LiveCluster::use(std::vector<Profile> profiles) { return parts_->use(std::move(profiles)); }
const std::vector<Profile>& LiveCluster::profiles() const { return parts_->profiles(); }
bool LiveCluster::remove(FactKind kind, std::string_view namespace_name, std::string_view name) {
  return parts_->remove(kind, namespace_name, name);
}
const Pod* LiveCluster::find_pod(const PodName& pod) const { return parts_->find_pod(pod); }
const PodSpec* LiveCluster::find_spec(const PodName& pod) const { return parts_->find_spec(pod); }
const Node* LiveCluster::find_node(std::string_view name) const { return parts_->find_node(name); }
const PodDisruptionBudget* LiveCluster::find_budget(const PodName& budget) const {
  return parts_->find_budget(budget);
}
std::size_t LiveCluster::pod_count() const { return parts_->pod_count(); }
std::size_t LiveCluster::node_count() const { return parts_->node_count(); }
Result<std::vector<Decision>> LiveCluster::place(std::span<const PodName> pods) {
  return parts_->place(pods);
}
Result<std::optional<Preempted>> LiveCluster::preempt(const PodName& pod) {
  return parts_->preempt(pod);
}
Result<std::vector<PodName>> LiveCluster::companions(std::span<const PodName> pods) {
  return parts_->companions(pods);
}
bool LiveCluster::break_promise(const PodName& pod) { return parts_->break_promise(pod); }
Result<std::optional<PodView>> LiveCluster::look(const PodName& pod) { return parts_->look(pod); }
void LiveCluster::assume(const PodName& pod, const SharedText& node) { parts_->assume(pod, node); }
void LiveCluster::forget(const PodName& pod) { parts_->forget(pod); }
std::vector<ClaimRequest> LiveCluster::take_claims(const PodName& pod) {
  return parts_->take_claims(pod);
}
VolumesOfPod LiveCluster::volumes_of(const PodName& pod) const { return parts_->volumes_of(pod); }
std::optional<Nanos> LiveCluster::group_timeout(const PodName& pod) const {
  return parts_->group_timeout(pod);
}
Result<bool> LiveCluster::still_fits(const PodName& pod) { return parts_->still_fits(pod); }
Result<std::vector<Overcommit>> LiveCluster::overcommits(const std::vector<SharedText>& nodes) {
  return parts_->overcommits(nodes);
}
Result<std::optional<PodName>> LiveCluster::relief(const SharedText& node, const MayGo& may_go) {
  return parts_->relief(node, may_go);
}
std::vector<PodName> LiveCluster::names(FactKind kind) const { return parts_->names(kind); }
std::uint64_t LiveCluster::rebuilds() const { return parts_->rebuilds(); }

}  // namespace gedge
