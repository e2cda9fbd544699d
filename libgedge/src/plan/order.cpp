// plan/order.cpp - strongly connected components of "needs the place of" (Tarjan, 1972), taken in
// queue order as soon as everything they need is placed (Kahn, 1962). A workload is one vertex in
// between, so that a thousand clients of a thousand replicas are two thousand edges.
#include "plan/order.hpp"

#include <algorithm>
#include <map>
#include <queue>
#include <tuple>
#include <unordered_map>
#include <unordered_set>

#include "gedge/policy/delay.hpp"

namespace gedge {
namespace {

using Vertex = std::uint32_t;

struct Graph {
  std::size_t pods = 0;                    // vertices below this are pods, in queue order
  std::vector<std::vector<Vertex>> needs;  // [vertices]
};

bool may_mean_pods(const DelayBudget& budget) {
  return budget.kind == PeerKind::kAny || budget.kind == PeerKind::kPod ||
         budget.kind == PeerKind::kWorkload;
}

std::vector<PodIndex> unplaced_peers(const ClusterState& cluster, PodIndex pod,
                                     const DelayBudget& budget) {
  std::vector<PodIndex> peers = find_target(cluster, budget, cluster.pod_facts(pod)).pods;
  std::erase_if(peers, [&](PodIndex p) { return cluster.is_placed(p); });
  return peers;
}

// Whether any pod of the queue has to wait for the place of another.
bool any_waits(const ClusterState& cluster, const std::vector<PodIndex>& queue,
               const std::function<bool(PodIndex)>& has_budgets) {
  std::vector<bool> asked(cluster.distinct_pods());  // equal pods need the same
  return std::any_of(queue.begin(), queue.end(), [&](PodIndex pod) {
    const PodFacts& facts = cluster.pod_facts(pod);
    if (facts.spec->budgets.empty() || asked[facts.index] || !has_budgets(pod)) return false;
    asked[facts.index] = true;
    return std::any_of(
        facts.spec->budgets.begin(), facts.spec->budgets.end(), [&](const DelayBudget& budget) {
          return may_mean_pods(budget) && !unplaced_peers(cluster, pod, budget).empty();
        });
  });
}

// Each pod of a group needs the group, and the group all of them.
void tie_groups(Graph& graph, const std::vector<PodIndex>& queue, const PodGroups& groups) {
  std::map<std::uint32_t, Vertex> vertex_of;
  for (Vertex v = 0; v < queue.size() && !groups.empty(); ++v) {
    const std::uint32_t group = groups.of(queue[v]);
    if (group == PodGroups::kNone) continue;
    const auto [at, fresh] = vertex_of.try_emplace(group, static_cast<Vertex>(graph.needs.size()));
    if (fresh) graph.needs.emplace_back();
    graph.needs[at->second].push_back(v);
    graph.needs[v].push_back(at->second);
  }
}

Graph build(const ClusterState& cluster, const std::vector<PodIndex>& queue,
            const std::function<bool(PodIndex)>& has_budgets, const PodGroups& groups) {
  Graph graph;
  graph.pods = queue.size();
  graph.needs.resize(queue.size());
  std::unordered_map<std::uint32_t, Vertex> vertex_of;  // only looked up
  for (Vertex v = 0; v < queue.size(); ++v) vertex_of[raw(queue[v])] = v;
  std::map<std::vector<PodIndex>, Vertex> sets;          // equal sets of peers share a vertex
  std::unordered_map<const PodFacts*, Vertex> first_of;  // equal pods need the same; only looked up
  for (Vertex v = 0; v < queue.size(); ++v) {
    if (!has_budgets(queue[v])) continue;
    const auto [first, is_first] = first_of.try_emplace(&cluster.pod_facts(queue[v]), v);
    if (!is_first) {
      graph.needs[v] = graph.needs[first->second];
      continue;
    }
    for (const DelayBudget& budget : cluster.pod_facts(queue[v]).spec->budgets) {
      if (!may_mean_pods(budget)) continue;
      std::vector<PodIndex> peers = unplaced_peers(cluster, queue[v], budget);
      std::erase_if(peers, [&](PodIndex p) { return !vertex_of.contains(raw(p)); });
      if (peers.empty()) continue;
      const auto [at, fresh] = sets.try_emplace(peers, static_cast<Vertex>(graph.needs.size()));
      if (fresh) {
        std::vector<Vertex>& members = graph.needs.emplace_back();
        for (const PodIndex p : peers) members.push_back(vertex_of[raw(p)]);
      }
      graph.needs[v].push_back(at->second);
    }
  }
  tie_groups(graph, queue, groups);
  return graph;
}

// Tarjan without recursion: component numbers, a component after everything it needs.
class Components {
 public:
  explicit Components(const Graph& graph)
      : graph_(graph),
        of_(graph.needs.size(), kNone),
        index_(graph.needs.size(), kNone),
        low_(graph.needs.size(), 0) {
    for (Vertex v = 0; v < graph.needs.size(); ++v)
      if (index_[v] == kNone) visit(v);
  }
  std::uint32_t of(Vertex v) const { return of_[v]; }
  std::uint32_t count() const { return count_; }

 private:
  static constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();
  struct Frame {
    Vertex vertex;
    std::size_t next;
  };

  void open(Vertex v, std::vector<Frame>& frames) {
    index_[v] = low_[v] = clock_++;
    stack_.push_back(v);
    frames.push_back({v, 0});
  }
  void visit(Vertex root) {
    std::vector<Frame> frames;
    open(root, frames);
    while (!frames.empty()) {
      const Vertex v = frames.back().vertex;
      if (frames.back().next < graph_.needs[v].size()) {
        const Vertex to = graph_.needs[v][frames.back().next++];
        if (index_[to] == kNone)
          open(to, frames);
        else if (of_[to] == kNone)
          low_[v] = std::min(low_[v], index_[to]);
        continue;
      }
      frames.pop_back();
      if (!frames.empty())
        low_[frames.back().vertex] = std::min(low_[frames.back().vertex], low_[v]);
      if (low_[v] == index_[v]) close(v);
    }
  }
  void close(Vertex v) {
    Vertex top = v;
    do {
      top = stack_.back();
      stack_.pop_back();
      of_[top] = count_;
    } while (top != v);
    ++count_;
  }

  const Graph& graph_;
  std::vector<std::uint32_t> of_, index_, low_;
  std::vector<Vertex> stack_;
  std::uint32_t clock_ = 0, count_ = 0;
};

}  // namespace

bool queues_before(const ClusterState& cluster, PodIndex a, PodIndex b) {
  const Pod &x = cluster.pod(a), &y = cluster.pod(b);
  if (x.priority != y.priority) return x.priority > y.priority;
  const auto key = [](const Pod& p) {
    return std::tie(p.created, p.namespace_name, p.workload_name, p.workload_kind, p.ordinal,
                    p.name);
  };
  return key(x) < key(y);
}

PlacingOrder placing_order(const ClusterState& cluster, std::vector<PodIndex> wanted,
                           const std::function<bool(PodIndex)>& has_budgets,
                           const PodGroups& groups) {
  const auto before = [&](PodIndex a, PodIndex b) { return queues_before(cluster, a, b); };
  // Pods of files mostly come in this order.
  if (!std::is_sorted(wanted.begin(), wanted.end(), before))
    std::sort(wanted.begin(), wanted.end(), before);
  if (groups.empty() && !any_waits(cluster, wanted, has_budgets))
    return PlacingOrder(std::move(wanted));
  const Graph graph = build(cluster, wanted, has_budgets, groups);
  const Components components(graph);

  std::vector<std::vector<PodIndex>> members(components.count());
  std::vector<Vertex> rank(components.count(),
                           0);  // of the first pod; virtual vertices come at once
  for (Vertex v = 0; v < graph.pods; ++v) {
    std::vector<PodIndex>& group = members[components.of(v)];
    if (group.empty()) rank[components.of(v)] = v;
    group.push_back(wanted[v]);
  }
  std::vector<std::vector<std::uint32_t>> needed_by(components.count());
  std::vector<std::uint32_t> waits_for(components.count(), 0);
  for (Vertex v = 0; v < graph.needs.size(); ++v)
    for (const Vertex to : graph.needs[v])
      if (components.of(to) != components.of(v)) {
        needed_by[components.of(to)].push_back(components.of(v));
        ++waits_for[components.of(v)];
      }

  std::vector<PodIndex> order;
  std::vector<std::size_t> ends;
  using Ready = std::pair<Vertex, std::uint32_t>;
  std::priority_queue<Ready, std::vector<Ready>, std::greater<>> ready;
  for (std::uint32_t c = 0; c < components.count(); ++c)
    if (waits_for[c] == 0) ready.emplace(rank[c], c);
  while (!ready.empty()) {
    const std::uint32_t c = ready.top().second;
    ready.pop();
    order.insert(order.end(), members[c].begin(), members[c].end());
    if (!members[c].empty()) ends.push_back(order.size());
    for (const std::uint32_t next : needed_by[c])
      if (--waits_for[next] == 0) ready.emplace(rank[next], next);
  }
  return {std::move(order), std::move(ends)};
}

std::vector<PodIndex> bound_up_with(const ClusterState& cluster, std::vector<PodIndex> wanted,
                                    const std::function<bool(PodIndex)>& waits,
                                    const std::function<bool(PodIndex)>& has_budgets) {
  const std::size_t asked = wanted.size();
  std::vector<PodIndex> reached = std::move(wanted);
  std::unordered_set<std::uint32_t> known;  // only looked up
  for (const PodIndex pod : reached) known.insert(raw(pod));
  std::vector<bool> followed(cluster.distinct_pods());  // equal pods need the same
  for (std::size_t i = 0; i < reached.size(); ++i) {
    const PodFacts& facts = cluster.pod_facts(reached[i]);
    if (facts.spec->budgets.empty() || followed[facts.index] || !has_budgets(reached[i])) continue;
    followed[facts.index] = true;
    for (const DelayBudget& budget : facts.spec->budgets) {
      if (!may_mean_pods(budget)) continue;
      for (const PodIndex peer : unplaced_peers(cluster, reached[i], budget))
        if (waits(peer) && known.insert(raw(peer)).second) reached.push_back(peer);
    }
  }
  if (reached.size() == asked) return {};
  const Graph graph = build(cluster, reached, has_budgets, PodGroups());
  const Components components(graph);
  std::vector<bool> is_asked(components.count());
  for (Vertex v = 0; v < asked; ++v) is_asked[components.of(v)] = true;
  std::vector<PodIndex> found;
  for (Vertex v = static_cast<Vertex>(asked); v < graph.pods; ++v)
    if (is_asked[components.of(v)]) found.push_back(reached[v]);
  return found;
}

}  // namespace gedge
