// plan/changes.cpp - the smallest set of edits, by iterative deepening.
//
// Depth 1 tries every edit that speaks to any objection of any node, smallest first. Deeper levels
// work on one node at a time: whatever else a solution does, one of its edits removes the first
// objection that is left, so the search branches only over edits that do (a minimum hitting set).
// What was found is passed through a real what-if before it is suggested, because other pods react,
// too.
#include "plan/changes.hpp"

#include <algorithm>

#include "plan/candidates.hpp"
#include "plan/trial.hpp"
#include "plan/winning.hpp"

namespace gedge {
namespace {

// Bounds the work, in evaluations of one pod: an explanation should not take longer than the plan.
constexpr std::size_t kMaxTrials = 20000;
constexpr std::size_t kMaxDepth = 5;
constexpr std::size_t kMaxChecks = 20;  // what-ifs

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

class Search {
 public:
  Search(Session& session, const PlanRequest& request, PodIndex pod)
      : session_(session), request_(request), pod_(pod), engine_(*session.engine_of(pod)) {}

  /// Sets that make the pod feasible on one of `targets`, smallest first; all of the least number
  /// of edits.
  std::vector<EditSet> feasible_on(const std::vector<NodeIndex>& targets);
  /// Where the pod is after planning the edited facts.
  std::optional<std::string> place_after(const EditSet& set, bool replan) const;
  /// True if it is on `node` after planning them anew; a bound pod is not planned, its evaluation
  /// has to do.
  bool holds(const EditSet& set, const std::string& node, bool replan) const {
    return !session_.cluster().pod(pod_).bound_node.empty() || place_after(set, replan) == node;
  }
  bool spent() const { return trials_ >= kMaxTrials; }

 private:
  ClusterState& cluster() { return session_.cluster(); }
  std::vector<EditSet> singles(const std::vector<NodeIndex>& targets);
  void deepen(NodeIndex target, std::size_t depth, EditSet& chosen, std::vector<EditSet>& found);
  Candidates for_first_objection(NodeIndex target);

  Session& session_;
  const PlanRequest& request_;
  PodIndex pod_;
  Engine& engine_;
  std::size_t trials_ = 0;
};

std::vector<EditSet> Search::feasible_on(const std::vector<NodeIndex>& targets) {
  std::vector<EditSet> found = singles(targets);
  for (std::size_t depth = 2; found.empty() && depth <= kMaxDepth && !spent(); ++depth) {
    for (const NodeIndex target : targets) {
      EditSet chosen;
      deepen(target, depth, chosen, found);
    }
  }
  std::sort(found.begin(), found.end(),
            [](const EditSet& a, const EditSet& b) { return size_of(a) < size_of(b); });
  return found;
}

std::vector<EditSet> Search::singles(const std::vector<NodeIndex>& targets) {
  Candidates all;
  for (const NodeIndex target : targets)
    for (const Rejection& rejection : engine_.rejections(pod_, target))
      add_candidates(cluster(), pod_, target, rejection, all);
  std::vector<EditSet> found;
  for (const Candidate& c : all) {
    if (spent()) break;
    ++trials_;
    Trial trial(cluster());
    if (!trial.apply(c.edit)) continue;
    const auto fits = [&](NodeIndex n) { return engine_.fits(pod_, n); };
    if (std::any_of(targets.begin(), targets.end(), fits)) found.push_back({c});
  }
  return found;
}

Candidates Search::for_first_objection(NodeIndex target) {
  Candidates all;
  const std::vector<Rejection> objections = engine_.rejections(pod_, target);
  if (!objections.empty()) add_candidates(cluster(), pod_, target, objections.front(), all);
  return all;
}

void Search::deepen(NodeIndex target, std::size_t depth, EditSet& chosen,
                    std::vector<EditSet>& found) {
  const std::size_t before = engine_.rejections(pod_, target).size();
  for (const Candidate& c : for_first_objection(target)) {
    if (spent()) return;
    const auto clashes = [&](const Candidate& other) { return same_subject(c.edit, other.edit); };
    if (std::any_of(chosen.begin(), chosen.end(), clashes)) continue;
    ++trials_;
    Trial trial(cluster());
    if (!trial.apply(c.edit)) continue;
    chosen.push_back(c);
    const std::size_t left = engine_.rejections(pod_, target).size();
    if (left == 0)
      found.push_back(chosen);
    else if (left < before && depth > 1)
      deepen(target, depth - 1, chosen, found);
    chosen.pop_back();
  }
}

std::optional<std::string> Search::place_after(const EditSet& set, bool replan) const {
  std::vector<Edit> edits;
  for (const Candidate& c : set) edits.push_back(c.edit);
  const auto result = what_if(request_, edits, replan);
  if (!result) return std::nullopt;
  const Pod& pod = session_.cluster().pod(pod_);
  for (const Decision& d : result->after.decisions)
    if (d.namespace_name == pod.namespace_name && d.pod == pod.name && d.chosen)
      return d.chosen->node;
  return std::nullopt;
}

// Leaves out every edit that the plan does without: other pods may react to the rest in the pod's
// favour.
EditSet shrink(const Search& search, EditSet set) {
  for (std::size_t i = 0; set.size() > 1 && i < set.size();) {
    EditSet fewer = set;
    fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(i));
    if (search.place_after(fewer, false)) {
      set = std::move(fewer);
      i = 0;
    } else {
      ++i;
    }
  }
  return set;
}

SuggestedChange suggestion(const EditSet& set, bool wins, const std::string& node) {
  return {size_of(set).texts, wins, node};
}

std::vector<NodeIndex> all_nodes(const ClusterState& cluster) {
  std::vector<NodeIndex> nodes;
  for (std::uint32_t rank = 0; rank < cluster.slots(); ++rank)
    if (cluster.alive().test(cluster.by_rank(rank))) nodes.push_back(cluster.by_rank(rank));
  return nodes;
}

}  // namespace

std::vector<SuggestedChange> nearest_changes(Session& session, const PlanRequest& request,
                                             PodIndex pod, const Explanation& explanation) {
  ClusterState& cluster = session.cluster();
  Search search(session, request, pod);
  if (explanation.chosen) {
    if (!explanation.runner_up) return {};
    const NodeIndex runner_up = *cluster.find_node(explanation.runner_up->node);
    for (const EditSet& set : winning_edits(session, pod, runner_up))
      if (search.holds(set, explanation.runner_up->node, true))
        return {suggestion(set, true, explanation.runner_up->node)};
    return {};
  }
  // Later pods of the plan stay where they are in a what-if, so the search starts from the finished
  // plan.
  while (const Group* group = session.next()) session.decide(*group);
  std::size_t checks = 0;
  for (const EditSet& set : search.feasible_on(all_nodes(cluster))) {
    if (++checks > kMaxChecks) break;
    if (!search.place_after(set, false)) continue;
    const EditSet least = shrink(search, set);
    return {suggestion(least, false, *search.place_after(least, false))};
  }
  return {};
}

std::vector<SuggestedChange> changes_for_node(Session& session, const PlanRequest& request,
                                              PodIndex pod, NodeIndex node,
                                              const Explanation& explanation) {
  const std::string& name = session.cluster().node(node).name;
  if (explanation.chosen && explanation.chosen->node == name) return {};
  Search search(session, request, pod);
  if (session.engine_of(pod)->fits(pod, node)) {
    for (const EditSet& set : winning_edits(session, pod, node))
      if (search.holds(set, name, true)) return {suggestion(set, true, name)};
    return {};
  }
  const std::vector<EditSet> found = search.feasible_on({node});
  if (found.empty()) return {};
  return {suggestion(found.front(), search.holds(found.front(), name, true), name)};
}

}  // namespace gedge
