// plan/gangs.cpp - pod groups: all that must be placed together find a place, or none of them does.
//
// Nothing is held for a group that waits, so two groups never wait for each other.
#include <algorithm>
#include <map>
#include <set>

#include "plan/session.hpp"

namespace gedge {
namespace {

// Of a joint search for a group of pods that differ, beyond the first way down.
constexpr std::size_t kTrialsPerGroup = 1'000, kBindsPerGroup = 20'000;

}  // namespace

bool Session::is_in_pod_group(Group group) const {
  return !groups_.empty() && std::any_of(group.begin(), group.end(), [&](PodIndex pod) {
    return groups_.of(pod) != PodGroups::kNone;
  });
}

// A group that is short is held back, and the others are placed anew without it: there may be more
// room for them, or less that they can lean on.
void Session::decide_pod_groups(Group group, std::vector<Decision>& decisions) {
  std::vector<Decision> made(group.size());
  std::vector<bool> held(group.size(), false);
  std::map<std::uint32_t, std::int64_t> fit;
  const ClusterState::Mark start = cluster_.mark();
  for (;;) {
    const std::size_t warnings = warnings_.size();
    place_members(group, held, made);
    std::vector<std::uint32_t> are_short = short_groups(group, held);
    std::erase_if(are_short, [&](std::uint32_t g) { return fill(group, g, made); });
    if (are_short.empty()) break;
    for (const std::uint32_t g : are_short) fit[g] = groups_.placed(cluster_, g);
    cluster_.undo(start);
    follow();
    warnings_.resize(warnings);
    for (std::size_t i = 0; i < group.size(); ++i)
      held[i] = held[i] || fit.contains(groups_.of(group[i]));
  }
  for (std::size_t i = 0; i < group.size(); ++i)
    if (held[i]) hold(group[i], fit.at(groups_.of(group[i])), made[i]);
  for (Decision& decision : made) decisions.push_back(std::move(decision));
}

// One by one, but for those whose delay budgets form a cycle.
void Session::place_members(Group group, const std::vector<bool>& held,
                            std::vector<Decision>& decisions) {
  std::vector<PodIndex> pods;
  std::unordered_map<std::uint32_t, std::size_t> at;  // only looked up
  for (std::size_t i = 0; i < group.size(); ++i) {
    at.emplace(raw(group[i]), i);
    if (!held[i]) pods.push_back(group[i]);
  }
  const PlacingOrder order = order_of(std::move(pods), {});
  for (std::size_t i = 0; i < order.size(); ++i) {
    const Group next = order[i];
    if (next.size() == 1) {
      decisions[at.at(raw(next.front()))] = decide_one(next.front());
      continue;
    }
    std::vector<Decision> joint = decide_jointly(next);
    for (std::size_t k = 0; k < next.size(); ++k)
      decisions[at.at(raw(next[k]))] = std::move(joint[k]);
  }
}

std::vector<std::uint32_t> Session::short_groups(Group group, const std::vector<bool>& held) const {
  std::set<std::uint32_t> found;
  for (std::size_t i = 0; i < group.size(); ++i)
    if (const std::uint32_t g = groups_.of(group[i]);
        !held[i] && g != PodGroups::kNone && groups_.placed(cluster_, g) < groups_.least(g))
      found.insert(g);
  return {found.begin(), found.end()};
}

// Pods that differ may be short because the first took what only a later one could use: searches
// for places of as many as are needed, most important first, then places the others one by one.
bool Session::fill(Group group, std::uint32_t pod_group, std::vector<Decision>& decisions) {
  std::vector<std::size_t> members;
  for (std::size_t i = 0; i < group.size(); ++i)
    if (groups_.of(group[i]) == pod_group) members.push_back(i);
  const auto is_like_first = [&](std::size_t i) {
    return &cluster_.pod_facts(group[i]) == &cluster_.pod_facts(group[members.front()]);
  };
  const auto has_budgets = [&](std::size_t i) {
    return !cluster_.pod_facts(group[i]).spec->budgets.empty();
  };
  // Others of the group may measure from where these are.
  if (members.size() < group.size() || std::any_of(members.begin(), members.end(), has_budgets) ||
      std::all_of(members.begin(), members.end(), is_like_first))
    return false;
  const ClusterState::Mark before = cluster_.mark();
  for (const std::size_t i : members)
    if (cluster_.is_placed(group[i])) cluster_.unbind(group[i]);
  const std::int64_t open = groups_.least(pod_group) - groups_.placed(cluster_, pod_group);
  if (open <= static_cast<std::int64_t>(members.size())) {
    std::vector<PodIndex> needed;
    for (std::int64_t k = 0; k < open; ++k)
      needed.push_back(group[members[static_cast<std::size_t>(k)]]);
    std::vector<Decision> found(needed.size());
    trials_left_ = kTrialsPerGroup;
    binds_left_ = kBindsPerGroup;
    if (place_all(needed, 0, found)) {
      for (std::size_t k = 0; k < members.size(); ++k)
        decisions[members[k]] = k < found.size() ? found[k] : decide_one(group[members[k]]);
      return true;
    }
  }
  cluster_.undo(before);
  follow();
  return false;
}

void Session::hold(PodIndex pod, std::int64_t fit, Decision& decision) {
  Engine& engine = *engine_of(pod);
  const Choice& choice = engine.choose(pod);
  const bool fits = choice.winner != kNoNode;
  decision = decision_from(pod, choice);
  decision.chosen.reset();
  decision.runner_up.reset();
  const std::uint32_t group = groups_.of(pod);
  decision.message = fits ? "pod group " + groups_.name(group) + " is placed when " +
                                std::to_string(groups_.least(group)) +
                                " of its pods fit together; now " + std::to_string(fit) +
                                (fit == 1 ? " does" : " do")
                          : engine.fit_error(pod);
}

}  // namespace gedge
