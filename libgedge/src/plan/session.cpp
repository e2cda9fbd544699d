// plan/session.cpp - placing pods one by one, and cycles of delay budgets jointly.
#include "plan/session.hpp"

#include <algorithm>

#include "gedge/policy/delay.hpp"

namespace gedge {
namespace {

// Enough to undo any greedy mistake in small cycles; large ones fall back to placing what fits.
constexpr std::size_t kTrialsPerPod = 50;
constexpr std::size_t kExtraTrials = 1000;
constexpr std::size_t kBindsPerTrial = 20;

std::string full_name(const Pod& pod) { return pod.namespace_name + "/" + pod.name; }

/// Pods without a node that no scheduler would place.
struct LeftOut {
  std::size_t count = 0;
  const Pod* first = nullptr;

  void add(const Pod& pod) {
    if (count++ == 0) first = &pod;
  }
  /// `one` and `many`: what they do.
  void tell(const char* code, const std::string& one, const std::string& many, const Facts& facts,
            std::vector<Warning>& out) const {
    if (count == 0) return;
    const std::string name = full_name(*first);
    const std::string what = count == 1
                                 ? "pod " + name + " " + one
                                 : std::to_string(count) + " pods " + many + ", first " + name;
    out.push_back({code, what + "; not planned", facts.span(first->place)});
  }
};

bool any_spreads_ties(const PlanRequest& request) {
  return std::any_of(request.profiles.begin(), request.profiles.end(),
                     [](const Profile& profile) { return profile.spread_ties; });
}

bool any_has_budgets(const std::vector<PodSpec>& specs) {
  return std::any_of(specs.begin(), specs.end(),
                     [](const PodSpec& spec) { return !spec.budgets.empty(); });
}

}  // namespace

// Modules may ask for any label, and ties are spread by all of them.
Session::Session(const PlanRequest& request, bool grows)
    : request_(request),
      has_budgets_(any_has_budgets(request.facts->specs)),
      cluster_(*request.facts, *request.rtt,
               StateOptions{request.profiles.front().compat, request.rtt_by, grows,
                            request.modules == nullptr && !any_spreads_ties(request)}) {}

Result<std::unique_ptr<Session>> Session::start(const PlanRequest& request, bool grows) {
  std::unique_ptr<Session> session(new Session(request, grows));
  for (const Profile& profile : request.profiles) {
    auto engine = Engine::make(session->cluster_, profile, request.modules, request.seed);
    if (!engine) return std::move(engine).error();
    session->engines_.push_back(*std::move(engine));
  }
  session->collect();
  return session;
}

void Session::collect() {
  std::vector<PodIndex> wanted;
  LeftOut gated, ending;
  warnings_.clear();
  for (std::uint32_t i = 0; i < cluster_.pod_count(); ++i) {
    const PodIndex pod{i};
    const Pod& one = cluster_.pod(pod);
    if (!one.bound_node.empty() || one.phase != PodPhase::kPending || cluster_.is_placed(pod))
      continue;
    if (const PodSpec& spec = request_.facts->spec_of(one); !awaits_node(one, spec)) {
      (one.terminating ? ending : gated).add(one);
      continue;
    }
    if (engine_of(pod) == nullptr) {
      warnings_.push_back({"UnknownScheduler",
                           "pod " + full_name(one) + " asks for scheduler '" +
                               request_.facts->spec_of(one).scheduler_name +
                               "', which no profile serves; not planned",
                           request_.facts->span(one.place)});
      continue;
    }
    wanted.push_back(pod);
  }
  gated.tell("SchedulingGated", "waits for scheduling gates", "wait for scheduling gates",
             *request_.facts, warnings_);
  ending.tell("PodTerminating", "is being deleted", "are being deleted", *request_.facts,
              warnings_);
  collect(std::move(wanted));
}

void Session::collect(std::vector<PodIndex> wanted) {
  groups_ = PodGroups(cluster_);
  order_ = order_of(std::move(wanted), groups_);
  position_ = 0;
}

std::vector<PodIndex> Session::companions(std::vector<PodIndex> wanted) {
  const auto waits = [&](PodIndex pod) {
    const PodSpec& spec = *cluster_.pod_facts(pod).spec;
    return awaits_node(cluster_.pod(pod), spec) && spec.unread.empty() && engine_of(pod) != nullptr;
  };
  return bound_up_with(cluster_, std::move(wanted), waits, obeys_budgets());
}

std::function<bool(PodIndex)> Session::obeys_budgets() {
  std::vector<bool> obeys;  // by engine
  for (const Engine& engine : engines_) obeys.push_back(engine.has_filter("DelayBudget"));
  return [this, obeys = std::move(obeys)](PodIndex pod) {
    return obeys[static_cast<std::size_t>(engine_of(pod) - engines_.data())];
  };
}

PlacingOrder Session::order_of(std::vector<PodIndex> pods, const PodGroups& groups) {
  return placing_order(cluster_, std::move(pods), obeys_budgets(), groups);
}

Engine* Session::engine_of(PodIndex pod) {
  if (engines_.size() == 1) return &engines_.front();
  const std::string& name = request_.facts->spec_of(cluster_.pod(pod)).scheduler_name;
  for (Engine& engine : engines_)
    if (engine.profile().scheduler_name == name) return &engine;
  return nullptr;
}

std::vector<Decision> Session::decide(Group group) {
  std::vector<Decision> decisions;
  decide(group, decisions);
  return decisions;
}

void Session::decide(Group group, std::vector<Decision>& decisions) {
  if (is_in_pod_group(group)) return decide_pod_groups(group, decisions);
  if (group.size() == 1) {
    decisions.push_back(decide_one(group.front()));
    return;
  }
  for (Decision& decision : decide_jointly(group)) decisions.push_back(std::move(decision));
}

void Session::report_budgets(std::vector<Decision>& decisions) const {
  if (!has_budgets_) return;
  const std::vector<PodIndex> pods = pods_of(decisions);
  for (std::size_t i = 0; i < decisions.size(); ++i)
    if (pods[i] != kNoPod) decisions[i].budgets = budget_reports(cluster_, pods[i]);
}

// Mostly in the order of the groups, unless somebody left one out.
std::vector<PodIndex> Session::pods_of(const std::vector<Decision>& decisions) const {
  const std::vector<PodIndex>& order = order_.pods();
  const auto is = [&](PodIndex pod, const Decision& decision) {
    return cluster_.pod(pod).name == decision.pod &&
           cluster_.pod(pod).namespace_name == decision.namespace_name;
  };
  std::vector<PodIndex> pods;
  pods.reserve(decisions.size());
  for (std::size_t i = 0; i < decisions.size(); ++i) {
    const bool here = i < order.size() && is(order[i], decisions[i]);
    pods.push_back(
        here ? order[i]
             : cluster_.find_pod(decisions[i].namespace_name, decisions[i].pod).value_or(kNoPod));
  }
  return pods;
}

Decision Session::decision_from(PodIndex pod, const Choice& choice) {
  Decision decision;
  decision.namespace_name = cluster_.pod(pod).namespace_name;
  decision.pod = cluster_.pod(pod).name;
  decision.rejected_by = engine_of(pod)->rejected_by(choice.rejected);
  const auto scored = [&](NodeIndex n, std::int64_t total) {
    return ScoredNode{cluster_.node_name(n), total};
  };
  if (choice.winner != kNoNode) decision.chosen = scored(choice.winner, choice.winner_total);
  if (choice.runner_up != kNoNode)
    decision.runner_up = scored(choice.runner_up, choice.runner_up_total);
  return decision;
}

Decision Session::decision_from(PodIndex pod, const Evaluation& evaluation) {
  return decision_from(pod, to_choice(evaluation));
}

bool Session::spreads_ties() const {
  return std::any_of(engines_.begin(), engines_.end(),
                     [](const Engine& engine) { return engine.profile().spread_ties; });
}

void Session::follow() {
  for (Engine& engine : engines_) engine.follow();
}

Decision Session::decide_one(PodIndex pod) {
  const auto refused = refusals_.find(&cluster_.pod_facts(pod));
  const bool known = refused != refusals_.end() && refused->second.epoch == cluster_.epoch();
  if (known && request_.modules == nullptr) {
    Decision decision = refused->second.decision;
    decision.namespace_name = cluster_.pod(pod).namespace_name;
    decision.pod = cluster_.pod(pod).name;
    return decision;
  }
  Engine& engine = *engine_of(pod);
  const Choice& choice = engine.choose(pod);
  if (choice.winner == kNoNode) {
    Decision decision = decision_from(pod, choice);
    decision.message = engine.fit_error(pod);
    refusals_[&cluster_.pod_facts(pod)] = {cluster_.epoch(), decision};
    return decision;
  }
  // Names lie far from the processor.
  __builtin_prefetch(&cluster_.node_name(choice.winner).str());
  if (choice.runner_up != kNoNode) __builtin_prefetch(&cluster_.node_name(choice.runner_up).str());
  cluster_.bind(pod, choice.winner);
  return decision_from(pod, choice);
}

std::vector<Decision> Session::decide_jointly(Group group) {
  for (const PodIndex pod : group) cluster_.set_joint_group(pod, raw(group.front()) + 1);
  std::vector<Decision> decisions(group.size());
  trials_left_ = group.size() * kTrialsPerPod + kExtraTrials;
  binds_left_ = trials_left_ * kBindsPerTrial;
  const ClusterState::Mark start = cluster_.mark();
  if (!place_all(group, 0, decisions)) {
    cluster_.undo(start);
    place_what_fits(group, decisions);
  }
  for (const PodIndex pod : group) cluster_.set_joint_group(pod, 0);
  return decisions;
}

// Depth first through each pod's ranking, on a stack of our own: a workload whose replicas bound
// each other's delays may have thousands.
bool Session::place_all(Group group, std::size_t next, std::vector<Decision>& decisions) {
  struct Level {
    ClusterState::Mark mark = 0;
    Evaluation evaluation;
    std::vector<NodeIndex> candidates;
    std::size_t tried = 0;
  };
  // Budgets towards the nearest replica are open until everybody has a place.
  const auto settled = [&] {
    return next == group.size() && std::all_of(group.begin(), group.end(), [&](PodIndex p) {
             return budgets_hold(cluster_, p);
           });
  };
  std::vector<Level> levels;
  while (!settled()) {
    if (next == group.size()) {
      --next;
      cluster_.undo(levels.back().mark);
    }
    if (levels.size() == next) {
      if (trials_left_ == 0) return false;
      --trials_left_;
      Level level{cluster_.mark(), engine_of(group[next])->evaluate(group[next]), {}, 0};
      if (level.evaluation.winner != kNoNode)
        level.candidates = engine_of(group[next])->ranking(group[next], level.evaluation);
      levels.push_back(std::move(level));
    }
    Level& level = levels.back();
    if (level.tried == level.candidates.size()) {
      levels.pop_back();
      if (next == 0) return false;
      --next;
      cluster_.undo(levels.back().mark);
      continue;
    }
    if (binds_left_ == 0) return false;
    --binds_left_;
    const NodeIndex node = level.candidates[level.tried++];
    decisions[next] = decision_from(group[next], level.evaluation);
    decisions[next].chosen =
        ScoredNode{cluster_.node(node).name, level.evaluation.totals[raw(node)]};
    if (node != level.candidates.front())
      decisions[next].runner_up =
          ScoredNode{cluster_.node(level.candidates.front()).name,
                     level.evaluation.totals[raw(level.candidates.front())]};
    cluster_.bind(group[next], node);
    ++next;
  }
  return true;
}

// No joint solution was found: place what fits, drop whoever's budgets do not hold then, and begin
// again without them, until all budgets of those that are left hold. Beginning again matters: what
// was dropped may have carried the spread or the affinity of the others.
void Session::place_what_fits(Group group, std::vector<Decision>& decisions) {
  const ClusterState::Mark start = cluster_.mark();
  std::vector<bool> dropped(group.size(), false);
  for (bool stable = false; !stable;) {
    stable = true;
    cluster_.undo(start);
    for (std::size_t i = 0; i < group.size(); ++i) {
      if (dropped[i]) continue;
      const Evaluation evaluation = engine_of(group[i])->evaluate(group[i]);
      decisions[i] = decision_from(group[i], evaluation);
      if (evaluation.winner != kNoNode) cluster_.bind(group[i], evaluation.winner);
    }
    for (std::size_t i = 0; i < group.size(); ++i) {
      if (dropped[i] || !cluster_.is_placed(group[i]) || budgets_hold(cluster_, group[i])) continue;
      dropped[i] = true;
      cluster_.set_joint_group(group[i], 0);
      stable = false;
    }
  }
  for (const PodIndex pod : group) cluster_.set_joint_group(pod, 0);
  std::string names;
  for (std::size_t i = 0; i < group.size(); ++i) {
    if (i < 3) names += (i == 0 ? "" : ", ") + full_name(cluster_.pod(group[i]));
    if (cluster_.is_placed(group[i])) continue;
    Engine& engine = *engine_of(group[i]);
    const Evaluation evaluation = engine.evaluate(group[i]);
    decisions[i] = decision_from(group[i], evaluation);
    decisions[i].chosen.reset();
    decisions[i].runner_up.reset();
    decisions[i].message = engine.fit_error(group[i]);
  }
  if (group.size() > 3) names += " and " + std::to_string(group.size() - 3) + " more";
  warnings_.push_back({"BudgetCycle",
                       "the delay budgets of " + names +
                           " depend on each other and cannot all be met; placed what fits",
                       request_.facts->span(cluster_.pod(group.front()).place)});
}

}  // namespace gedge
