// snapshot/change.cpp - changing the columns, and taking changes back.
#include <algorithm>

#include "gedge/snapshot/cluster_state.hpp"
#include "gedge/snapshot/reach_rows.hpp"
#include "gedge/snapshot/share_bounds.hpp"
#include "gedge/snapshot/volume_ledger.hpp"
#include "snapshot/image_directory.hpp"
#include "snapshot/requests.hpp"

namespace gedge {
namespace {

// Room that the first pod of a node makes: most nodes get some.
constexpr std::size_t kFirstPods = 16;

// What is undone came last.
void drop(std::vector<PodIndex>& list, PodIndex pod) {
  const auto at = std::find(list.rbegin(), list.rend(), pod);
  if (at == list.rend()) return;
  *at = list.back();
  list.pop_back();
}

}  // namespace

std::uint8_t differing_parts(const Node& a, const Node& b) {
  std::uint8_t parts = 0;
  if (a.allocatable != b.allocatable) parts |= kResourcePart;
  if (a.labels != b.labels) parts |= kLabelPart;
  if (a.unschedulable != b.unschedulable || a.taints != b.taints) parts |= kTaintPart;
  const auto same_controller = [](const AvoidedController& x, const AvoidedController& y) {
    return x.kind == y.kind && x.uid == y.uid;
  };
  if (a.images != b.images || !std::equal(a.avoided.begin(), a.avoided.end(), b.avoided.begin(),
                                          b.avoided.end(), same_controller))
    parts |= kOtherPart;
  return parts;
}

void ClusterState::note_usage(NodeIndex n) { stale_blocks_.set(NodeIndex{raw(n) / 64}); }

void ClusterState::add_usage(const PodFacts& pod, NodeIndex n) {
  note_usage(n);
  for (const Amount& a : pod.requests) {
    std::int64_t& cell = requested_[raw(a.resource)][raw(n)];
    cell = add_saturated(cell, a.amount);
    note_size(a.resource, cell);
  }
  ++requested_[raw(ResourceIndex::kPodsColumn)][raw(n)];
  score_cpu_[raw(n)] = add_saturated(score_cpu_[raw(n)], pod.score_cpu_m);
  score_memory_[raw(n)] = add_saturated(score_memory_[raw(n)], pod.score_memory);
  note_size(ResourceIndex::kCpuColumn, score_cpu_[raw(n)]);
  note_size(ResourceIndex::kMemoryColumn, score_memory_[raw(n)]);
}

// A saturated sum cannot be subtracted from: then the row is summed up again.
void ClusterState::subtract_usage(const PodFacts& pod, NodeIndex n) {
  note_usage(n);
  constexpr std::int64_t kFull = std::numeric_limits<std::int64_t>::max();
  bool saturated = score_cpu_[raw(n)] == kFull || score_memory_[raw(n)] == kFull;
  for (const Amount& a : pod.requests)
    saturated = saturated || requested_[raw(a.resource)][raw(n)] == kFull;
  if (saturated) {
    for (std::vector<std::int64_t>& column : requested_) column[raw(n)] = 0;
    score_cpu_[raw(n)] = score_memory_[raw(n)] = 0;
    for (const PodIndex other : pods_on_[raw(n)]) add_usage(pod_facts(other), n);
    return;
  }
  for (const Amount& a : pod.requests) requested_[raw(a.resource)][raw(n)] -= a.amount;
  --requested_[raw(ResourceIndex::kPodsColumn)][raw(n)];
  score_cpu_[raw(n)] -= pod.score_cpu_m;
  score_memory_[raw(n)] -= pod.score_memory;
}

void ClusterState::place(PodIndex p, NodeIndex n, std::size_t position) {
  PodRecord& record = pods_[raw(p)];
  record.node = n;
  std::vector<PodIndex>& here = pods_on_[raw(n)];
  if (here.capacity() == 0) here.reserve(kFirstPods);
  here.insert(here.begin() + static_cast<std::ptrdiff_t>(position), p);
  add_usage(*record.facts, n);
  if (record.facts->has_affinity) with_affinity_.push_back(p);
  if (!record.facts->spec->budgets.empty()) with_budgets_.push_back(p);
}

std::size_t ClusterState::displace(PodIndex p) {
  PodRecord& record = pods_[raw(p)];
  std::vector<PodIndex>& here = pods_on_[raw(record.node)];
  const auto at = std::find(here.begin(), here.end(), p);
  const auto position = static_cast<std::size_t>(at - here.begin());
  here.erase(at);
  subtract_usage(*record.facts, record.node);
  if (record.facts->has_affinity) drop(with_affinity_, p);
  if (!record.facts->spec->budgets.empty()) drop(with_budgets_, p);
  record.node = kNoNode;
  return position;
}

ClusterState::Undo ClusterState::perform(const Change& change,
                                         std::optional<std::size_t> position) {
  Undo undo;
  Change happened = change;
  switch (change.kind) {
    case Change::Kind::kBind:
      place(change.pod, change.node, position.value_or(pods_on_[raw(change.node)].size()));
      undo.inverse = {Change::Kind::kUnbind, change.pod, change.node};
      break;
    case Change::Kind::kUnbind:
      undo.inverse = {Change::Kind::kBind, change.pod, change.node};
      undo.position = displace(change.pod);
      break;
    case Change::Kind::kReplaceNode:
      undo.inverse = {Change::Kind::kReplaceNode, kNoPod, change.node};
      undo.inverse.facts = node_facts_[raw(change.node)];
      undo.revive = alive_.test(change.node);
      happened.parts = replace_node(change.node, change.facts, true);
      break;
    case Change::Kind::kRemoveNode:
      undo.inverse = {Change::Kind::kReplaceNode, kNoPod, change.node};
      undo.inverse.facts = node_facts_[raw(change.node)];
      happened.parts = replace_node(change.node, node_facts_[raw(change.node)], false);
      break;
    case Change::Kind::kSetRtt:
      undo.inverse = change;
      undo.inverse.rtt = rtt().at(change.from, change.to);
      undo.back = rtt().at(change.to, change.from);
      set_rtt(change, change.rtt);
      happened.parts = kRttPart;
      break;
    case Change::Kind::kRenewVolumes:
      break;
  }
  journal_.push_back(happened);
  return undo;
}

std::uint8_t ClusterState::replace_node(NodeIndex n, const Node* facts, bool alive) {
  std::uint8_t parts = differing_parts(*node_facts_[raw(n)], *facts);
  if (alive_.test(n) != alive) parts |= kPresencePart;
  node_facts_[raw(n)] = facts;
  if (alive)
    alive_.set(n);
  else
    alive_.clear(n);
  fill_node(n);
  share_bounds_.reset();
  reach_rows_.reset();
  if ((parts & (kOtherPart | kPresencePart)) != 0) images_.reset();
  for (TopologyColumn& column : topologies_) {
    fill_domain(column, n);
    column.stale = true;
  }
  ++static_epoch_;
  return parts;
}

void ClusterState::set_rtt(const Change& change, Rtt back) {
  if (!rtt_override_) rtt_override_ = std::make_unique<RttMatrix>(*rtt_);
  rtt_override_->set(change.from, change.to, change.rtt);
  rtt_override_->set(change.to, change.from, back);
  reach_rows_.reset();
  ++static_epoch_;
}

void ClusterState::expect_changes() {
  if (undo_.capacity() != 0) return;
  undo_.reserve(pods_.size());  // mostly each pod is bound, once
  journal_.reserve(pods_.size());
}

void ClusterState::apply(const Change& change) {
  if (change.kind == Change::Kind::kBind) return bind(change.pod, change.node);
  expect_changes();
  undo_.push_back(perform(change, std::nullopt));
}

// Records are written where they stay: a copy would wait for what was just written.
void ClusterState::bind(PodIndex pod, NodeIndex node) {
  expect_changes();
  place(pod, node, pods_on_[raw(node)].size());
  Change& inverse = undo_.emplace_back().inverse;
  inverse.kind = Change::Kind::kUnbind;
  inverse.pod = pod;
  inverse.node = node;
  Change& happened = journal_.emplace_back();
  happened.kind = Change::Kind::kBind;
  happened.pod = pod;
  happened.node = node;
}

void ClusterState::renew_volumes(const StorageNews& news) {
  Change happened;
  happened.kind = Change::Kind::kRenewVolumes;
  happened.parts = kVolumePart;
  journal_.push_back(happened);
  ++static_epoch_;
  volumes_since_ = epoch();
  if (!volume_ledger_) return;
  if (!news.all) return volume_ledger_->renew(news);
  volumes_version_ = volume_ledger_->version() + 1;
  volume_ledger_.reset();
}

void ClusterState::undo(Mark mark) {
  while (undo_.size() > mark) {
    const Undo last = undo_.back();
    undo_.pop_back();
    if (last.inverse.kind == Change::Kind::kSetRtt) {
      set_rtt(last.inverse, last.back);
      journal_.push_back(last.inverse);
      journal_.back().parts = kRttPart;
      continue;
    }
    perform(last.inverse, last.position);
    if (last.inverse.kind == Change::Kind::kReplaceNode && !last.revive)
      journal_.back().parts |= replace_node(last.inverse.node, last.inverse.facts, false);
  }
}

}  // namespace gedge
