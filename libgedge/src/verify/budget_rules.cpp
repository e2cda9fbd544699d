// verify/budget_rules.cpp - delay budgets: what each is measured from, and how far that is.
#include <algorithm>

#include "verify/world.hpp"

namespace gedge::verify_detail {
namespace {

constexpr std::string_view kZoneLabel = "topology.kubernetes.io/zone";

/// One end of a budget that has a place.
struct Peer {
  std::string name;
  const Node* node = nullptr;      ///< null: a name of the matrix
  const Pod* pod = nullptr;        ///< null: not a pod
  std::optional<NameIndex> place;  ///< in the matrix
};

struct Peers {
  bool known = false;   ///< there is such a thing
  bool itself = false;  ///< the pod is one of the replicas
  std::vector<Peer> placed;
};

class Finder {
 public:
  Finder(const World& world, const Placed& pod, const DelayBudget& budget)
      : world_(world), pod_(pod), budget_(budget) {}

  Peers find() {
    switch (budget_.kind) {
      case PeerKind::kAny:
        if (!find_node()) find_pod();
        if (!peers_.known) find_workload();
        if (!peers_.known) find_matrix_name();
        break;
      case PeerKind::kNode:
        find_node();
        break;
      case PeerKind::kPod:
        find_pod();
        break;
      case PeerKind::kWorkload:
        find_workload();
        break;
      case PeerKind::kZone:
        find_zone();
        break;
      case PeerKind::kExternal:
        find_matrix_name();
        break;
    }
    return peers_;
  }

 private:
  bool find_node() {
    if (const Node* node = world_.node(budget_.name)) add(*node, nullptr);
    return peers_.known;
  }

  void find_pod() {
    if (const Pod* pod = world_.pod(namespace_name(), budget_.name)) add(*pod);
  }

  void find_workload() {
    for (const Pod* pod : world_.workload(namespace_name(), budget_.name)) {
      if (budget_.workload_kind.empty() || pod->workload_kind == budget_.workload_kind) add(*pod);
    }
  }

  void find_zone() {
    for (const Node& node : world_.facts().nodes) {
      const std::string* zone = node.labels.find(kZoneLabel);
      if (zone != nullptr && *zone == budget_.name) add(node, nullptr);
    }
  }

  void find_matrix_name() {
    const auto place = world_.input().rtt.find(budget_.name);
    if (!place) return;
    peers_.known = true;
    peers_.placed.push_back({budget_.name, nullptr, nullptr, place});
  }

  void add(const Pod& pod) {
    peers_.known = true;
    if (&pod == pod_.pod) {
      peers_.itself = true;
    } else if (const Node* node = world_.place_of(pod)) {
      add(*node, &pod);
    }
  }

  void add(const Node& node, const Pod* pod) {
    peers_.known = true;
    const std::string name = pod == nullptr ? node.name.str() : name_of(*pod) + " on " + node.name;
    peers_.placed.push_back({name, &node, pod, world_.matrix_name(node)});
  }

  const std::string& namespace_name() const {
    return budget_.namespace_name.empty() ? pod_.pod->namespace_name.str() : budget_.namespace_name;
  }

  const World& world_;
  const Placed& pod_;
  const DelayBudget& budget_;
  Peers peers_;
};

Rtt rtt_to(const World& world, const Node& from, const Peer& peer) {
  if (peer.node == &from) return Rtt{0};
  const auto start = world.matrix_name(from);
  return start && peer.place ? world.input().rtt.between(*start, *peer.place) : kUnmeasured;
}

bool is_over(Rtt rtt, const DelayBudget& budget) {
  return rtt == kUnmeasured || rtt.us > budget.limit_us;
}

/// "11.9 ms".
std::string milliseconds(std::int64_t us) {
  std::string digits = std::to_string(us % 1000);
  digits.insert(0, 3 - digits.size(), '0');
  digits.resize(digits.find_last_not_of('0') + 1);
  return std::to_string(us / 1000) + (digits.empty() ? "" : "." + digits) + " ms";
}

Finding over(const Peer& peer, Rtt rtt, const DelayBudget& budget) {
  const std::string is = rtt == kUnmeasured ? "was never measured" : "is " + milliseconds(rtt.us);
  return {"DelayBudget", "the RTT to " + peer.name + " " + is + ", the budget from " + budget.from +
                             " is " + milliseconds(budget.limit_us)};
}

}  // namespace

void check_budgets(const World& world, const Placed& pod, Findings& out) {
  for (const DelayBudget& budget : pod.spec->budgets) {
    const Peers peers = Finder(world, pod, budget).find();
    if (!peers.known) {
      out.push_back({"DelayBudget", "there is nothing of the name that the budget from " +
                                        budget.from + " gives"});
      continue;
    }
    if (peers.placed.empty()) {
      // A replica whose sisters run nowhere is at no distance from its workload.
      if (!peers.itself)
        out.push_back(
            {"DelayBudget", "nothing is placed that the budget from " + budget.from + " means"});
      continue;
    }
    const auto closer = [&](const Peer& a, const Peer& b) {
      return rtt_to(world, *pod.node, a) < rtt_to(world, *pod.node, b);
    };
    const Peer& decisive =
        budget.nearest ? *std::min_element(peers.placed.begin(), peers.placed.end(), closer)
                       : *std::max_element(peers.placed.begin(), peers.placed.end(), closer);
    const Rtt rtt = rtt_to(world, *pod.node, decisive);
    if (is_over(rtt, budget)) out.push_back(over(decisive, rtt, budget));
  }
}

void check_budgets_towards(const World& world, const Placed& pod,
                           const std::set<const Pod*>& others, Findings& out) {
  for (const DelayBudget& budget : pod.spec->budgets) {
    if (budget.nearest) continue;  // one more replica never makes the nearest one farther
    for (const Peer& peer : Finder(world, pod, budget).find().placed) {
      const Rtt rtt = rtt_to(world, *pod.node, peer);
      if (others.contains(peer.pod) && is_over(rtt, budget)) out.push_back(over(peer, rtt, budget));
    }
  }
}

}  // namespace gedge::verify_detail
