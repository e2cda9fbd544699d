// policy/delay_columns.hpp - every budget of a pod as a column of RTTs, kept true as peers move.
//
// DelayBudget, LatencySlack and the reports read these columns, so they cannot disagree.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "gedge/policy/policy.hpp"
#include "policy/delay_target.hpp"

namespace gedge {

/// How many strips of rows share a word of a mask.
inline constexpr std::uint32_t kStripsInWord = 4;

/// One budget over all rows.
class DelayColumn {
 public:
  enum class Status : std::uint8_t {
    kMeasured,   ///< `rtt` counts
    kFree,       ///< no place to measure from now, and none is demanded: no constraint
    kUnknown,    ///< no peer of that name
    kNotPlaced,  ///< no replica of the peer has a place
  };

  DelayColumn(const ClassContext& context, const DelayBudget& budget);

  const DelayBudget& budget() const { return *budget_; }
  Status status() const { return status_; }
  /// kMeasured only.
  Rtt rtt(NodeIndex n) const {
    return us_.empty() ? cluster_->rtt_between(places_.front().node, n) : Rtt{us_[raw(n)]};
  }
  bool admits(NodeIndex n) const {
    if (status_ != Status::kMeasured) return status_ == Status::kFree;
    const Rtt measured = rtt(n);
    return measured != kUnmeasured && measured.us <= limit_us();
  }
  /// kMeasured only: the RTTs of all rows, [slots], where they stand in one row; else empty. The
  /// cell of `here()` is no RTT between nodes: that row has 0.
  std::span<const Rtt> as_row() const;
  /// Bounds of each 16 rows of that row; empty where the row is.
  RttMatrix::Strips row_strips() const;
  NodeIndex here() const { return places_.front().node; }
  /// Clears the rows that are not admitted. Cost: O(rows).
  void keep_admitted(NodeMask& rows) const;
  std::int64_t limit_us() const { return budget_->limit_us; }
  /// Evidence against a row that is not admitted.
  Evidence evidence(NodeIndex n) const;

  /// Whether any pod's place matters.
  bool follows_pods() const { return !target_.pods.empty(); }
  /// A pod was placed (1) or taken away (-1). False if that changes nothing.
  bool on_pod(PodIndex pod, NodeIndex node, int delta);

 private:
  struct Place {
    NodeIndex node;
    std::uint32_t pods = 0;
  };
  bool add_place(NodeIndex node);
  bool remove_place(NodeIndex node);
  void count_in(NodeIndex place);
  void measure();
  Status status_without_places() const;
  std::uint64_t worth_a_look(std::uint32_t first, std::uint32_t last) const;

  const ClusterState* cluster_;
  const DelayBudget* budget_;
  DelayTarget target_;
  std::uint32_t joint_group_;
  std::vector<Place> places_;  // of placed peers, each node once
  Status status_ = Status::kUnknown;
  std::vector<std::uint32_t> us_;  // [slots]; empty where one place is measured from: looked up
};

/// Clears the rows whose RTT to `from` is over the limit or unknown, where RTTs are symmetric and
/// stand in one row; else returns false and leaves them. A node is as near to itself as can be.
/// Cost: O(rows / 16) and the cells of strips that bounds do not settle.
bool keep_near(const ClusterState& cluster, NodeIndex from, std::int64_t limit_us, NodeMask& rows);

/// True if columns must be made anew: other names, zones or RTTs.
inline bool moves_delays(const FactsChange& change) {
  return (change.parts & (kLabelPart | kPresencePart | kRttPart)) != 0;
}

inline bool any_follows_pods(const std::vector<DelayColumn>& columns) {
  return std::any_of(columns.begin(), columns.end(),
                     [](const DelayColumn& column) { return column.follows_pods(); });
}

std::vector<DelayColumn> make_columns(const ClassContext& context);

}  // namespace gedge
