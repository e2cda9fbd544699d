// plan/winning.cpp - one amount or one thing at a time until the other node wins.
#include "plan/winning.hpp"

#include <algorithm>
#include <functional>
#include <map>

#include "gedge/policy/delay.hpp"
#include "plan/trial.hpp"

namespace gedge {
namespace {

constexpr int kMostEvaluations = 2000;

struct Contest {
  ClusterState& cluster;
  Engine& engine;
  PodIndex pod;
  NodeIndex challenger;
  int left = kMostEvaluations;

  /// `named`: as in Trial::apply.
  bool won_after(const Edit& edit, PodIndex named = kNoPod) {
    if (left == 0) return false;
    --left;
    Trial trial(cluster, engine);
    return trial.apply(edit, named) && engine.choose(pod).winner == challenger;
  }
};

// The least amount in (0, most] after which the challenger wins, or 0. `edit_of` makes an edit of
// an amount.
std::int64_t least_amount(Contest& contest, std::int64_t most,
                          const std::function<Edit(std::int64_t)>& edit_of) {
  std::int64_t low = 0, high = std::max<std::int64_t>(most / 1024, 1);
  while (!contest.won_after(edit_of(high))) {
    if (high >= most || contest.left == 0) return 0;
    low = high;
    high = high > most / 2 ? most : high * 2;
  }
  while (high - low > 1) {
    const std::int64_t middle = low + (high - low) / 2;
    (contest.won_after(edit_of(middle)) ? high : low) = middle;
  }
  return high;
}

void add_resource(Contest& contest, NodeIndex node, std::string_view name, int sign,
                  Candidates& out) {
  constexpr std::int64_t kAtMostTimes = 4;  // nobody buys a node five times as large for one pod
  const Node& facts = contest.cluster.node(node);
  const std::int64_t whole = facts.allocatable.amount(name);
  if (whole <= 0 || whole > kNoBound / kAtMostTimes) return;
  const auto edit_of = [&](std::int64_t amount) {
    Edit edit;
    edit.kind = Edit::Kind::kAddResource;
    edit.node = facts.name;
    edit.name = name;
    edit.amount = sign * amount;
    return edit;
  };
  const std::int64_t amount =
      least_amount(contest, sign > 0 ? whole * kAtMostTimes : whole, edit_of);
  if (amount > 0) out.insert(candidate(edit_of(amount), amount, whole));
}

void add_rtt(Contest& contest, NameIndex a, NameIndex b, int sign, Candidates& out) {
  const Rtt now = contest.cluster.rtt().between(a, b);
  if (a == b || now == kUnmeasured || now.us == 0) return;
  const auto edit_of = [&](std::int64_t amount) {
    Edit edit;
    edit.kind = Edit::Kind::kSetRtt;
    edit.node = contest.cluster.rtt().name(std::min(a, b));
    edit.name = contest.cluster.rtt().name(std::max(a, b));
    edit.amount = std::min<std::int64_t>(now.us + sign * amount, kMaxRtt.us);
    return edit;
  };
  constexpr std::int64_t kAtMostTimes = 16;
  const std::int64_t amount =
      least_amount(contest, sign < 0 ? now.us : now.us * kAtMostTimes, edit_of);
  if (amount > 0) out.insert(candidate(edit_of(amount), amount, now.us));
}

// RTTs between a node and everything the pod's budgets point at.
void add_rtts(Contest& contest, NodeIndex node, int sign, Candidates& out) {
  const auto here = contest.cluster.latency_name(node);
  if (!here) return;
  for (const DelayBudget& budget : contest.cluster.pod_facts(contest.pod).spec->budgets) {
    const DelayTarget peers =
        find_target(contest.cluster, budget, contest.cluster.pod_facts(contest.pod));
    std::vector<NodeIndex> nodes = peers.nodes;
    for (const PodIndex p : peers.pods)
      if (contest.cluster.is_placed(p)) nodes.push_back(contest.cluster.node_of(p));
    std::sort(nodes.begin(), nodes.end());
    nodes.erase(std::unique(nodes.begin(), nodes.end()), nodes.end());
    for (const NodeIndex peer : nodes)
      if (const auto there = contest.cluster.latency_name(peer))
        add_rtt(contest, *here, *there, sign, out);
    if (peers.kind == DelayTarget::Kind::kMatrixName)
      add_rtt(contest, *here, peers.name, sign, out);
  }
}

void add_things(Contest& contest, NodeIndex loser, Candidates& out) {
  std::map<Candidate, PodIndex> things;  // kNoPod: about a node
  Edit edit;
  edit.kind = Edit::Kind::kRemoveTaint;
  edit.node = contest.cluster.node(contest.challenger).name;
  for (const Taint& taint : contest.cluster.node(contest.challenger).taints) {
    edit.name = taint.key;
    things.emplace(candidate(edit), kNoPod);
  }
  edit.kind = Edit::Kind::kSetLabel;
  for (const PreferredNodeTerm& preferred :
       contest.cluster.pod_facts(contest.pod).spec->preferred_node_terms)
    for (const Requirement& r : preferred.term.expressions)
      if (!r.values.empty() && !matches(r, contest.cluster.node(contest.challenger).labels)) {
        edit.name = r.key;
        edit.value = r.values.front();
        things.emplace(candidate(edit), kNoPod);
      }
  edit = {};
  edit.kind = Edit::Kind::kDeletePod;
  for (const PodIndex p : contest.cluster.pods_on(contest.challenger)) {
    edit.namespace_name = contest.cluster.pod(p).namespace_name;
    edit.name = contest.cluster.pod(p).name;
    things.emplace(candidate(edit), p);
  }
  edit = {};
  edit.kind = Edit::Kind::kDrain;
  edit.node = contest.cluster.node(loser).name;
  things.emplace(candidate(edit), kNoPod);
  for (const auto& [thing, named] : things)
    if (contest.won_after(thing.edit, named)) out.insert(thing);
}

}  // namespace

std::vector<EditSet> winning_edits(Session& session, PodIndex pod, NodeIndex node) {
  Contest contest{session.cluster(), *session.engine_of(pod), pod, node};
  const NodeIndex winner = contest.engine.choose(pod).winner;
  Candidates found;
  for (const std::string_view name : {kCpu, kMemory}) {
    add_resource(contest, node, name, 1, found);
    add_resource(contest, winner, name, -1, found);
  }
  add_rtts(contest, node, -1, found);
  add_rtts(contest, winner, 1, found);
  add_things(contest, winner, found);
  std::vector<EditSet> sets;
  for (const Candidate& c : found) sets.push_back({c});
  return sets;
}

}  // namespace gedge
