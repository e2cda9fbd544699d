// plan/planner.cpp - the runs that users ask for: a plan of everything, the evidence about one pod.
#include "gedge/plan/planner.hpp"

#include <algorithm>

#include "gedge/base/nearest.hpp"
#include "gedge/policy/delay.hpp"
#include "plan/changes.hpp"
#include "plan/run_plan.hpp"
#include "plan/session.hpp"

namespace gedge {
namespace {

// Policies cannot return errors: theirs are asked for.
Status check_modules(const PlanRequest& request) {
  auto failure = request.modules == nullptr ? std::nullopt : request.modules->failure();
  if (failure) return *std::move(failure);
  return {};
}

Plan start_plan(const PlanRequest& request) {
  Plan plan;
  for (const Profile& profile : request.profiles)
    plan.profile += (plan.profile.empty() ? "" : ",") + profile.name;
  plan.compat = request.profiles.front().compat;
  plan.seed = request.seed;
  plan.warnings = request.facts->warnings;
  plan.skipped = request.facts->skipped;
  return plan;
}

bool contains(Group group, PodIndex pod) {
  return std::find(group.begin(), group.end(), pod) != group.end();
}

}  // namespace

Status check_request(const PlanRequest& request) {
  if (request.facts == nullptr || request.rtt == nullptr || request.profiles.empty())
    return Error{Errc::kInternal, "a plan needs facts, a matrix and a profile", {}, {}};
  return {};
}

Result<Plan> run_plan(Session& session, const PlanRequest& request, std::vector<Decision> decided) {
  Plan plan = start_plan(request);
  plan.decisions = std::move(decided);
  const std::size_t total = session.order().pods().size();
  plan.decisions.reserve(total);
  for (Group group = session.next(); !group.empty(); group = session.next()) {
    if (request.progress && !request.progress(plan.decisions.size(), total))
      return Error{Errc::kConflict, "interrupted", {}, {}};
    session.decide(group, plan.decisions);
    GEDGE_TRY(check_modules(request));
  }
  session.report_budgets(plan.decisions);
  for (const Warning& warning : session.warnings()) plan.warnings.push_back(warning);
  return plan;
}

Result<Plan> make_plan(const PlanRequest& request) {
  GEDGE_TRY(check_request(request));
  auto session = Session::start(request);
  if (!session) return std::move(session).error();
  return run_plan(**session, request);
}

namespace {

struct Turn {
  RttMatrix rtt;
  PlanRequest request;
  std::unique_ptr<Session> session;
  PodIndex pod{};
  std::vector<Decision> decided;  // before it
  bool is_of_plan = false;        // nothing but a plan up to here has happened to the session
};

// Runs the plan up to the pod's turn and leaves it unplaced; a bound pod is taken off its node.
Status bring_to_turn(Turn& turn, std::string_view namespace_name, std::string_view pod) {
  ClusterState& cluster = turn.session->cluster();
  const auto found = cluster.find_pod(namespace_name, pod);
  if (!found)
    return Error{Errc::kNotFound,
                 "there is no pod '" + std::string(pod) + "' in namespace '" +
                     std::string(namespace_name) + "'",
                 {},
                 {}};
  turn.pod = *found;
  if (cluster.is_placed(*found)) {
    cluster.unbind(*found);
    return {};
  }
  for (Group group = turn.session->next(); !group.empty(); group = turn.session->next()) {
    const bool here = contains(group, *found);
    turn.is_of_plan = here && group.size() == 1;
    if (turn.is_of_plan) return {};
    turn.session->decide(group, turn.decided);
    if (!here) continue;
    if (cluster.is_placed(*found)) cluster.unbind(*found);
    return {};
  }
  return Error{Errc::kNotFound,
               "pod '" + std::string(pod) + "' is neither bound to a node nor waiting for one",
               {},
               {}};
}

// The evidence about an unplaced pod as things are, without changes.
Explanation explain_here(Session& session, PodIndex pod) {
  Engine& engine = *session.engine_of(pod);
  const Evaluation evaluation = engine.evaluate(pod);
  Explanation explanation;
  explanation.namespace_name = session.cluster().pod(pod).namespace_name;
  explanation.pod = session.cluster().pod(pod).name;
  explanation.rejected_by = engine.rejected_by(evaluation.rejected);
  explanation.nodes = engine.explain(pod);
  const auto scored = [&](NodeIndex n) {
    return ScoredNode{session.cluster().node(n).name, evaluation.totals[raw(n)]};
  };
  if (evaluation.runner_up != kNoNode) explanation.runner_up = scored(evaluation.runner_up);
  if (evaluation.winner == kNoNode) {
    explanation.message = engine.fit_error(pod);
    explanation.budgets = budget_reports(session.cluster(), pod);
    return explanation;
  }
  explanation.chosen = scored(evaluation.winner);
  const ClusterState::Mark mark = session.cluster().mark();
  session.cluster().bind(pod, evaluation.winner);
  explanation.budgets = budget_reports(session.cluster(), pod);
  session.cluster().undo(mark);
  return explanation;
}

// Suggested RTT edits may name nodes that nobody measured: then the matrix gets their names,
// unmeasured.
constexpr std::size_t kMaxNamesToAdd = 2000;

bool may_need_names(const PlanRequest& request) {
  const auto has_budgets = [](const PodSpec& spec) { return !spec.budgets.empty(); };
  const Facts& facts = *request.facts;
  return facts.nodes.size() <= kMaxNamesToAdd &&
         std::any_of(facts.specs.begin(), facts.specs.end(), has_budgets);
}

RttMatrix with_all_names(const PlanRequest& request) {
  std::vector<std::string> names;
  for (const Node& node : request.facts->nodes) {
    const std::string* name =
        request.rtt_by.empty() ? &node.name.str() : node.labels.find(request.rtt_by);
    if (name != nullptr) names.push_back(*name);
  }
  RttMatrix rtt = *request.rtt;
  rtt.merge(RttMatrix(std::move(names)));
  return rtt;
}

// The run up to the pod's turn. On the heap: the session refers to the request, the request to the
// matrix.
Result<std::unique_ptr<Turn>> turn_of(const PlanRequest& request, std::string_view namespace_name,
                                      std::string_view pod, bool with_changes) {
  GEDGE_TRY(check_request(request));
  auto turn = std::make_unique<Turn>();
  turn->request = request;
  if (with_changes && may_need_names(request)) {
    turn->rtt = with_all_names(request);
    turn->request.rtt = &turn->rtt;
  }
  auto session = Session::start(turn->request);
  if (!session) return std::move(session).error();
  turn->session = *std::move(session);
  GEDGE_TRY(bring_to_turn(*turn, namespace_name, pod));
  if (turn->session->engine_of(turn->pod) == nullptr)
    return Error{Errc::kNotFound,
                 "no profile serves the scheduler of pod '" + std::string(pod) + "'",
                 {},
                 "name a file with a profile for it: `--profile FILE`"};
  return turn;
}

Error no_such_node(const Facts& facts, std::string_view node) {
  Error error{Errc::kNotFound, "there is no node '" + std::string(node) + "'", {}, {}};
  std::vector<std::string> names;
  for (const Node& known : facts.nodes) names.push_back(known.name);
  if (const auto meant = nearest(node, names))
    error.hint = "did you mean `" + *meant + "`?";
  else if (!names.empty())
    error.hint = "name one like `" + *std::min_element(names.begin(), names.end()) + "`";
  return error;
}

}  // namespace

Result<Explanation> explain(const PlanRequest& request, std::string_view namespace_name,
                            std::string_view pod, bool with_changes) {
  const auto turn = turn_of(request, namespace_name, pod, with_changes);
  if (!turn) return turn.error();
  Session& session = *(*turn)->session;
  Explanation explanation = explain_here(session, (*turn)->pod);
  // A module may answer differently the next time.
  const bool goes_on = (*turn)->is_of_plan && request.modules == nullptr;
  if (with_changes)
    explanation.changes = nearest_changes(session, (*turn)->request, (*turn)->pod, explanation,
                                          goes_on ? &(*turn)->decided : nullptr);
  GEDGE_TRY(check_modules(request));
  return explanation;
}

Result<Explanation> why_not(const PlanRequest& request, std::string_view namespace_name,
                            std::string_view pod, std::string_view node) {
  const auto turn = turn_of(request, namespace_name, pod, true);
  if (!turn) return turn.error();
  Session& session = *(*turn)->session;
  const auto target = session.cluster().find_node(node);
  if (!target) return no_such_node(*request.facts, node);
  Explanation explanation = explain_here(session, (*turn)->pod);
  explanation.changes =
      changes_for_node(session, (*turn)->request, (*turn)->pod, *target, explanation);
  GEDGE_TRY(check_modules(request));
  return explanation;
}

}  // namespace gedge
