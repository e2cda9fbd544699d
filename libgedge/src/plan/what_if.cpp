// plan/what_if.cpp - plan, edit, keep what stays valid, place the rest, compare.
#include <algorithm>
#include <map>

#include "gedge/policy/delay.hpp"
#include "plan/session.hpp"
#include "plan/what_if.hpp"

namespace gedge {
namespace {

using PodName = std::pair<std::string, std::string>;

// Where every pod is: bound ones where the facts say, decided ones where the plan says; "" for
// nowhere.
std::map<PodName, std::string> places(const Facts& facts, const Plan& plan) {
  std::map<PodName, std::string> all;
  for (const Pod& pod : facts.pods)
    if (!pod.is_finished()) all[{pod.namespace_name, pod.name}] = pod.bound_node;
  for (const Decision& decision : plan.decisions)
    all[{decision.namespace_name, decision.pod}] = decision.chosen ? decision.chosen->node : "";
  return all;
}

std::vector<Difference> compare(const std::map<PodName, std::string>& before,
                                const std::map<PodName, std::string>& after) {
  std::vector<Difference> all;
  const auto add = [&](const PodName& name, const std::string* was, const std::string* is) {
    const Outcome outcome = compare_places(was, is);
    if (outcome == Outcome::kSame) return;
    all.push_back(
        {outcome, name.first, name.second, was == nullptr ? "" : *was, is == nullptr ? "" : *is});
  };
  auto a = before.begin();
  auto b = after.begin();
  while (a != before.end() || b != after.end()) {
    if (b == after.end() || (a != before.end() && a->first < b->first)) {
      add(a->first, &a->second, nullptr);
      ++a;
    } else if (a == before.end() || b->first < a->first) {
      add(b->first, nullptr, &b->second);
      ++b;
    } else {
      add(a->first, &a->second, &b->second);
      ++a, ++b;
    }
  }
  return all;
}

// Binds the placements of `before` that hold in the edited cluster; says which.
std::vector<Decision> keep_valid(Session& session, const Plan& before) {
  std::map<PodName, const Decision*> placed;
  for (const Decision& decision : before.decisions)
    if (decision.chosen) placed[{decision.namespace_name, decision.pod}] = &decision;
  ClusterState& cluster = session.cluster();
  std::vector<Decision> kept;
  for (Group group = session.next(); !group.empty(); group = session.next()) {
    for (const PodIndex pod : group)
      if (group.size() > 1) cluster.set_joint_group(pod, raw(group.front()) + 1);
    for (const PodIndex pod : group) {
      const auto old = placed.find({cluster.pod(pod).namespace_name, cluster.pod(pod).name});
      if (old == placed.end()) continue;
      const auto node = cluster.find_node(old->second->chosen->node);
      if (node && session.engine_of(pod)->fits(pod, *node)) cluster.bind(pod, *node);
    }
    for (const PodIndex pod : group) cluster.set_joint_group(pod, 0);
    if (session.is_short(group))
      for (const PodIndex pod : group)
        if (cluster.is_placed(pod)) cluster.unbind(pod);
    for (const PodIndex pod : group) {
      if (!cluster.is_placed(pod)) continue;
      if (!budgets_hold(cluster, pod)) {
        cluster.unbind(pod);
        continue;
      }
      kept.push_back(*placed[{cluster.pod(pod).namespace_name, cluster.pod(pod).name}]);
      kept.back().runner_up.reset();  // what is known of the other nodes was true of other facts
      kept.back().rejected_by.clear();
    }
  }
  return kept;
}

Result<Plan> replace_rest(const PlanRequest& request, const Plan& before, std::size_t& kept) {
  auto session = Session::start(request);
  if (!session) return std::move(session).error();
  Plan plan = before;
  plan.decisions = keep_valid(**session, before);
  kept = plan.decisions.size();
  (*session)->collect();
  for (Group group = (*session)->next(); !group.empty(); group = (*session)->next())
    for (Decision& decision : (*session)->decide(group))
      plan.decisions.push_back(std::move(decision));
  (*session)->report_budgets(plan.decisions);
  plan.warnings = request.facts->warnings;
  for (Warning& warning : (*session)->warnings()) plan.warnings.push_back(std::move(warning));
  return plan;
}

bool moves(const Edit& edit) { return edit.kind == Edit::Kind::kMovePod; }

void warn_of_moves(const PlanRequest& request, const std::vector<Edit>& edits, Plan& plan) {
  if (std::none_of(edits.begin(), edits.end(), moves)) return;
  auto session = Session::start(request);
  if (!session) return;
  ClusterState& cluster = (*session)->cluster();
  for (const Decision& decision : plan.decisions)
    if (decision.chosen)
      cluster.bind(*cluster.find_pod(decision.namespace_name, decision.pod),
                   *cluster.find_node(decision.chosen->node));
  warn_of_moves(**session, edits, plan.warnings);
}

}  // namespace

Outcome compare_places(const std::string* before, const std::string* after) {
  const bool was = before != nullptr && !before->empty();
  if (after == nullptr) return was ? Outcome::kLost : Outcome::kSame;
  if (after->empty()) return was || before == nullptr ? Outcome::kUnschedulable : Outcome::kSame;
  if (!was) return Outcome::kPlaced;
  return *before == *after ? Outcome::kSame : Outcome::kMoved;
}

std::vector<Difference> differences(const Facts& facts_before, const Plan& before,
                                    const Facts& facts_after, const Plan& after) {
  return compare(places(facts_before, before), places(facts_after, after));
}

// Whoever moves a pod has said where it goes, and is told what that breaks.
void warn_of_moves(Session& session, const std::vector<Edit>& edits,
                   std::vector<Warning>& warnings) {
  ClusterState& cluster = session.cluster();
  for (const Edit& edit : edits) {
    if (!moves(edit)) continue;
    const auto pod = cluster.find_pod(edit.namespace_name, edit.name);
    if (!pod || !cluster.is_placed(*pod) || !session.engine_of(*pod)) continue;
    const NodeIndex node = cluster.node_of(*pod);
    const ClusterState::Mark mark = cluster.mark();
    cluster.unbind(*pod);
    std::string reasons;
    for (const Rejection& rejection : session.engine_of(*pod)->rejections(*pod, node))
      for (const std::string& text : reason_texts(rejection.evidence, cluster.compat()))
        reasons += (reasons.empty() ? "" : ", ") + text;
    cluster.undo(mark);
    session.follow();
    if (!reasons.empty())
      warnings.push_back({"MovedPod",
                          "pod " + edit.namespace_name + "/" + edit.name + " is on node " +
                              cluster.node(node).name + " against the rules: " + reasons,
                          {}});
  }
}

Result<EditedPlan> plan_edited(const PlanRequest& request, const Plan& before,
                               const std::vector<Edit>& edits, bool replan, const Facts* joined) {
  EditedPlan edited{joined != nullptr ? *joined : *request.facts, *request.rtt, {}, 0};
  GEDGE_TRY(apply_edits(edits, request.rtt_by, edited.facts, edited.rtt));
  PlanRequest again = request;
  again.facts = &edited.facts;
  again.rtt = &edited.rtt;
  auto plan = replan ? make_plan(again) : replace_rest(again, before, edited.kept);
  if (!plan) return std::move(plan).error();
  if (auto failure = request.modules == nullptr ? std::nullopt : request.modules->failure())
    return *std::move(failure);
  edited.plan = *std::move(plan);
  warn_of_moves(again, edits, edited.plan);
  return edited;
}

Result<WhatIf> what_if(const PlanRequest& request, const std::vector<Edit>& edits, bool replan,
                       const Facts* joined) {
  auto before = make_plan(request);
  if (!before) return std::move(before).error();
  auto edited = plan_edited(request, *before, edits, replan, joined);
  if (!edited) return std::move(edited).error();
  WhatIf result;
  result.differences = differences(*request.facts, *before, edited->facts, edited->plan);
  result.before = *std::move(before);
  result.after = std::move(edited->plan);
  return result;
}

}  // namespace gedge
