// plan/changes.cpp - the smallest set of edits, by iterative deepening.
//
// Depth 1 tries every edit that speaks to any objection of any node, smallest first. Deeper levels
// work on one node at a time: whatever else a solution does, one of its edits removes the first
// objection that is left, so the search branches only over edits that do (a minimum hitting set).
//
// Other pods react to an edit, too. So what was found is passed through a real plan before it is
// suggested; single edits that seem to do nothing are passed through one as well, as far as time
// allows; and where others take the room that an edit makes, more room is made.
#include "plan/changes.hpp"

#include <algorithm>
#include <functional>
#include <map>

#include "plan/candidates.hpp"
#include "plan/proof.hpp"
#include "plan/trial.hpp"
#include "plan/winning.hpp"

namespace gedge {
namespace {

// Bounds the work, in evaluations of one pod: an explanation should not take longer than the plan.
constexpr std::size_t kLeastTrials = 200, kMostTrials = 20'000;
constexpr std::size_t kRowsToTry = 20'000'000;
constexpr std::size_t kMaxDepth = 5;
// Candidates that are kept though fewer may be evaluated: as many as plans may be made of.
constexpr std::size_t kLeastCandidates = 1000;
// Candidates that are worked out before all the others.
constexpr std::size_t kFirstCandidates = 64;
// Sets that make a node feasible; with so many it is tried to make it win, too.
constexpr std::size_t kMostTargets = 3;

struct Size {
  std::size_t edits;
  std::int64_t ppm;
  std::vector<std::string> texts;
  friend auto operator<=>(const Size&, const Size&) = default;
};

Size size_of(const EditSet& set) {
  Size size{set.size(), 0, {}};
  for (const Candidate& c : set) {
    if (__builtin_add_overflow(size.ppm, c.size_ppm, &size.ppm)) size.ppm = kNoBound;
    size.texts.push_back(c.text);
  }
  std::sort(size.texts.begin(), size.texts.end());
  return size;
}

/// Edits after which the pod fits on `target`, as long as nobody else moves.
struct Found {
  EditSet set;
  NodeIndex target = kNoNode;
};

// Edits, and the nodes that each was thought of for.
using Offers = std::map<Candidate, std::vector<NodeIndex>>;

class Search {
 public:
  /// `evidence`: about the targets, in their order, as things are; null: it is asked for.
  Search(ClusterState& cluster, Engine& engine, PodIndex pod, std::vector<NodeIndex> targets,
         const std::vector<NodeExplanation>* evidence)
      : cluster_(cluster),
        engine_(engine),
        pod_(pod),
        targets_(std::move(targets)),
        evidence_(evidence),
        left_(std::clamp(kRowsToTry / (cluster.slots() + 1), kLeastTrials, kMostTrials)),
        most_(std::max(left_, kLeastCandidates)) {}

  /// Calls `is_enough` for each single edit after which the pod fits, smallest first, until it says
  /// so; whether it did. The cluster is as it was meanwhile.
  bool any_single(const std::function<bool(const Found&)>& is_enough);
  /// Sets of `depth` edits, smallest first. A set of several edits has none that does nothing.
  std::vector<Found> sets_of(std::size_t depth);
  /// All single edits that speak to an objection, smallest first. As many as may be tried.
  const Offers& candidates();
  bool spent() const { return left_ == 0; }

 private:
  Offers smallest(std::size_t most) const;
  void add_offers(std::size_t target, std::size_t most, Offers& all) const;
  std::vector<Found> singles();
  std::optional<Found> try_out(const Offers::value_type& offer);
  void deepen(NodeIndex target, std::size_t depth, EditSet& chosen, std::vector<Found>& found);
  Candidates for_first_objection(NodeIndex target);

  ClusterState& cluster_;
  Engine& engine_;
  PodIndex pod_;
  std::vector<NodeIndex> targets_;
  const std::vector<NodeExplanation>* evidence_;
  std::size_t left_;
  std::size_t most_;  // candidates that are kept
  std::optional<Offers> candidates_;
};

std::vector<Found> Search::sets_of(std::size_t depth) {
  if (depth == 1) return singles();
  std::vector<Found> found;
  for (const NodeIndex target : targets_) {
    if (spent()) break;
    EditSet chosen;
    deepen(target, depth, chosen, found);
  }
  std::stable_sort(found.begin(), found.end(),
                   [](const Found& a, const Found& b) { return size_of(a.set) < size_of(b.set); });
  return found;
}

// Adds what speaks to the objections of one target, as long as it is among the smallest.
void Search::add_offers(std::size_t target, std::size_t most, Offers& all) const {
  const NodeIndex node = targets_[target];
  const std::int64_t most_ppm = all.size() < most ? kNoBound : std::prev(all.end())->first.size_ppm;
  Candidates here;
  const auto add = [&](const Rejection& rejection) {
    add_candidates(cluster_, pod_, node, rejection, here, most_ppm);
  };
  if (evidence_ != nullptr)
    for (const Rejection& rejection : (*evidence_)[target].rejections) add(rejection);
  else
    for (const Rejection& rejection : engine_.rejections(pod_, node)) add(rejection);
  for (const Candidate& c : here) {
    if (all.size() == most && std::prev(all.end())->first < c) break;
    all[c].push_back(node);
    if (all.size() > most) all.erase(std::prev(all.end()));
  }
}

Offers Search::smallest(std::size_t most) const {
  Offers all;
  for (std::size_t target = 0; target < targets_.size(); ++target) add_offers(target, most, all);
  return all;
}

const Offers& Search::candidates() {
  if (!candidates_) candidates_ = smallest(most_);
  return *candidates_;
}

// The first target on which the pod fits after the edit.
std::optional<Found> Search::try_out(const Offers::value_type& offer) {
  --left_;
  Trial trial(cluster_, engine_);
  if (!trial.apply(offer.first.edit)) return std::nullopt;
  for (const NodeIndex target : offer.second)
    if (engine_.fits(pod_, target)) return Found{{offer.first}, target};
  return std::nullopt;
}

// Mostly one of the very smallest does, and the others need not be thought of.
bool Search::any_single(const std::function<bool(const Found&)>& is_enough) {
  const auto any_of = [&](Offers::const_iterator first, Offers::const_iterator last) {
    for (; first != last && !spent(); ++first)
      if (const auto found = try_out(*first); found && is_enough(*found)) return true;
    return false;
  };
  const Offers few = smallest(kFirstCandidates);
  if (any_of(few.begin(), few.end())) return true;
  const Offers& all = candidates();
  return any_of(std::next(all.begin(), static_cast<std::ptrdiff_t>(few.size())), all.end());
}

std::vector<Found> Search::singles() {
  std::vector<Found> found;
  any_single([&](const Found& one) {
    found.push_back(one);
    return false;
  });
  return found;
}

Candidates Search::for_first_objection(NodeIndex target) {
  Candidates all;
  const std::vector<Rejection> objections = engine_.rejections(pod_, target);
  if (!objections.empty()) add_candidates(cluster_, pod_, target, objections.front(), all);
  return all;
}

void Search::deepen(NodeIndex target, std::size_t depth, EditSet& chosen,
                    std::vector<Found>& found) {
  const std::size_t before = engine_.rejections(pod_, target).size();
  for (const Candidate& c : for_first_objection(target)) {
    if (spent()) return;
    const auto clashes = [&](const Candidate& other) { return same_subject(c.edit, other.edit); };
    if (std::any_of(chosen.begin(), chosen.end(), clashes)) continue;
    --left_;
    Trial trial(cluster_, engine_);
    if (!trial.apply(c.edit)) continue;
    chosen.push_back(c);
    const std::size_t left = engine_.rejections(pod_, target).size();
    if (left == 0)
      found.push_back({chosen, target});
    else if (left < before && depth > 1)
      deepen(target, depth - 1, chosen, found);
    chosen.pop_back();
  }
}

SuggestedChange suggestion(const EditSet& set, bool wins, const std::string& node, Shown shown) {
  SuggestedChange change{{}, wins, node, shown};
  for (const Candidate& c : set) change.edits.push_back(c.text);  // in the order that was tried
  return change;
}

std::vector<NodeIndex> all_nodes(const ClusterState& cluster) {
  std::vector<NodeIndex> nodes;
  for (std::uint32_t rank = 0; rank < cluster.slots(); ++rank)
    if (cluster.alive().test(cluster.by_rank(rank))) nodes.push_back(cluster.by_rank(rank));
  return nodes;
}

// The first of `found` that brings the pod to a place.
std::optional<EditSet> first_that_holds(Proof& proof, const std::vector<Found>& found) {
  for (const Found& f : found)
    if (proof.place_after(f.set, false)) return f.set;
  return std::nullopt;
}

std::optional<EditSet> first_candidate_that_holds(Proof& proof, Search& search) {
  for (const auto& [c, targets] : search.candidates()) {
    if (proof.spent()) break;
    if (proof.place_after({c}, false)) return EditSet{c};
  }
  return std::nullopt;
}

// More room may need more edits: the fewest.
std::optional<EditSet> least_with_room(Proof& proof, const std::vector<Found>& found) {
  std::optional<EditSet> least;
  for (const Found& f : found) {
    if (least && least->size() <= f.set.size()) break;
    const auto grown = proof.with_room(f.set, f.target);
    if (grown && (!least || grown->size() < least->size())) least = grown;
  }
  return least;
}

// Single edits and, where none holds, all that make the pod fit as long as nobody else moves.
std::optional<EditSet> first_single_that_holds(Search& search, Proof& proof,
                                               std::vector<Found>& found) {
  const bool holds = search.any_single([&](const Found& one) {
    found.push_back(one);
    return proof.place_after(one.set, false).has_value();
  });
  if (holds) return found.back().set;
  return first_candidate_that_holds(proof, search);
}

std::optional<EditSet> nearest_set(Search& search, Proof& proof) {
  for (std::size_t depth = 1; depth <= kMaxDepth && !search.spent() && !proof.spent(); ++depth) {
    std::vector<Found> found;
    std::optional<EditSet> set;
    if (depth == 1) {
      set = first_single_that_holds(search, proof, found);
    } else {
      found = search.sets_of(depth);
      set = first_that_holds(proof, found);
    }
    if (!set) set = least_with_room(proof, found);
    if (set) return set;
  }
  return std::nullopt;
}

// The smallest set after which the pod fits.
std::optional<Found> nearest_fit(Search& search) {
  std::optional<Found> first;
  const auto take = [&](const Found& found) {
    first = found;
    return true;
  };
  if (search.any_single(take)) return first;
  for (std::size_t depth = 2; depth <= kMaxDepth && !search.spent(); ++depth)
    if (const std::vector<Found> found = search.sets_of(depth); !found.empty())
      return found.front();
  return std::nullopt;
}

// How edits bring the pod to `node`; empty: they do not.
std::optional<Shown> shown_by(const Session& session, Proof& proof, const EditSet& set,
                              const std::string& node) {
  if (session.is_bound(proof.pod())) return Shown::kEvaluation;
  if (proof.place_after(set, false) == node) return Shown::kWhatIf;
  if (proof.place_after(set, true) == node) return Shown::kReplan;
  return std::nullopt;
}

// Adds what is to follow `set`, so that each fact is named once: amounts add up, else the last edit
// of a fact says what it becomes.
void follow_with(EditSet& set, const Candidate& more) {
  const auto earlier = std::find_if(
      set.begin(), set.end(), [&](const Candidate& c) { return same_subject(c.edit, more.edit); });
  if (earlier == set.end()) return set.push_back(more);
  Edit edit = more.edit;
  if (edit.kind == Edit::Kind::kAddResource) {
    edit = earlier->edit;
    if (__builtin_add_overflow(edit.amount, more.edit.amount, &edit.amount)) edit.amount = kNoBound;
  }
  *earlier = candidate(std::move(edit));
}

// Edits after `first` that let `node`, on which the pod fits then, win.
std::vector<SuggestedChange> changes_to_win(Session& session, Proof& proof, NodeIndex node,
                                            const EditSet& first) {
  const std::string& name = session.cluster().node(node).name;
  std::vector<EditSet> further;
  {
    Trial trial(session.cluster(), *session.engine_of(proof.pod()));
    for (const Candidate& c : first)
      if (!trial.apply(c.edit)) return {};
    further = winning_edits(session, proof.pod(), node);
  }
  for (const EditSet& more : further) {
    EditSet set = first;
    for (const Candidate& c : more) follow_with(set, c);
    if (const auto shown = shown_by(session, proof, set, name))
      return {suggestion(set, true, name, *shown)};
  }
  return {};
}

std::vector<SuggestedChange> changes_to_fit(Session& session, Proof& proof, Search& search) {
  if (session.is_bound(proof.pod())) {
    const auto found = nearest_fit(search);
    if (!found) return {};
    return {suggestion(found->set, false, session.cluster().node(found->target).name,
                       Shown::kEvaluation)};
  }
  const auto set = nearest_set(search, proof);
  if (!set) return {};
  const EditSet least = proof.shrink(*set);
  const std::string node = proof.place_after(least, false).value_or("");
  return {suggestion(least, false, node, Shown::kWhatIf)};
}

}  // namespace

std::vector<SuggestedChange> nearest_changes(Session& session, const PlanRequest& request,
                                             PodIndex pod, const Explanation& explanation,
                                             std::vector<Decision>* decided) {
  Proof proof(session, request, pod, decided);
  if (explanation.chosen) {
    if (!explanation.runner_up) return {};
    const auto runner_up = session.cluster().find_node(explanation.runner_up->node);
    return changes_to_win(session, proof, *runner_up, {});
  }
  // Later pods of the plan stay where they are in a what-if, so the search starts from the finished
  // plan.
  const ClusterState::Epoch turn = session.cluster().epoch();
  if (decided != nullptr && !proof.can_plan()) return {};
  for (Group group = session.next(); !group.empty(); group = session.next()) session.decide(group);
  const bool as_explained = session.cluster().epoch() == turn;
  Search search(session.cluster(), *session.engine_of(pod), pod, all_nodes(session.cluster()),
                as_explained ? &explanation.nodes : nullptr);
  return changes_to_fit(session, proof, search);
}

std::vector<SuggestedChange> changes_for_node(Session& session, const PlanRequest& request,
                                              PodIndex pod, NodeIndex node,
                                              const Explanation& explanation) {
  const std::string& name = session.cluster().node(node).name;
  if (explanation.chosen && explanation.chosen->node == name) return {};
  Proof proof(session, request, pod, nullptr);
  Engine& engine = *session.engine_of(pod);
  if (engine.fits(pod, node)) return changes_to_win(session, proof, node, {});
  Search search(session.cluster(), engine, pod, {node}, nullptr);
  std::optional<EditSet> fits;
  for (std::size_t depth = 1; depth <= kMaxDepth && !search.spent() && !proof.spent(); ++depth) {
    std::size_t tried = 0;
    for (const Found& found : search.sets_of(depth)) {
      if (!fits) fits = found.set;
      if (const auto shown = shown_by(session, proof, found.set, name))
        return {suggestion(found.set, true, name, *shown)};
      if (++tried > kMostTargets) break;
      auto more = changes_to_win(session, proof, node, found.set);
      if (!more.empty()) return more;
    }
    if (fits) break;
  }
  if (!fits) return {};
  return {suggestion(*fits, false, name, Shown::kEvaluation)};
}

}  // namespace gedge
