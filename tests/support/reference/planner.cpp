#include "support/reference/planner.hpp"

#include <algorithm>
#include <set>
#include <tuple>

#include "support/reference/delay.hpp"
#include "support/reference/scores.hpp"

namespace gedge::reference {
namespace {

/// Higher priority first, then older (no time comes last), then by name.
bool goes_first(const Seat& a, const Seat& b) {
  const Pod &one = *a.pod, &two = *b.pod;
  if (one.priority != two.priority) return one.priority > two.priority;
  const auto rest = [](const Pod& p) {
    return std::tie(p.created, p.namespace_name, p.workload_name, p.ordinal, p.name);
  };
  return rest(one) < rest(two);
}

void filter_nodes(const World& world, const Profile& profile, const Seat& pod,
                  std::vector<NodeAnswer>& nodes, std::set<std::string>& unknown) {
  for (const Node& node : world.facts->nodes) {
    NodeAnswer answer;
    answer.node = node.name;
    for (const ProfileEntry& entry : profile.filters) {
      bool known = true;
      Objections objections = object(entry, world, pod, node, known);
      if (!known) unknown.insert(entry.policy);
      if (!objections.empty()) answer.rejections.emplace_back(entry.policy, std::move(objections));
    }
    answer.feasible = answer.rejections.empty();
    nodes.push_back(std::move(answer));
  }
  std::sort(nodes.begin(), nodes.end(),
            [](const auto& a, const auto& b) { return a.node < b.node; });
}

void score_nodes(const World& world, const Profile& profile, const Seat& pod,
                 std::vector<NodeAnswer>& nodes, std::set<std::string>& unknown) {
  std::vector<NodeAnswer*> answers;
  Nodes feasible;
  for (NodeAnswer& answer : nodes) {
    if (!answer.feasible) continue;
    answers.push_back(&answer);
    feasible.push_back(world.find_node(answer.node));
  }
  for (const ProfileEntry& entry : profile.scores) {
    bool known = true;
    const Scores scores = score(entry, world, pod, feasible, known);
    if (!known) unknown.insert(entry.policy);
    for (std::size_t i = 0; i < answers.size(); ++i) {
      answers[i]->scores.push_back(
          {entry.policy, scores[i].raw, scores[i].normalized, entry.weight});
      answers[i]->total += entry.weight * scores[i].normalized;
    }
  }
}

/// Best first: higher total, then lower name.
std::vector<ScoredNode> ranking(const std::vector<NodeAnswer>& nodes, const std::string& without) {
  std::vector<ScoredNode> out;
  for (const NodeAnswer& answer : nodes) {
    if (!answer.feasible) continue;
    ScoredNode scored{answer.node, answer.total};
    for (const PolicyScore& s : answer.scores)
      if (s.policy == without) scored.score -= s.weight * s.normalized;
    out.push_back(scored);
  }
  std::sort(out.begin(), out.end(), [](const ScoredNode& a, const ScoredNode& b) {
    return a.score != b.score ? a.score > b.score : a.node < b.node;
  });
  return out;
}

RejectedBy count_rejections(const Profile& profile, const std::vector<NodeAnswer>& nodes) {
  RejectedBy out;
  for (const ProfileEntry& entry : profile.filters) {
    const auto count = std::count_if(nodes.begin(), nodes.end(), [&](const NodeAnswer& answer) {
      return !answer.rejections.empty() && answer.rejections.front().first == entry.policy;
    });
    if (count != 0) out.emplace_back(entry.policy, static_cast<std::uint32_t>(count));
  }
  return out;
}

std::vector<BudgetReport> report_budgets(const World& world, const Seat& pod, const Node* node) {
  std::vector<BudgetReport> out;
  for (const DelayBudget& budget : pod.spec->budgets) {
    BudgetReport report{budget.from, budget.limit_us, {}};
    if (node != nullptr) report.rtt_us = measure(world, pod, budget, *node).rtt_us;
    out.push_back(report);
  }
  return out;
}

bool asks_for_budgets(const Profile& profile) {
  return std::any_of(profile.filters.begin(), profile.filters.end(),
                     [](const ProfileEntry& entry) { return entry.policy == "DelayBudget"; });
}

const Profile& profile_of(const std::vector<Profile>& profiles, const Seat& pod) {
  for (const Profile& profile : profiles)
    if (profiles.size() > 1 && profile.scheduler_name == pod.spec->scheduler_name) return profile;
  return profiles.front();
}

bool is_waiting(const World& world, const std::vector<Profile>& profiles, const Seat& pod,
                const std::set<const Seat*>& open) {
  if (!profiles.empty() && !asks_for_budgets(profile_of(profiles, pod))) return false;
  const auto peers = waits_for(world, pod);
  return std::any_of(peers.begin(), peers.end(),
                     [&](const Seat* peer) { return open.count(peer) != 0; });
}

}  // namespace

std::string fit_error(const std::vector<NodeAnswer>& nodes, Compat compat) {
  std::map<std::string, int> counts;
  for (const NodeAnswer& answer : nodes) {
    if (answer.rejections.empty()) continue;
    for (const Evidence& evidence : answer.rejections.front().second)
      for (const std::string& text : words(evidence, compat)) ++counts[text];
  }
  std::vector<std::string> parts;
  for (const auto& [text, count] : counts) parts.push_back(std::to_string(count) + " " + text);
  std::sort(parts.begin(), parts.end());
  std::string out = "0/" + std::to_string(nodes.size()) + " nodes are available:";
  for (std::size_t i = 0; i < parts.size(); ++i) out += (i == 0 ? " " : ", ") + parts[i];
  return out + ".";
}

std::vector<std::size_t> decision_order(const World& world, const std::vector<Profile>& profiles) {
  std::set<const Seat*> open;
  for (const Seat& seat : world.seats)
    if (seat.pending) open.insert(&seat);
  std::vector<std::size_t> order;
  while (!open.empty()) {
    const Seat* next = nullptr;
    for (const Seat* seat : open)
      if (!is_waiting(world, profiles, *seat, open) &&
          (next == nullptr || goes_first(*seat, *next)))
        next = seat;
    if (next == nullptr) return order;
    order.push_back(static_cast<std::size_t>(next - world.seats.data()));
    open.erase(next);
  }
  return order;
}

Answer decide(const World& world, const Profile& profile, const Seat& pod,
              std::vector<std::string>& unknown) {
  std::set<std::string> missing;
  Answer answer;
  answer.decision.namespace_name = pod.pod->namespace_name;
  answer.decision.pod = pod.pod->name;
  filter_nodes(world, profile, pod, answer.nodes, missing);
  score_nodes(world, profile, pod, answer.nodes, missing);
  answer.decision.rejected_by = count_rejections(profile, answer.nodes);
  const auto ranked = ranking(answer.nodes, "");
  if (ranked.empty())
    answer.decision.message = fit_error(answer.nodes, world.compat);
  else
    answer.decision.chosen = ranked[0];
  if (ranked.size() > 1) answer.decision.runner_up = ranked[1];
  for (const ProfileEntry& entry : profile.scores)
    if (ranked.size() > 1 && ranking(answer.nodes, entry.policy)[0].node != ranked[0].node)
      answer.deciding.push_back(entry.policy);
  unknown.insert(unknown.end(), missing.begin(), missing.end());
  return answer;
}

ReferencePlan make_reference_plan(World& world, const std::vector<Profile>& profiles) {
  ReferencePlan plan;
  const auto order = decision_order(world, profiles);
  const auto pending = std::count_if(world.seats.begin(), world.seats.end(),
                                     [](const Seat& seat) { return seat.pending; });
  plan.cyclic = order.size() != static_cast<std::size_t>(pending);
  if (plan.cyclic) return plan;
  for (const std::size_t index : order) {
    Seat& seat = world.seats[index];
    plan.answers.push_back(decide(world, profile_of(profiles, seat), seat, plan.unknown));
    const auto& chosen = plan.answers.back().decision.chosen;
    if (!chosen) continue;
    seat.node = world.find_node(chosen->node);
    seat.turn = plan.answers.size();
    take_volumes(world, seat);
  }
  // Budgets are judged with everybody in place, as `verify` does.
  for (std::size_t i = 0; i < order.size(); ++i) {
    const Seat& seat = world.seats[order[i]];
    plan.answers[i].decision.budgets = report_budgets(world, seat, seat.node);
  }
  return plan;
}

}  // namespace gedge::reference
