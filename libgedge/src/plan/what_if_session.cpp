// plan/what_if_session.cpp - which placements an edit can make invalid, and who is placed anew.
//
// A plan places pods one by one, and a what-if judges them again in that order, each against those
// before it. What a filter says of a placement depends on the node's facts and pods, and, where the
// profile's rules reach further, on other nodes and pods. So as long as no rule that reaches
// further reads what an edit changed, a node whose facts and pods are as before keeps all its pods,
// by induction over their order, and only pods of the other nodes are judged. Where such a rule may
// read it, everything is judged by plan_edited().
#include "gedge/plan/what_if_session.hpp"

#include <algorithm>
#include <optional>
#include <set>
#include <unordered_map>

#include "gedge/policy/delay.hpp"
#include "plan/edit_node.hpp"
#include "plan/edit_player.hpp"
#include "plan/history.hpp"
#include "plan/run_plan.hpp"
#include "plan/what_if.hpp"

namespace gedge {
namespace {

// More pods that are placed anew take long enough for the progress that a plan reports.
constexpr std::size_t kMostReplanned = 10'000;

// What the rules of a site look at beyond the node in question.
struct Reach {
  bool everywhere = false;            // unknown, or by a history that cannot be taken back
  bool any_pod = false;               // rules that a profile gives to whole services
  std::vector<const PodSpec*> rules;  // specs with rules about other pods
  std::uint8_t parts = 0;             // of the facts, any of FactPart
};

bool is_hard(const TopologySpread& constraint) { return constraint.hard; }

void add_reach(const PodSpec& spec, Reach& reach) {
  const bool spreads = std::any_of(spec.spread.begin(), spec.spread.end(), is_hard);
  const bool pairs = !spec.required_affinity.empty() || !spec.required_anti_affinity.empty();
  if (uses_claims(spec) || asks_for_cards(spec)) reach.everywhere = true;
  if (!spec.budgets.empty()) reach.parts |= kLabelPart | kPresencePart | kRttPart;
  if (pairs) reach.parts |= kLabelPart | kPresencePart;
  if (spreads) reach.parts |= kLabelPart | kTaintPart | kPresencePart;
  if (pairs || spreads) reach.rules.push_back(&spec);
}

void add_reach(const Profile& profile, Reach& reach) {
  for (const ProfileEntry& entry : profile.filters) {
    const std::vector<TopologySpread>& defaults = entry.args.default_spread;
    if (!std::any_of(defaults.begin(), defaults.end(), is_hard)) continue;
    reach.parts |= kLabelPart | kTaintPart | kPresencePart;
    reach.any_pod = true;
  }
}

// True if the rules of `spec` may count a pod. Namespaces and matchLabelKeys only narrow that.
bool may_count(const PodSpec& spec, const PodFacts& pod) {
  const auto matches = [&](const auto& rule) { return rule.selector.matches(pod.labels()); };
  return std::any_of(spec.required_affinity.begin(), spec.required_affinity.end(), matches) ||
         std::any_of(spec.required_anti_affinity.begin(), spec.required_anti_affinity.end(),
                     matches) ||
         std::any_of(spec.spread.begin(), spec.spread.end(), matches);
}

// True if a rule of another pod may read where this one is, or this one's rules what others are.
bool is_looked_at(const Reach& reach, const PodFacts& pod) {
  return reach.any_pod ||
         std::any_of(reach.rules.begin(), reach.rules.end(), [&](const PodSpec* spec) {
           return spec == pod.spec || may_count(*spec, pod);
         });
}

Reach reach_of(const PlanRequest& request, const ClusterState& cluster) {
  Reach reach;
  reach.everywhere = request.modules != nullptr || !request.facts->pod_groups.empty();
  for (const PodSpec& spec : request.facts->specs) add_reach(spec, reach);
  for (const Profile& profile : request.profiles) add_reach(profile, reach);
  // Pods that budgets name are placed before those that name them, and in cycles jointly.
  for (std::uint32_t i = 0; i < cluster.pod_count() && !reach.everywhere; ++i) {
    const PodFacts& pod = cluster.pod_facts(PodIndex{i});
    reach.everywhere = !pod.peer_name.empty() || !pod.peer_workload.empty();
  }
  return reach;
}

}  // namespace

class WhatIfSession::Parts {
 public:
  explicit Parts(PlanRequest asked) : request(std::move(asked)) {}

  Status begin();
  void begin(Session& planned, Plan plan);
  std::optional<WhatIfAnswer> follow(const std::vector<Edit>& edits, bool replan, Plan* after);
  Result<EditedPlan> plan_whole(const std::vector<Edit>& edits, bool replan, const Facts* joined) {
    return plan_edited(request, before, edits, replan, joined);
  }

  PlanRequest request;
  Session* session = nullptr;
  Plan before;

 private:
  using Pods = std::vector<PodIndex>;
  void sort(Pods& pods) const;
  bool stays(PodIndex pod, NodeIndex node);
  Pods judge(const EditPlayer& player);
  bool is_any_looked_at(const Pods& pods) const;
  void lift_planned();
  Pods waiting(const EditPlayer& player, const Pods& dropped, const Pods& others) const;
  std::string place_before(PodIndex pod) const;
  std::vector<Difference> compare(const EditPlayer& player, Pods changed) const;
  void fill(const EditPlayer& player, const Pods& placed_anew, const WhatIfAnswer& answer,
            Plan& after);

  std::unique_ptr<Session> own_session_;
  Reach reach_;
  Pods pending_, unplaced_;  // all that were to be placed, and those left; in queue order
  Pods tied_;                // to be placed, and deleted with the node that they were made for
  std::unordered_map<std::uint32_t, std::size_t> of_;  // by pod: its decision; only looked up
};

Status WhatIfSession::Parts::begin() {
  GEDGE_TRY(check_request(request));
  auto started = Session::start(request);
  if (!started) return std::move(started).error();
  own_session_ = *std::move(started);
  auto plan = run_plan(*own_session_, request);
  if (!plan) return std::move(plan).error();
  begin(*own_session_, *std::move(plan));
  return {};
}

void WhatIfSession::Parts::begin(Session& planned, Plan plan) {
  session = &planned;
  before = std::move(plan);
  const ClusterState& cluster = session->cluster();
  reach_ = reach_of(request, cluster);
  for (std::uint32_t i = 0; i < cluster.pod_count(); ++i) {
    const Pod& pod = cluster.pod(PodIndex{i});
    if (pod.bound_node.empty() && belongs_to_node(pod)) tied_.push_back(PodIndex{i});
  }
  pending_ = session->pods_of(before.decisions);
  for (std::size_t i = 0; i < before.decisions.size(); ++i) {
    const Decision& decision = before.decisions[i];
    of_[raw(pending_[i])] = i;
    if (!decision.chosen) unplaced_.push_back(pending_[i]);
    // Under a profile that does not look at budgets; a what-if does.
    if (decision.is_over_budget()) reach_.everywhere = true;
  }
}

void WhatIfSession::Parts::sort(Pods& pods) const {
  std::sort(pods.begin(), pods.end(),
            [&](PodIndex a, PodIndex b) { return queues_before(session->cluster(), a, b); });
}

// Binds a planned pod to its node again if that is valid now.
bool WhatIfSession::Parts::stays(PodIndex pod, NodeIndex node) {
  ClusterState& cluster = session->cluster();
  if (!session->engine_of(pod)->fits(pod, node)) return false;
  cluster.bind(pod, node);
  session->follow();
  if (cluster.pod_facts(pod).spec->budgets.empty() || budgets_hold(cluster, pod)) return true;
  cluster.unbind(pod);
  session->follow();
  return false;
}

// Judges the planned pods of nodes that changed; returns those that lost their place.
WhatIfSession::Parts::Pods WhatIfSession::Parts::judge(const EditPlayer& player) {
  ClusterState& cluster = session->cluster();
  Pods dropped;
  for (const PodIndex pod : player.pods())
    if (player.fate(pod) == EditPlayer::Fate::kDropped) dropped.push_back(pod);
  for (const NodeIndex node : player.nodes()) {
    Pods here;
    for (const PodIndex pod : cluster.pods_on(node))
      if (player.is_planned(pod)) here.push_back(pod);
    for (const PodIndex pod : here) {
      cluster.unbind(pod);
      session->follow();
    }
    sort(here);
    for (const PodIndex pod : here)
      if (!stays(pod, node)) dropped.push_back(pod);
  }
  return dropped;
}

WhatIfSession::Parts::Pods WhatIfSession::Parts::waiting(const EditPlayer& player,
                                                         const Pods& dropped,
                                                         const Pods& others) const {
  Pods fresh = dropped, all;
  for (const PodIndex pod : player.pods())
    if (player.fate(pod) == EditPlayer::Fate::kEvicted) fresh.push_back(pod);
  sort(fresh);
  Pods still = others;
  std::erase_if(still, [&](PodIndex pod) { return player.fate(pod) != EditPlayer::Fate::kNone; });
  std::merge(fresh.begin(), fresh.end(), still.begin(), still.end(), std::back_inserter(all),
             [&](PodIndex a, PodIndex b) { return queues_before(session->cluster(), a, b); });
  return all;
}

bool WhatIfSession::Parts::is_any_looked_at(const Pods& pods) const {
  return std::any_of(pods.begin(), pods.end(), [&](PodIndex pod) {
    return is_looked_at(reach_, session->cluster().pod_facts(pod));
  });
}

void WhatIfSession::Parts::lift_planned() {
  for (const PodIndex pod : pending_)
    if (session->cluster().is_placed(pod)) session->cluster().unbind(pod);
}

std::string WhatIfSession::Parts::place_before(PodIndex pod) const {
  const auto decided = of_.find(raw(pod));
  if (decided == of_.end()) return session->cluster().pod(pod).bound_node;
  const Decision& decision = before.decisions[decided->second];
  return decision.chosen ? decision.chosen->node : "";
}

std::vector<Difference> WhatIfSession::Parts::compare(const EditPlayer& player,
                                                      Pods changed) const {
  const ClusterState& cluster = session->cluster();
  std::sort(changed.begin(), changed.end());
  changed.erase(std::unique(changed.begin(), changed.end()), changed.end());
  std::vector<Difference> all;
  for (const PodIndex pod : changed) {
    const bool exists = player.fate(pod) != EditPlayer::Fate::kDeleted;
    const std::string was = place_before(pod);
    const std::string is = cluster.is_placed(pod) ? cluster.node(cluster.node_of(pod)).name : "";
    const Outcome outcome = compare_places(&was, exists ? &is : nullptr);
    if (outcome != Outcome::kSame)
      all.push_back({outcome, cluster.pod(pod).namespace_name, cluster.pod(pod).name, was, is});
  }
  std::sort(all.begin(), all.end(), [](const Difference& a, const Difference& b) {
    return std::tie(a.namespace_name, a.pod) < std::tie(b.namespace_name, b.pod);
  });
  return all;
}

// The plan afterwards: what stayed, then what was decided anew.
void WhatIfSession::Parts::fill(const EditPlayer& player, const Pods& placed_anew,
                                const WhatIfAnswer& answer, Plan& after) {
  std::set<std::size_t> gone;
  for (const PodIndex pod : placed_anew)
    if (const auto at = of_.find(raw(pod)); at != of_.end()) gone.insert(at->second);
  for (const PodIndex pod : player.pods())
    if (const auto at = of_.find(raw(pod)); at != of_.end()) gone.insert(at->second);
  after.profile = before.profile;
  after.compat = before.compat;
  after.seed = before.seed;
  after.skipped = before.skipped;
  for (std::size_t i = 0; i < before.decisions.size(); ++i) {
    if (!before.decisions[i].chosen || gone.count(i) > 0) continue;
    Decision& kept = after.decisions.emplace_back(before.decisions[i]);
    kept.runner_up.reset();
    kept.rejected_by.clear();
  }
  session->report_budgets(after.decisions);
  after.decisions.insert(after.decisions.end(), answer.decided.begin(), answer.decided.end());
  after.warnings = before.warnings;
  after.warnings.insert(after.warnings.end(), answer.warnings.begin(), answer.warnings.end());
}

// Empty where the edits cannot be followed.
std::optional<WhatIfAnswer> WhatIfSession::Parts::follow(const std::vector<Edit>& edits,
                                                         bool replan, Plan* after) {
  if (reach_.everywhere || (replan && pending_.size() > kMostReplanned)) return std::nullopt;
  EditPlayer player(*session, tied_);
  if (replan) lift_planned();
  for (const Edit& edit : edits)
    if (!player.play(edit)) return std::nullopt;
  Pods dropped;
  if (!replan) {
    if ((player.parts() & reach_.parts) != 0) return std::nullopt;
    dropped = judge(player);
    if (is_any_looked_at(dropped) || is_any_looked_at(player.pods())) return std::nullopt;
  }
  const Pods wanted = waiting(player, dropped, replan ? pending_ : unplaced_);
  WhatIfAnswer answer;
  answer.followed = true;
  for (const PodIndex pod : wanted)
    answer.decided.push_back(session->decide(Group(&pod, 1)).front());
  session->follow();
  session->report_budgets(answer.decided);
  warn_of_moves(*session, edits, answer.warnings);
  Pods changed = player.pods();
  changed.insert(changed.end(), wanted.begin(), wanted.end());
  answer.differences = compare(player, std::move(changed));
  if (after != nullptr) fill(player, wanted, answer, *after);
  return answer;
}

WhatIfSession::WhatIfSession(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}
WhatIfSession::~WhatIfSession() = default;

const Plan& WhatIfSession::before() const { return parts_->before; }

Result<std::unique_ptr<WhatIfSession>> WhatIfSession::start(const PlanRequest& request) {
  auto parts = std::make_unique<Parts>(request);
  GEDGE_TRY(parts->begin());
  return std::unique_ptr<WhatIfSession>(new WhatIfSession(std::move(parts)));
}

std::unique_ptr<WhatIfSession> WhatIfSession::over(Session& planned, const PlanRequest& request,
                                                   Plan before) {
  auto parts = std::make_unique<Parts>(request);
  parts->begin(planned, std::move(before));
  return std::unique_ptr<WhatIfSession>(new WhatIfSession(std::move(parts)));
}

Result<WhatIfAnswer> WhatIfSession::answer(const std::vector<Edit>& edits) {
  if (auto followed = parts_->follow(edits, false, nullptr)) return *std::move(followed);
  auto edited = parts_->plan_whole(edits, false, nullptr);
  if (!edited) return std::move(edited).error();
  WhatIfAnswer answer;
  const Plan& before = parts_->before;
  answer.differences = differences(*parts_->request.facts, before, edited->facts, edited->plan);
  const auto first = edited->plan.decisions.begin() + static_cast<std::ptrdiff_t>(edited->kept);
  answer.decided.assign(std::make_move_iterator(first),
                        std::make_move_iterator(edited->plan.decisions.end()));
  for (Warning& warning : edited->plan.warnings)
    if (warning.code == "MovedPod") answer.warnings.push_back(std::move(warning));
  return answer;
}

Result<WhatIf> WhatIfSession::whole(const std::vector<Edit>& edits, bool replan,
                                    const Facts* joined) {
  WhatIf result;
  result.before = parts_->before;
  if (joined == nullptr) {
    if (auto followed = parts_->follow(edits, replan, &result.after)) {
      result.differences = std::move(followed->differences);
      return result;
    }
  }
  auto edited = parts_->plan_whole(edits, replan, joined);
  if (!edited) return std::move(edited).error();
  result.differences =
      differences(*parts_->request.facts, result.before, edited->facts, edited->plan);
  result.after = std::move(edited->plan);
  return result;
}

}  // namespace gedge
