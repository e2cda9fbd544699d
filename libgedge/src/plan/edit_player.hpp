// plan/edit_player.hpp - edits played into a planned cluster, and taken back.
#pragma once

#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

#include "gedge/plan/edit.hpp"
#include "plan/session.hpp"

namespace gedge {

/// Plays edits as apply_edits would apply them to the facts, one change of the state at a time, and
/// takes everything back when it goes, whatever was done to the state in the meantime.
class EditPlayer {
 public:
  enum class Fate : std::uint8_t {
    kNone,
    kDeleted,
    kEvicted,  ///< was bound, waits for a place now
    kMoved,    ///< is bound, by an edit
    kDropped,  ///< was planned on a node that was deleted
  };

  /// `tied`: pods to be placed that belong to the node that they were made for. Outlives the
  /// player.
  EditPlayer(Session& session, const std::vector<PodIndex>& tied);
  EditPlayer(const EditPlayer&) = delete;
  EditPlayer& operator=(const EditPlayer&) = delete;
  ~EditPlayer();

  /// False where the edit names something that is not there, or does what cannot be played; then
  /// the state is somewhere in between.
  bool play(const Edit& edit);

  Fate fate(PodIndex pod) const;
  /// Pods with a fate, in no order.
  std::vector<PodIndex> pods() const;
  /// Nodes whose facts or pods changed, each once; some may be gone.
  const std::vector<NodeIndex>& nodes() const { return nodes_; }
  /// What of the facts changed: any of FactPart.
  std::uint8_t parts() const { return parts_; }
  /// True if the plan, and neither the facts nor an edit, put the pod on its node.
  bool is_planned(PodIndex pod) const;

 private:
  bool play_pod(const Edit& edit);
  bool play_rtt(const Edit& edit);
  bool play_node(const Edit& edit);
  bool clear(NodeIndex node, bool node_vanishes);
  bool delete_waiting(NodeIndex node);
  bool is_name(const std::string& name) const;
  bool is_resource(const std::string& name) const;
  bool may_renumber(NodeIndex node) const;
  void touch(NodeIndex node);
  void apply(const Change& change);
  void unbind(PodIndex pod);

  Session& session_;
  ClusterState& cluster_;
  const std::vector<PodIndex>& tied_;
  ClusterState::Mark start_;
  std::vector<std::unique_ptr<Node>> edited_;  // alive until the state is as before
  std::vector<NodeIndex> nodes_;
  std::unordered_map<std::uint32_t, Fate> fates_;  // by pod; only looked up, or sorted afterwards
  std::uint8_t parts_ = 0;
};

/// True if anything that policies do depends on the matrix.
bool reads_rtts(const Facts& facts);

}  // namespace gedge
