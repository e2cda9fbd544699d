// plan/classes.hpp - policies prepared once per class of equal pods, and kept true while the
// cluster changes.
//
// A class is everything with the same signature. A class that is seen for the second time stays
// live and gets a board (without boards: from the first time on). Live classes follow the journal:
// one change is told to each of them, and those whose policies cannot follow it are void; several
// changes at once void all, which costs time and never an answer.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "plan/board.hpp"
#include "plan/slots.hpp"

namespace gedge {

class ClassCache {
 public:
  /// Tie keys of all rows for a class: [slots], or empty where names decide ties.
  using TieKeys = std::function<std::vector<std::uint64_t>(std::string_view signature)>;

  /// `boards`: whether classes may have boards at all.
  ClassCache(const ClusterState& cluster, const std::vector<FilterSlot>& filters,
             const std::vector<ScoreSlot>& scores, TieKeys tie_keys, bool boards)
      : cluster_(&cluster),
        filters_(&filters),
        scores_(&scores),
        tie_keys_(std::move(tie_keys)),
        boards_(boards),
        epoch_(cluster.epoch()),
        static_epoch_(cluster.static_epoch()) {}

  /// Makes everything true to the cluster as it is now. After each single change that is cheap.
  void follow();
  /// The class of `pod`, true to the cluster as it is now; lives until the next call.
  PreparedClass& get(PodIndex pod);
  /// The same after board() gave none: a class that is seen for the first time stays unknown.
  PreparedClass& once(PodIndex pod);
  /// The board of the pod's class, true to the cluster once Board::choose has looked; null where
  /// the class has none (yet). Lives until the next call.
  Board* board(PodIndex pod);

  /// The signature under which this pod was last seen; empty if it has none.
  std::string_view signature(PodIndex pod) const {
    const auto at = known_.find(&cluster_->pod_facts(pod));
    return at == known_.end() ? std::string_view{} : std::string_view(at->second.signature);
  }

 private:
  struct Live {
    PreparedClass prepared;
    bool suits_board = false;
    std::unique_ptr<Board> board;  // made when it is first asked for
    Touched touched;
    bool reads_domains = false;
    std::uint64_t last_used = 0;
  };
  struct Known {
    std::string signature;  // "" for pods without one
    Live* live = nullptr;   // as of `generation`
    std::uint64_t generation = 0;
  };

  Live* live(PodIndex pod);
  PreparedClass& single(PodIndex pod);
  Live* live(Known& known, const ClassContext& context);
  void follow_facts(const Change& change);
  PreparedClass prepare(const ClassContext& context);
  bool reads_domains(const PreparedClass& prepared) const;
  void tell(Live& live, const Change& change) const;
  bool tell_facts(const Live& live, const FactsChange& change, const Touched& shared) const;
  void make_room();

  const ClusterState* cluster_;
  const std::vector<FilterSlot>* filters_;
  const std::vector<ScoreSlot>* scores_;
  TieKeys tie_keys_;
  bool boards_;
  std::unordered_map<std::string, Live> live_;  // by signature
  std::uint64_t generation_ = 0;                // rises whenever something leaves live_
  std::unordered_map<const PodFacts*, Known> known_;
  std::unordered_set<std::size_t> seen_;  // hashes of signatures; a clash makes a class live early
  StaticAnswers static_answers_;
  PreparedClass single_;  // a class of one pod, for one evaluation
  ClusterState::Epoch epoch_;
  std::uint64_t static_epoch_;
  std::uint64_t clock_ = 0;
};

}  // namespace gedge
