// plan/classes.hpp - policies prepared once per class of equal pods, and kept true while the
// cluster changes.
//
// A class is everything with the same signature. It stays live from the second time on that it is
// seen, or that anything is seen with which it shares a board; without boards, from the first time
// on. A pod like no other so far, of which all that it has for itself is found at once, makes no
// class: it goes to the board of those that share the rest. Live classes follow the journal: one
// bind or unbind is told to the boards and to the classes that listen to anything the pod says, one
// change of facts to all of them, and those whose policies cannot follow it are void; several
// changes at once void all, which costs time and never an answer.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "plan/board.hpp"
#include "plan/seen_hashes.hpp"
#include "plan/slots.hpp"
#include "plan/text_hash.hpp"

namespace gedge {

class ClassCache {
 public:
  /// Tie keys of all rows for a class: [slots].
  using TieKeys = std::function<std::vector<std::uint64_t>(std::string_view signature)>;

  /// `tie_keys`: null where names decide ties. `boards`: whether classes may have boards at all.
  ClassCache(const ClusterState& cluster, const std::vector<FilterSlot>& filters,
             const std::vector<ScoreSlot>& scores, TieKeys tie_keys, bool boards);

  /// Makes everything true to the cluster as it is now. After each single change that is cheap.
  void follow();
  /// The class of `pod`, true to the cluster as it is now; lives until the next call.
  PreparedClass& get(PodIndex pod);
  /// The same after choose() gave nothing: a class that is seen for the first time stays unknown.
  PreparedClass& once(PodIndex pod);
  /// What the board of the pod's class says. False: the class has none (yet), `choice` is as it
  /// was.
  bool choose(PodIndex pod, Choice& choice);

  /// The signature under which this pod was last seen; empty if it has none, and perhaps where
  /// names decide ties.
  std::string_view signature(PodIndex pod) const {
    const Known* found = find(pod);
    return found != nullptr ? std::string_view(found->signature) : std::string_view{};
  }

 private:
  struct Boarded {
    std::unique_ptr<Board> board;
    std::uint64_t last_used = 0;
  };
  struct Live {
    PreparedClass prepared;
    Boarded* shared = nullptr;  // null: no board, everything is the class's own
    AskedPolicies beside;       // the board: filters that bar, scores that are the same everywhere
    std::vector<Topic> topics;
    Touched touched;  // of policies beside the board: nobody reads it
    std::uint64_t last_used = 0;
    ClusterState::Epoch told = 0;
  };
  struct Known {
    bool is_unique = false;  // some policy signs nothing: no other pod is equal
    std::string signature;   // "" where it is unknown; kept for pods that come again, and for ties
    std::size_t shared = 0;  // length of it: what the board's policies read of the pod
    Live* live = nullptr;    // as of `generation`
    std::uint64_t generation = 0;
  };
  // Which policies stand beside the board of a class.
  struct Split;
  // The board of the last class that was barred at once, and what its policies read of the pod.
  struct AtOnce {
    std::string shared;
    bool is_known = false;
    Boarded* board = nullptr;    // null: what these policies say suits none
    std::vector<NodeMask> kept;  // [filters that bar]
  };

  Live* live(PodIndex pod);
  Live* live(PodIndex pod, Known& known, bool comes_again);
  Boarded* board_at_once(const ClassContext& context);
  Boarded* shared_board(const ClassContext& context);
  bool sign_shared(const PodFacts& pod);
  std::vector<const Policy*> signers(const AskedPolicies& policies) const;
  Live* use(Live& live);
  bool is_passed_over(bool comes_again);
  // Whether a pod with these facts was asked about before; it is, from now on.
  bool note_asked(const PodFacts& facts);
  const Known* find(PodIndex pod) const {
    const std::uint32_t index = cluster_->pod_facts(pod).index;
    return index < known_.size() ? known_[index].get() : nullptr;
  }
  Known& known(const PodFacts& facts);
  std::string_view sign(const PodFacts& pod, Known& known);
  PreparedClass& single(PodIndex pod);
  Live* make_live(const Known& known, std::string_view signature, const ClassContext& context);
  Live unshared(const ClassContext& context);
  Live* enter(std::string_view signature, Live made, const ClassContext& context);
  Split split(const ClassContext& context, Live& live);
  Boarded* board_for(std::string_view signature, std::string_view shared, const Split& split,
                     const ClassContext& context, bool is_new);
  bool is_true(const Live& live) const;
  void forget(const Live& live);
  std::size_t bytes_of(const Live& live) const;
  template <typename F>
  void drop(F&& is_meant);
  void follow_pod(const Change& change);
  void follow_facts(const Change& change);
  bool follows(const PreparedClass& prepared, const AskedPolicies& asked, const FactsChange& change,
               Touched& touched) const;
  void forget_all();
  void prepare(const ClassContext& context, PreparedClass& prepared);
  void prepare_filter(std::size_t i, const ClassContext& context, PreparedClass& prepared);
  void prepare_score(std::size_t i, const ClassContext& context, PreparedClass& prepared);
  void make_room_for_board();
  void make_room();

  const ClusterState* cluster_;
  const std::vector<FilterSlot>* filters_;
  const std::vector<ScoreSlot>* scores_;
  TieKeys tie_keys_;
  bool has_boards_;
  AskedPolicies shared_, own_policies_;  // those that every board asks; those that bar, or score
                                         // by domains
  std::vector<const Policy*> shared_signers_, own_signers_;  // the same, filters first
  std::unordered_map<std::string, Live, TextHash, std::equal_to<>> live_;  // by signature
  std::size_t live_bytes_ = 0;                                             // of all of them, about
  std::unordered_map<std::string, Boarded, TextHash, std::equal_to<>> boards_;  // by what is read
  std::unordered_map<Topic, std::vector<Live*>> listeners_;
  std::uint64_t generation_ = 1;               // rises whenever something leaves live_
  std::vector<bool> was_asked_;                // by index of the facts
  std::vector<std::unique_ptr<Known>> known_;  // by index of the facts; null: nothing yet
  SeenHashes seen_;                            // of signatures; a clash makes a class live early
  std::uint32_t strangers_ = 0;    // classes in a row that share nothing with any before
  std::uint32_t passed_over_ = 0;  // pods
  Signature signed_, own_;         // for sign(), kept for their memory
  StaticAnswers static_answers_;
  PreparedClass single_;  // a class of one pod, for one evaluation
  std::vector<Exclusion> exclusions_;
  AtOnce at_once_;
  ClusterState::Epoch epoch_;
  std::uint64_t static_epoch_;
  std::uint64_t clock_ = 0;
};

}  // namespace gedge
