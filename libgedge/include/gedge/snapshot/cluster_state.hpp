// gedge/snapshot/cluster_state.hpp - the cluster as columns, one writer, everything undoable.
//
// A node has a slot that never moves; `rank_of` gives name order (ties, output). Columns are int64:
// thousandths of a core, bytes, pieces. All pods of the facts have a PodIndex, bound or not. A
// change is O(1) for a bind, O(columns) for a node.
#pragma once

#include <cstdint>
#include <deque>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "gedge/base/units.hpp"
#include "gedge/latency/matrix.hpp"
#include "gedge/model/facts.hpp"
#include "gedge/snapshot/node_mask.hpp"
#include "gedge/snapshot/pod_facts.hpp"
#include "gedge/snapshot/topics.hpp"

namespace gedge {

enum class PodIndex : std::uint32_t {};
constexpr std::uint32_t raw(PodIndex p) { return static_cast<std::uint32_t>(p); }
inline constexpr PodIndex kNoPod{std::numeric_limits<std::uint32_t>::max()};

/// Value of a topology key on a node, dense per key; kNoDomain where the node lacks the label.
using DomainIndex = std::uint32_t;
inline constexpr DomainIndex kNoDomain = std::numeric_limits<DomainIndex>::max();

class PodDirectory;
class PodDigester;
struct DistinctPods;
class ImageDirectory;
class ReachRows;
class SpreadOwnerIndex;
class VolumeLedger;
struct StorageNews;

/// Nodes that report an image.
struct ImageHolders {
  NodeMask rows;                ///< alive ones
  std::int64_t size_bytes = 0;  ///< as the first of them by name says
};
class ShareBounds;

/// Rows that share one word of a mask.
struct WordRows {
  std::uint32_t word = 0;
  std::uint64_t bits = 0;
};

/// One topology key as a column, and the same as masks: the rows of each domain.
struct TopologyColumn {
  std::string key;
  std::vector<DomainIndex> domain_of;  // [slots]
  std::vector<std::string> values;     // [domains], in order of first use
  std::unordered_map<std::string, DomainIndex>
      index;                              // value to domain; only looked up, never iterated
  std::vector<std::uint32_t> first_word;  // [domains + 1], into words
  std::vector<WordRows> words;            // by domain
  NodeMask keyed;                         // rows that lie in a domain
  bool one_row_a_domain = false;          // no two nodes share a value, as with hostnames
  bool stale = true;                      // the masks; ClusterState::topology sees to it

  DomainIndex domain_count() const { return static_cast<DomainIndex>(values.size()); }
  std::span<const WordRows> rows_of(DomainIndex domain) const {
    return std::span(words).subspan(first_word[domain],
                                    first_word[domain + 1] - first_word[domain]);
  }
};

/// What is free of one resource, allocatable - requested, in blocks of 64 rows: the least and the
/// most of each. Dead rows count too.
struct FreeBounds {
  std::vector<std::int64_t> least, most;  // [slots / 64, rounded up]
};

struct StateOptions {
  Compat compat = Compat::k1_36;
  std::string
      rtt_by;  ///< node label whose value names the node in the matrix; empty: the node's name
  bool grows = false;  ///< add_new_pods() will be asked for; costs memory
  /// Labels of a pod beyond those of its template count only where a selector of the facts reads
  /// such a key: pods that differ in others alone share their PodFacts.
  bool only_selected_labels = false;
};

/// Parts of a node's facts; kRttPart: of the matrix; kVolumePart: of storage.
enum FactPart : std::uint8_t {
  kResourcePart = 1,
  kLabelPart = 2,
  kTaintPart = 4,     ///< and whether the node is cordoned
  kPresencePart = 8,  ///< the node came or went
  kOtherPart = 16,    ///< images, avoided controllers
  kRttPart = 32,
  kVolumePart = 64,  ///< claims, volumes, classes, or who has taken which
};

/// What differs between two nodes of one name, any of FactPart.
std::uint8_t differing_parts(const Node& a, const Node& b);

/// What happened to the state; also the record that undoes it.
struct Change {
  enum class Kind : std::uint8_t {
    kBind,
    kUnbind,
    kReplaceNode,
    kRemoveNode,
    kSetRtt,
    kRenewVolumes,  ///< in the journal only: see renew_volumes()
  };
  Kind kind = Kind::kBind;
  PodIndex pod = kNoPod;
  NodeIndex node = kNoNode;  ///< kBind: where to; kUnbind: where it was
  const Node* facts =
      nullptr;  ///< kReplaceNode: the new facts of `node` (same name); must live until the
                ///< change is undone, or as long as the state; the journal's copy is not followed
  NameIndex from{}, to{};  ///< kSetRtt
  Rtt rtt{};               ///< kSetRtt: both directions
  std::uint8_t parts = 0;  ///< in the journal: what differs afterwards, any of FactPart
};

class ClusterState {
 public:
  /// `facts` and `rtt` must outlive the state. Bound pods whose phase is Succeeded or Failed, or
  /// whose node does not exist, take no place. Cost: O(nodes + pods + labels).
  ClusterState(const Facts& facts, const RttMatrix& rtt, StateOptions options = {});
  ClusterState(const ClusterState&) = delete;
  ClusterState& operator=(const ClusterState&) = delete;
  ~ClusterState();

  const Facts& facts() const { return *facts_; }
  Compat compat() const { return options_.compat; }
  const std::string& rtt_by() const { return options_.rtt_by; }

  // --- nodes
  std::size_t slots() const { return node_facts_.size(); }
  const NodeMask& alive() const { return alive_; }
  const Node& node(NodeIndex n) const { return *node_facts_[raw(n)]; }
  const SharedText& node_name(NodeIndex n) const { return node_name_[raw(n)]; }
  std::optional<NodeIndex> find_node(std::string_view name) const;
  std::uint32_t rank_of(NodeIndex n) const { return rank_of_[raw(n)]; }
  /// The least of each 64 slots, [slots / 64, rounded up].
  std::span<const std::uint32_t> least_ranks() const { return least_rank_; }
  /// The inverse of rank_of: all slots in name order.
  NodeIndex by_rank(std::uint32_t rank) const { return NodeIndex{slot_of_rank_[rank]}; }
  std::size_t resource_count() const { return resource_names_.size(); }
  const std::string& resource_name(ResourceIndex r) const { return resource_names_[raw(r)]; }
  std::optional<ResourceIndex> find_resource(std::string_view name) const;
  std::span<const std::int64_t> allocatable(ResourceIndex r) const { return allocatable_[raw(r)]; }
  /// Sum over the pods on the node; `pods` counts them. May exceed allocatable.
  std::span<const std::int64_t> requested(ResourceIndex r) const { return requested_[raw(r)]; }
  /// Kept from the first question on. The reference stays valid; the next question renews it. Cost:
  /// O(rows of the blocks that changed since the last one).
  const FreeBounds& free_bounds(ResourceIndex r) const;
  /// Bounds of the shares of cpu and memory that are used; as above. Built anew when a node has
  /// other facts, O(nodes).
  const ShareBounds& share_bounds() const;
  /// True: `pod`, every allocatable and all that is or was requested of it, real or with what
  /// scores count for missing requests, lies from 0 to 2^45 (32 TiB), allocatable from 1. False
  /// says nothing.
  bool is_plain(ResourceIndex r, std::int64_t pod) const {
    constexpr std::uint64_t kTooLarge = std::uint64_t{1} << 45;
    return ((sizes_[raw(r)] | static_cast<std::uint64_t>(pod)) < kTooLarge);
  }
  std::span<const std::int64_t> score_cpu() const { return score_cpu_; }
  std::span<const std::int64_t> score_memory() const { return score_memory_; }
  std::span<const PodIndex> pods_on(NodeIndex n) const { return pods_on_[raw(n)]; }
  /// The column of a label key; built on first use, kept true through node changes (the masks: when
  /// it is asked for). The reference stays valid.
  const TopologyColumn& topology(std::string_view key) const;
  /// By full name (gedge/model/image_name.hpp), until nodes change. Null: look at the nodes. So it
  /// is for the first question, for images that no pod of the facts runs, and where there are too
  /// many; the second question finds all images of all pods.
  const ImageHolders* image_holders(std::string_view image) const;

  // --- pods
  std::size_t pod_count() const { return pods_.size(); }
  const Pod& pod(PodIndex p) const { return facts_->pods[raw(p)]; }
  const PodFacts& pod_facts(PodIndex p) const { return *pods_[raw(p)].facts; }
  NodeIndex node_of(PodIndex p) const { return pods_[raw(p)].node; }
  bool is_placed(PodIndex p) const { return pods_[raw(p)].node != kNoNode; }
  /// Distinct pods by what they say (topics.hpp), without repetition, by index; the index over all
  /// pods is built on first use.
  std::vector<const PodFacts*> saying(std::span<const Topic> topics) const;
  std::span<const Topic> topics(const PodFacts& pod) const;
  /// Calls visit(PodIndex, NodeIndex) for every placed pod that says one of the topics.
  template <typename F>
  void for_each_placed(std::span<const Topic> topics, F&& visit) const {
    for (const PodFacts* facts : saying(topics))
      for (const PodIndex p : sharing(*facts))
        if (is_placed(p)) visit(p, node_of(p));
  }
  /// All pods with these facts, placed or not.
  std::span<const PodIndex> sharing(const PodFacts& pod) const;
  std::size_t distinct_pods() const;
  /// The first question looks at all pods, the second builds a table, O(pods).
  std::optional<PodIndex> find_pod(std::string_view namespace_name, std::string_view name) const;
  /// Takes in pods that have come behind those of the facts, and specs behind those; none of the
  /// others has moved. The new ones are not placed, whatever node they name. False, and nothing has
  /// changed, where columns or pods would have to be made anew: a resource is new, anybody has a
  /// delay budget, or the state does not grow. Cost: O(new pods); what is looked up by name is
  /// made anew when asked.
  bool add_new_pods();
  /// Pods of a workload, by kind, ordinal and name; `kind` empty: every kind of that name. Empty if
  /// there is none. The first question costs O(pods log pods).
  std::vector<PodIndex> workload(std::string_view namespace_name, std::string_view kind,
                                 std::string_view name) const;
  /// Services and controllers of the pod's namespace whose selectors may match it, and whoever
  /// bears the name of its controller, in the order of the facts. The first question costs
  /// O(owners).
  std::vector<const SpreadOwner*> spread_owners_of(const PodFacts& pod) const;
  /// Null where the facts have none of that name. The first question costs O(namespaces).
  const Namespace* find_namespace(std::string_view name) const;
  /// Placed pods that carry any pod (anti-)affinity, and those with a delay budget; in no
  /// meaningful order.
  std::span<const PodIndex> placed_with_affinity() const { return with_affinity_; }
  std::span<const PodIndex> placed_with_budgets() const { return with_budgets_; }
  /// Pods of one group wait for each other's places (a cycle of budgets) and are decided together;
  /// 0: none.
  std::uint32_t joint_group(PodIndex p) const { return pods_[raw(p)].joint_group; }
  void set_joint_group(PodIndex p, std::uint32_t group) { pods_[raw(p)].joint_group = group; }

  /// Who has taken which volume by now. Made for the first question; the next question renews what
  /// it says. Lives until everything is renewed, or as long as the state.
  const VolumeLedger& volume_ledger() const;
  /// Claims, volumes or classes of the facts have changed, as the news say (volume_lookup.hpp); who
  /// has taken which is counted anew, as if pods had been where they are now from the beginning.
  /// Cannot be undone. Cost: that of VolumeLedger::renew; where anything may have changed O(1), and
  /// the next question is a first one.
  void renew_volumes(const StorageNews& news);

  // --- round-trip times
  const RttMatrix& rtt() const { return rtt_override_ ? *rtt_override_ : *rtt_; }
  /// The name of a node in the matrix; empty where the matrix does not know it.
  std::optional<NameIndex> latency_name(NodeIndex n) const;
  /// One direction from a node to every slot, [slots]; empty where slots and names of the matrix do
  /// not coincide. The node's own cell is no RTT between nodes.
  std::span<const Rtt> rtt_row(NodeIndex from) const;
  /// Bounds of each 16 slots of that row; empty where the row is, and where the matrix is not
  /// symmetric.
  RttMatrix::Strips rtt_strips(NodeIndex from) const;
  /// What was found of rtt_row, kept until nodes or RTTs change. Lives as long.
  ReachRows& reach_rows() const;
  /// RTT between two nodes: 0 on one node, else what the matrix says of their names.
  Rtt rtt_between(NodeIndex a, NodeIndex b) const {
    if (a == b) return Rtt{0};
    const std::uint32_t x = latency_name_[raw(a)], y = latency_name_[raw(b)];
    if (x == kNoName || y == kNoName) return kUnmeasured;
    return rtt().between(NameIndex{x}, NameIndex{y});
  }

  // --- change
  /// True: a terminating pod that is bound or unbound from now on changes what spreading counts,
  /// though it did not count before. So preemption of kube-scheduler tries things out.
  void count_terminating(bool counts) { counts_terminating_ = counts; }
  bool counts_terminating() const { return counts_terminating_; }
  void apply(const Change& change);
  void bind(PodIndex pod, NodeIndex node);
  void unbind(PodIndex pod) { apply({Change::Kind::kUnbind, pod, node_of(pod)}); }
  using Mark = std::size_t;
  Mark mark() const { return undo_.size(); }
  /// Takes back every change since `mark`, newest first. The journal records the reversals too.
  void undo(Mark mark);
  /// Everything that was applied, undos included; `since(epoch())` is empty.
  using Epoch = std::size_t;
  Epoch epoch() const { return journal_.size(); }
  std::span<const Change> since(Epoch epoch) const { return std::span(journal_).subspan(epoch); }
  /// Counts changes of nodes, RTTs and storage: what was prepared from static facts is void when it
  /// moves.
  std::uint64_t static_epoch() const { return static_epoch_; }

 private:
  struct PodRecord {
    const PodFacts* facts = nullptr;
    NodeIndex node = kNoNode;
    std::uint32_t joint_group = 0;
  };
  struct Undo {
    Change inverse;
    std::size_t position = 0;  ///< kBind: where in pods_on the pod was, so that order comes back
    Rtt back{};                ///< kSetRtt: the other direction
    bool revive = true;        ///< kReplaceNode: whether the slot was alive
  };

  std::string_view name_of_slot(std::uint32_t slot) const {
    return std::string_view(node_names_)
        .substr(name_at_[slot], name_at_[slot + 1] - name_at_[slot]);
  }
  void add_resource_names();
  void add_pods();
  void place_bound_pods();
  void sort_by_workload() const;
  void fill_node(NodeIndex node);
  void place(PodIndex pod, NodeIndex node, std::size_t position);
  std::size_t displace(PodIndex pod);
  void add_usage(const PodFacts& pod, NodeIndex node);
  void subtract_usage(const PodFacts& pod, NodeIndex node);
  void expect_changes();
  Undo perform(const Change& change, std::optional<std::size_t> position);
  std::uint8_t replace_node(NodeIndex node, const Node* facts, bool alive);
  void set_rtt(const Change& change, Rtt back);
  void fill_domain(TopologyColumn& column, NodeIndex node) const;
  const PodDirectory& directory() const;
  void note_usage(NodeIndex node);
  void renew(ResourceIndex r, std::uint32_t block) const;
  void renew_stale_blocks() const;
  void note_size(ResourceIndex r, std::int64_t amount) {
    sizes_[raw(r)] |= static_cast<std::uint64_t>(amount);
  }

  static constexpr std::uint32_t kNoName = std::numeric_limits<std::uint32_t>::max();

  const Facts* facts_;
  const RttMatrix* rtt_;
  std::unique_ptr<RttMatrix> rtt_override_;  // a copy, made by the first kSetRtt
  StateOptions options_;

  std::vector<const Node*> node_facts_;      // [slots]
  std::vector<std::uint32_t> rank_of_;       // [slots]
  std::vector<std::uint32_t> slot_of_rank_;  // [slots]
  std::vector<std::uint32_t> least_rank_;    // [blocks]
  std::vector<std::uint32_t> node_table_;    // by hash of the name
  std::vector<SharedText> node_name_;        // [slots]
  std::string node_names_;                   // one behind the other: facts lie far from each other
  std::vector<std::size_t> name_at_;         // [slots + 1]
  mutable NodeIndex found_ = kNoNode;        // by find_node, the last time
  NodeMask alive_;                           // [slots]
  std::vector<std::string> resource_names_;  // [R]
  std::vector<std::vector<std::int64_t>> allocatable_, requested_;  // [R][slots]
  std::vector<std::int64_t> score_cpu_, score_memory_;              // [slots]
  mutable std::vector<FreeBounds> free_bounds_;                     // [R]; empty where nobody asked
  mutable std::unique_ptr<ShareBounds> share_bounds_;               // null where nobody asked
  mutable NodeMask stale_blocks_;                                   // [blocks], of all bounds
  std::vector<std::uint64_t> sizes_;                                // [R], bits of all amounts
  std::vector<std::vector<PodIndex>> pods_on_;  // [slots], in the order they were bound
  std::vector<std::uint32_t> latency_name_;     // [slots], NameIndex or kNoName
  std::size_t named_in_order_ = 0;              // slots whose name has their own index
  mutable std::deque<TopologyColumn> topologies_;

  std::unique_ptr<DistinctPods> distinct_;
  std::unique_ptr<PodDigester> digester_;
  std::vector<PodRecord> pods_;                   // [facts.pods]
  mutable std::vector<std::uint32_t> pod_table_;  // by hash of namespace and name
  mutable bool was_asked_for_pod_ = false;
  mutable std::vector<PodIndex>
      pods_by_workload_;  // sorted by namespace, workload name, kind, ordinal, name
  std::vector<PodIndex> with_affinity_, with_budgets_;
  mutable std::unique_ptr<PodDirectory> directory_;
  mutable std::unique_ptr<SpreadOwnerIndex> spread_owners_;
  mutable std::unordered_map<std::string_view, const Namespace*> namespaces_;
  mutable std::unique_ptr<ImageDirectory> images_;
  mutable bool was_asked_for_image_ = false;
  mutable std::unique_ptr<ReachRows> reach_rows_;
  mutable std::unique_ptr<VolumeLedger> volume_ledger_;
  Epoch volumes_since_ = 0;            // where pods were then is where volumes were taken first
  std::uint64_t volumes_version_ = 0;  // that the next ledger begins with

  std::vector<Undo> undo_;
  std::vector<Change> journal_;
  std::uint64_t static_epoch_ = 0;
  bool counts_terminating_ = false;
};

}  // namespace gedge
