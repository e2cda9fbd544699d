// snapshot/cluster_state.cpp - building the columns, and looking things up in them.
#include "gedge/snapshot/cluster_state.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <numeric>
#include <tuple>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "gedge/snapshot/hashed_places.hpp"
#include "gedge/snapshot/reach_rows.hpp"
#include "gedge/snapshot/share_bounds.hpp"
#include "gedge/snapshot/volume_ledger.hpp"
#include "snapshot/image_directory.hpp"
#include "snapshot/name_table.hpp"
#include "snapshot/pod_digests.hpp"
#include "snapshot/pod_directory.hpp"
#include "snapshot/spread_owner_index.hpp"
#include "snapshot/usage_kernels.hpp"

namespace gedge {
namespace {

bool takes_place(const Pod& pod) { return !pod.bound_node.empty() && !pod.is_finished(); }

auto workload_key(const Pod& pod) {
  return std::tuple<std::string_view, std::string_view, std::string_view>(
      pod.namespace_name, pod.workload_name, pod.workload_kind);
}

// What names of nodes mean, by which text says them: readers keep one for all pods of a node, and
// it need not be read again.
class NodesByText {
 public:
  explicit NodesByText(std::size_t nodes) : known_(std::bit_ceil(2 * nodes + 2)) {}

  template <typename F>
  NodeIndex find(const SharedText& name, F&& find_by_name) {
    const std::string* const text = &name.str();
    const auto hash = reinterpret_cast<std::uintptr_t>(text) * 0x9e3779b97f4a7c15U;
    Entry& entry = known_[(hash >> 32) & (known_.size() - 1)];
    if (entry.text != text) entry = {text, find_by_name(*text)};
    return entry.node;
  }

 private:
  struct Entry {
    const std::string* text = nullptr;
    NodeIndex node = kNoNode;
  };
  std::vector<Entry> known_;
};

// The order of `before` on all pods; facts are often sorted by name already.
template <typename F>
std::vector<PodIndex> sorted_pods(std::size_t count, F&& before) {
  std::vector<PodIndex> pods(count);
  for (std::uint32_t i = 0; i < count; ++i) pods[i] = PodIndex{i};
  if (!std::is_sorted(pods.begin(), pods.end(), before))
    std::sort(pods.begin(), pods.end(), before);
  return pods;
}

void collect_names(const Resources& resources, std::vector<std::string>& names) {
  for (const auto& entry : resources)
    if (entry.first != kCpu && entry.first != kMemory && entry.first != kEphemeralStorage &&
        entry.first != kPods)
      names.push_back(entry.first);
}

ShareColumns share_columns(const ClusterState& cluster) {
  constexpr ResourceIndex cpu = ResourceIndex::kCpuColumn, memory = ResourceIndex::kMemoryColumn;
  return {cluster.allocatable(cpu),  cluster.allocatable(memory), cluster.requested(cpu),
          cluster.requested(memory), cluster.score_cpu(),         cluster.score_memory()};
}

// The masks of a column, from its domains.
void lay_out(TopologyColumn& column) {
  constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();
  const auto slots = static_cast<std::uint32_t>(column.domain_of.size());
  std::vector<std::uint32_t> last_word(column.domain_count(), kNone);
  column.first_word.assign(column.domain_count() + 1U, 0);
  column.keyed = NodeMask(slots);
  const auto for_each_keyed = [&](auto&& visit) {
    for (std::uint32_t row = 0; row < slots; ++row)
      if (column.domain_of[row] != kNoDomain) visit(row, column.domain_of[row]);
  };
  std::size_t rows = 0, used = 0;
  for_each_keyed([&](std::uint32_t row, DomainIndex domain) {
    column.keyed.set(NodeIndex{row});
    ++rows;
    if (last_word[domain] == kNone) ++used;
    if (last_word[domain] != row / 64) ++column.first_word[domain + 1];
    last_word[domain] = row / 64;
  });
  column.one_row_a_domain = rows == used;
  std::partial_sum(column.first_word.begin(), column.first_word.end(), column.first_word.begin());
  column.words.assign(column.first_word.back(), {});
  std::vector<std::uint32_t> next(column.first_word.begin(), column.first_word.end() - 1);
  last_word.assign(column.domain_count(), kNone);
  for_each_keyed([&](std::uint32_t row, DomainIndex domain) {
    if (last_word[domain] != row / 64) column.words[next[domain]++].word = row / 64;
    last_word[domain] = row / 64;
    column.words[next[domain] - 1].bits |= std::uint64_t{1} << (row % 64);
  });
  column.stale = false;
}

}  // namespace

ClusterState::~ClusterState() = default;

ClusterState::ClusterState(const Facts& facts, const RttMatrix& rtt, StateOptions options)
    : facts_(&facts), rtt_(&rtt), options_(std::move(options)) {
  const std::size_t slots = facts.nodes.size();
  node_facts_.resize(slots);
  for (std::size_t i = 0; i < slots; ++i) node_facts_[i] = &facts.nodes[i];
  std::vector<std::uint32_t> order(slots);
  std::iota(order.begin(), order.end(), 0U);
  std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
    return facts.nodes[a].name < facts.nodes[b].name;
  });
  rank_of_.resize(slots);
  for (std::uint32_t rank = 0; rank < slots; ++rank) rank_of_[order[rank]] = rank;
  for (std::size_t first = 0; first < slots; first += 64)
    least_rank_.push_back(*std::min_element(
        rank_of_.begin() + static_cast<std::ptrdiff_t>(first),
        rank_of_.begin() + static_cast<std::ptrdiff_t>(std::min(first + 64, slots))));
  slot_of_rank_ = std::move(order);
  fill_name_table(node_table_, slots,
                  [&](std::uint32_t i) { return hash_name(facts.nodes[i].name); });
  for (const Node& node : facts.nodes) {
    name_at_.push_back(node_names_.size());
    node_names_ += node.name;
    node_name_.push_back(node.name);
  }
  name_at_.push_back(node_names_.size());
  alive_ = NodeMask(slots, true);

  add_resource_names();
  allocatable_.assign(resource_names_.size(), std::vector<std::int64_t>(slots, 0));
  requested_ = allocatable_;
  sizes_.assign(resource_names_.size(), 0);
  free_bounds_.resize(resource_names_.size());
  stale_blocks_ = NodeMask((slots + 63) / 64);
  score_cpu_.assign(slots, 0);
  score_memory_.assign(slots, 0);
  pods_on_.resize(slots);
  latency_name_.assign(slots, kNoName);
  for (std::uint32_t i = 0; i < slots; ++i) fill_node(NodeIndex{i});
  add_pods();
}

void ClusterState::add_resource_names() {
  resource_names_ = {std::string(kCpu), std::string(kMemory), std::string(kEphemeralStorage),
                     std::string(kPods)};
  std::vector<std::string> extended;
  for (const Node& node : facts_->nodes) collect_names(node.allocatable, extended);
  for (const PodSpec& spec : facts_->specs) {
    for (const auto* list : {&spec.containers, &spec.init_containers})
      for (const Container& container : *list) collect_names(container.requests, extended);
    if (spec.pod_requests) collect_names(*spec.pod_requests, extended);
    collect_names(spec.overhead, extended);
  }
  std::sort(extended.begin(), extended.end());
  extended.erase(std::unique(extended.begin(), extended.end()), extended.end());
  resource_names_.insert(resource_names_.end(), extended.begin(), extended.end());
}

void ClusterState::fill_node(NodeIndex n) {
  const Node& node = *node_facts_[raw(n)];
  for (std::uint32_t r = 0; r < resource_names_.size(); ++r) {
    const std::int64_t amount = node.allocatable.amount(resource_names_[r]);
    allocatable_[r][raw(n)] = amount;
    note_size(ResourceIndex{r}, amount < 1 ? -1 : amount);
  }
  const std::string* name =
      options_.rtt_by.empty() ? &node.name.str() : node.labels.find(options_.rtt_by);
  const std::optional<NameIndex> found = name == nullptr ? std::nullopt : rtt_->find(*name);
  note_usage(n);
  std::uint32_t& index = latency_name_[raw(n)];
  if (index == raw(n)) --named_in_order_;
  index = found ? raw(*found) : kNoName;
  if (index == raw(n)) ++named_in_order_;
}

void ClusterState::renew(ResourceIndex r, std::uint32_t block) const {
  FreeBounds& bounds = free_bounds_[raw(r)];
  const std::size_t first = std::size_t{block} * 64, last = std::min(first + 64, slots());
  find_free(allocatable_[raw(r)].data() + first, requested_[raw(r)].data() + first,
            static_cast<std::uint32_t>(last - first), bounds.least[block], bounds.most[block]);
}

void ClusterState::renew_stale_blocks() const {
  stale_blocks_.for_each([&](NodeIndex block) {
    for (std::uint32_t r = 0; r < free_bounds_.size(); ++r)
      if (!free_bounds_[r].least.empty()) renew(ResourceIndex{r}, raw(block));
    if (share_bounds_) share_bounds_->renew(share_columns(*this), raw(block));
  });
  stale_blocks_.reset();
}

const ShareBounds& ClusterState::share_bounds() const {
  renew_stale_blocks();
  if (!share_bounds_) share_bounds_ = std::make_unique<ShareBounds>(share_columns(*this));
  return *share_bounds_;
}

const FreeBounds& ClusterState::free_bounds(ResourceIndex r) const {
  FreeBounds& bounds = free_bounds_[raw(r)];
  renew_stale_blocks();
  if (!bounds.least.empty() || slots() == 0) return bounds;
  bounds.least.resize(stale_blocks_.size());
  bounds.most.resize(stale_blocks_.size());
  for (std::uint32_t block = 0; block < stale_blocks_.size(); ++block) renew(r, block);
  return bounds;
}

void ClusterState::add_pods() {
  pods_.resize(facts_->pods.size());
  distinct_ = std::make_unique<DistinctPods>();
  auto digester = std::make_unique<PodDigester>(*facts_, options_, resource_names_, *distinct_);
  const auto by_name = [&](std::string_view name) { return find_node(name); };
  for (std::uint32_t i = 0; i < pods_.size(); ++i) pods_[i].facts = digester->next(i, by_name);
  if (options_.grows) digester_ = std::move(digester);
  place_bound_pods();
}

bool ClusterState::add_new_pods() {
  if (!digester_ || !digester_->take_new_specs()) return false;
  const std::size_t known = pods_.size();
  pods_.resize(facts_->pods.size());
  const auto by_name = [&](std::string_view name) { return find_node(name); };
  for (std::size_t i = known; i < pods_.size(); ++i)
    pods_[i].facts = digester_->next(static_cast<std::uint32_t>(i), by_name);
  if (directory_)
    for (std::size_t i = known; i < pods_.size(); ++i)
      directory_->add(distinct_->all, *pods_[i].facts);
  pod_table_.clear();
  was_asked_for_pod_ = false;
  return true;
}

void ClusterState::place_bound_pods() {
  NodesByText nodes(slots());
  std::vector<std::uint32_t> count(slots(), 0);
  for (std::uint32_t i = 0; i < pods_.size(); ++i) {
    const Pod& bound = pod(PodIndex{i});
    if (!takes_place(bound)) continue;
    const NodeIndex node = nodes.find(
        bound.bound_node, [&](std::string_view name) { return find_node(name).value_or(kNoNode); });
    pods_[i].node = node;
    if (node != kNoNode) ++count[raw(node)];
  }
  for (std::uint32_t slot = 0; slot < slots(); ++slot) pods_on_[slot].reserve(count[slot]);
  for (std::uint32_t i = 0; i < pods_.size(); ++i)
    if (const NodeIndex node = pods_[i].node; node != kNoNode)
      place(PodIndex{i}, node, pods_on_[raw(node)].size());
}

// Policies ask for the same name one after the other, and names lie far from each other.
std::optional<NodeIndex> ClusterState::find_node(std::string_view name) const {
  const auto is_it = [&](std::uint32_t slot) { return name_of_slot(slot) == name; };
  if (found_ == kNoNode || !is_it(raw(found_)))
    found_ = NodeIndex{find_in_name_table(node_table_, hash_name(name), is_it)};
  if (found_ == kNoNode || !alive_.test(found_)) return std::nullopt;
  return found_;
}

std::optional<ResourceIndex> find_resource(std::span<const std::string> names,
                                           std::string_view name) {
  for (std::uint32_t r = 0; r < kFirstExtended; ++r)
    if (names[r] == name) return ResourceIndex{r};
  const auto first = names.begin() + kFirstExtended;
  const auto at = std::lower_bound(first, names.end(), name);
  if (at == names.end() || *at != name) return std::nullopt;
  return ResourceIndex{static_cast<std::uint32_t>(at - names.begin())};
}

std::optional<ResourceIndex> ClusterState::find_resource(std::string_view name) const {
  return gedge::find_resource(resource_names_, name);
}

std::size_t ClusterState::distinct_pods() const { return distinct_->all.size(); }

const TopologyColumn& ClusterState::topology(std::string_view key) const {
  for (TopologyColumn& column : topologies_) {
    if (column.key != key) continue;
    if (column.stale) lay_out(column);
    return column;
  }
  TopologyColumn& column = topologies_.emplace_back();
  column.key = key;
  column.domain_of.assign(slots(), kNoDomain);
  for (const std::uint32_t slot : slot_of_rank_) fill_domain(column, NodeIndex{slot});
  lay_out(column);
  return column;
}

const PodDirectory& ClusterState::directory() const {
  if (directory_) return *directory_;
  std::vector<std::uint32_t> facts_of;
  facts_of.reserve(pods_.size());
  for (const PodRecord& record : pods_) facts_of.push_back(record.facts->index);
  directory_ = std::make_unique<PodDirectory>(distinct_->all, facts_of);
  return *directory_;
}

const ImageHolders* ClusterState::image_holders(std::string_view image) const {
  if (!images_ && std::exchange(was_asked_for_image_, true))
    images_ = std::make_unique<ImageDirectory>(*this);
  return images_ ? images_->find(image) : nullptr;
}

const VolumeLedger& ClusterState::volume_ledger() const {
  if (!volume_ledger_)
    volume_ledger_ = std::make_unique<VolumeLedger>(*this, volumes_since_, volumes_version_);
  else
    volume_ledger_->follow();
  return *volume_ledger_;
}

const Namespace* ClusterState::find_namespace(std::string_view name) const {
  if (namespaces_.empty())
    for (const Namespace& one : facts_->namespaces) namespaces_.emplace(one.name, &one);
  const auto at = namespaces_.find(name);
  return at == namespaces_.end() ? nullptr : at->second;
}

std::vector<const SpreadOwner*> ClusterState::spread_owners_of(const PodFacts& pod) const {
  if (!spread_owners_) spread_owners_ = std::make_unique<SpreadOwnerIndex>(facts_->spread_owners);
  return spread_owners_->of(pod);
}

std::vector<const PodFacts*> ClusterState::saying(std::span<const Topic> topics) const {
  return directory().saying(topics);
}

std::span<const Topic> ClusterState::topics(const PodFacts& pod) const {
  return directory().topics(pod);
}

std::span<const PodIndex> ClusterState::sharing(const PodFacts& pod) const {
  return directory().sharing(pod);
}

void ClusterState::fill_domain(TopologyColumn& column, NodeIndex n) const {
  const std::string* value = node_facts_[raw(n)]->labels.find(column.key);
  DomainIndex& domain = column.domain_of[raw(n)];
  domain = kNoDomain;
  if (value == nullptr || !alive_.test(n)) return;
  const auto [at, fresh] = column.index.try_emplace(*value, column.domain_count());
  if (fresh) column.values.push_back(*value);
  domain = at->second;
}

std::optional<PodIndex> ClusterState::find_pod(std::string_view namespace_name,
                                               std::string_view name) const {
  const auto is_it = [&](std::uint32_t i) {
    const Pod& p = pod(PodIndex{i});
    return p.name == name && p.namespace_name == namespace_name;
  };
  if (pod_table_.empty()) {
    if (!was_asked_for_pod_) {
      was_asked_for_pod_ = true;
      for (std::uint32_t i = 0; i < pods_.size(); ++i)
        if (is_it(i)) return PodIndex{i};
      return std::nullopt;
    }
    fill_name_table(pod_table_, pods_.size(), [&](std::uint32_t i) {
      return hash_of_name(pod(PodIndex{i}).namespace_name, pod(PodIndex{i}).name);
    });
  }
  const PodIndex found{find_in_name_table(pod_table_, hash_of_name(namespace_name, name), is_it)};
  if (found == kNoPod) return std::nullopt;
  return found;
}

void ClusterState::sort_by_workload() const {
  pods_by_workload_ = sorted_pods(pods_.size(), [&](PodIndex a, PodIndex b) {
    const Pod &x = pod(a), &y = pod(b);
    return std::tuple(workload_key(x), x.ordinal, std::string_view(x.name)) <
           std::tuple(workload_key(y), y.ordinal, std::string_view(y.name));
  });
}

std::vector<PodIndex> ClusterState::workload(std::string_view namespace_name, std::string_view kind,
                                             std::string_view name) const {
  if (pods_by_workload_.size() != pods_.size()) sort_by_workload();
  const std::tuple wanted(namespace_name, name);
  const auto key_of = [&](PodIndex p) {
    return std::tuple<std::string_view, std::string_view>(pod(p).namespace_name,
                                                          pod(p).workload_name);
  };
  auto at = std::lower_bound(pods_by_workload_.begin(), pods_by_workload_.end(), wanted,
                             [&](PodIndex p, const auto& key) { return key_of(p) < key; });
  std::vector<PodIndex> members;
  for (; at != pods_by_workload_.end() && key_of(*at) == wanted; ++at)
    if (kind.empty() || pod(*at).workload_kind == kind) members.push_back(*at);
  return members;
}

std::optional<NameIndex> ClusterState::latency_name(NodeIndex n) const {
  if (latency_name_[raw(n)] == kNoName) return std::nullopt;
  return NameIndex{latency_name_[raw(n)]};
}

std::span<const Rtt> ClusterState::rtt_row(NodeIndex from) const {
  if (named_in_order_ != slots() || rtt().size() != slots()) return {};
  return rtt().row(NameIndex{raw(from)});
}

ReachRows& ClusterState::reach_rows() const {
  if (!reach_rows_) reach_rows_ = std::make_unique<ReachRows>(slots());
  return *reach_rows_;
}

RttMatrix::Strips ClusterState::rtt_strips(NodeIndex from) const {
  if (rtt_row(from).empty() || !rtt().symmetric()) return {};
  return rtt().strips(NameIndex{raw(from)});
}

}  // namespace gedge
