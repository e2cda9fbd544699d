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

class Search {
 public:
  Search(ClusterState& cluster, Engine& engine, PodIndex pod, std::vector<NodeIndex> targets)
      : cluster_(cluster),
        engine_(engine),
        pod_(pod),
        targets_(std::move(targets)),
        left_(std::clamp(kRowsToTry / (cluster.slots() + 1), kLeastTrials, kMostTrials)) {}

  /// Sets of `depth` edits, smallest first. A set of several edits has none that does nothing.
  std::vector<Found> sets_of(std::size_t depth);
  /// All single edits that speak to an objection, smallest first, and the nodes that they were
  /// thought of for. As many as may be tried.
  const std::map<Candidate, std::vector<NodeIndex>>& candidates();
  bool spent() const { return left_ == 0; }

 private:
  std::vector<Found> singles();
  void deepen(NodeIndex target, std::size_t depth, EditSet& chosen, std::vector<Found>& found);
  Candidates for_first_objection(NodeIndex target);

  ClusterState& cluster_;
  Engine& engine_;
  PodIndex pod_;
  std::vector<NodeIndex> targets_;
  std::size_t left_;
  std::optional<std::map<Candidate, std::vector<NodeIndex>>> candidates_;
};

std::vector<Found> Search::sets_of(std::size_t depth) {
  std::vector<Found> found;
  if (depth == 1) found = singles();
  for (const NodeIndex target : targets_) {
    if (depth == 1 || spent()) break;
    EditSet chosen;
    deepen(target, depth, chosen, found);
  }
  std::stable_sort(found.begin(), found.end(),
                   [](const Found& a, const Found& b) { return size_of(a.set) < size_of(b.set); });
  return found;
}

const std::map<Candidate, std::vector<NodeIndex>>& Search::candidates() {
  if (candidates_) return *candidates_;
  const std::size_t most = std::max(left_, kLeastCandidates);
  auto& all = candidates_.emplace();
  for (const NodeIndex target : targets_) {
    Candidates here;
    for (const Rejection& rejection : engine_.rejections(pod_, target))
      add_candidates(cluster_, pod_, target, rejection, here);
    for (const Candidate& c : here) {
      if (all.size() == most && std::prev(all.end())->first < c) break;
      all[c].push_back(target);
      if (all.size() > most) all.erase(std::prev(all.end()));
    }
  }
  return all;
}

std::vector<Found> Search::singles() {
  std::vector<Found> found;
  for (const auto& [c, targets] : candidates()) {
    if (spent()) break;
    --left_;
    Trial trial(cluster_, engine_);
    if (!trial.apply(c.edit)) continue;
    const auto fits = [&](NodeIndex n) { return engine_.fits(pod_, n); };
    const auto target = std::find_if(targets.begin(), targets.end(), fits);
    if (target != targets.end()) found.push_back({{c}, *target});
  }
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
  return {size_of(set).texts, wins, node, shown};
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

std::optional<EditSet> nearest_set(Search& search, Proof& proof) {
  for (std::size_t depth = 1; depth <= kMaxDepth && !search.spent() && !proof.spent(); ++depth) {
    const std::vector<Found> found = search.sets_of(depth);
    auto set = first_that_holds(proof, found);
    if (!set && depth == 1) set = first_candidate_that_holds(proof, search);
    if (!set) set = least_with_room(proof, found);
    if (set) return set;
  }
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
    set.insert(set.end(), more.begin(), more.end());
    if (const auto shown = shown_by(session, proof, set, name))
      return {suggestion(set, true, name, *shown)};
  }
  return {};
}

std::vector<SuggestedChange> changes_to_fit(Session& session, Proof& proof, PodIndex pod) {
  Search search(session.cluster(), *session.engine_of(pod), pod, all_nodes(session.cluster()));
  if (session.is_bound(pod)) {
    for (std::size_t depth = 1; depth <= kMaxDepth && !search.spent(); ++depth)
      for (const Found& found : search.sets_of(depth))
        return {suggestion(found.set, false, session.cluster().node(found.target).name,
                           Shown::kEvaluation)};
    return {};
  }
  const auto set = nearest_set(search, proof);
  if (!set) return {};
  const EditSet least = proof.shrink(*set);
  const std::string node = proof.place_after(least, false).value_or("");
  return {suggestion(least, false, node, Shown::kWhatIf)};
}

}  // namespace

std::vector<SuggestedChange> nearest_changes(Session& session, const PlanRequest& request,
                                             PodIndex pod, const Explanation& explanation) {
  Proof proof(session, request, pod);
  if (explanation.chosen) {
    if (!explanation.runner_up) return {};
    const auto runner_up = session.cluster().find_node(explanation.runner_up->node);
    return changes_to_win(session, proof, *runner_up, {});
  }
  // Later pods of the plan stay where they are in a what-if, so the search starts from the finished
  // plan.
  while (const Group* group = session.next()) session.decide(*group);
  return changes_to_fit(session, proof, pod);
}

std::vector<SuggestedChange> changes_for_node(Session& session, const PlanRequest& request,
                                              PodIndex pod, NodeIndex node,
                                              const Explanation& explanation) {
  const std::string& name = session.cluster().node(node).name;
  if (explanation.chosen && explanation.chosen->node == name) return {};
  Proof proof(session, request, pod);
  Engine& engine = *session.engine_of(pod);
  if (engine.fits(pod, node)) return changes_to_win(session, proof, node, {});
  Search search(session.cluster(), engine, pod, {node});
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
