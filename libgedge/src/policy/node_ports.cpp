// policy/node_ports.cpp - filter NodePorts.
//
// Rejects a node where a pod already holds a host port that this one wants: same protocol and port,
// and the same address or 0.0.0.0 on either side. Unschedulable.
// Cost     one pass over the placed pods a class, O(ports) a bind, one comparison a row; nothing
//          for pods without host ports.
// Source   kube-scheduler plugins/nodeports, framework HostPortInfo; 1.20 and 1.36 agree.
#include <algorithm>

#include "policy/make.hpp"
#include "policy/rows.hpp"

namespace gedge {
namespace {

constexpr std::string_view kEveryAddress = "0.0.0.0";

struct PortState final : ClassState {
  std::vector<std::uint32_t> conflicts;  // [slots], pods on the node that hold a wanted port
};

bool conflict(const HostPort& a, const HostPort& b) {
  return a.port == b.port && a.protocol == b.protocol &&
         (a.ip == b.ip || a.ip == kEveryAddress || b.ip == kEveryAddress);
}

// The first port that `wanted` asks for and `held` has; null if there is none.
const HostPort* first_conflict(const PodFacts& wanted, const PodFacts& held) {
  const std::vector<HostPort>& others = held.spec->host_ports;
  for (const HostPort& port : wanted.spec->host_ports)
    if (std::any_of(others.begin(), others.end(),
                    [&](const HostPort& other) { return conflict(port, other); }))
      return &port;
  return nullptr;
}

class NodePorts final : public FilterPolicy {
 public:
  std::string_view name() const override { return "NodePorts"; }
  std::uint8_t reads() const override { return kRowUsage; }
  bool on_facts(ClassState* state, const ClassContext& context, const FactsChange& change,
                Touched&) const override {
    return state == nullptr || (change.parts & kPresencePart) == 0 ||
           context.cluster.pods_on(change.node).empty();
  }
  bool sign(const PodFacts& pod, Signature& signature) const override {
    const std::vector<HostPort>& ports = pod.spec->host_ports;
    signature.add(ports.size());
    for (const HostPort& port : ports) {
      signature.add(port.ip);
      signature.add(port.protocol);
      signature.add(static_cast<std::uint64_t>(port.port));
    }
    return true;
  }

  std::unique_ptr<ClassState> prepare(const ClassContext& context) const override {
    if (context.pod.spec->host_ports.empty()) return nullptr;
    auto state = std::make_unique<PortState>();
    state->conflicts.assign(context.cluster.slots(), 0);
    context.cluster.alive().for_each([&](NodeIndex n) {
      for (const PodIndex pod : context.cluster.pods_on(n))
        if (first_conflict(context.pod, context.cluster.pod_facts(pod)) != nullptr)
          ++state->conflicts[raw(n)];
    });
    return state;
  }

  void on_pod(ClassState& state, const ClassContext& context, PodIndex other, NodeIndex node,
              int delta, Touched&) const override {
    if (first_conflict(context.pod, context.cluster.pod_facts(other)) == nullptr) return;
    std::uint32_t& count = static_cast<PortState&>(state).conflicts[raw(node)];
    count = delta > 0 ? count + 1 : count - 1;
  }

  bool passes_all(const ClassContext&, const ClassState* state) const override {
    return state == nullptr;
  }
  void filter(const ClassContext& context, const ClassState* state, Rows rows, NodeMask& feasible,
              Recorder* recorder) const override {
    if (state == nullptr) return;
    const std::vector<std::uint32_t>& conflicts = static_cast<const PortState*>(state)->conflicts;
    for_each_block(rows, [&](Rows block) {
      std::uint64_t pass = 0;
      for (std::uint32_t row = block.first; row < block.last; ++row)
        pass |= std::uint64_t{conflicts[row] == 0} << (row % kWordRows);
      reject_others(feasible, block, pass, recorder,
                    [&](NodeIndex n) { recorder->reject(n, evidence(context, n)); });
    });
  }

 private:
  static Evidence evidence(const ClassContext& context, NodeIndex node) {
    Evidence found{.reason = Reason::kPorts};
    for (const PodIndex pod : context.cluster.pods_on(node)) {
      const HostPort* port = first_conflict(context.pod, context.cluster.pod_facts(pod));
      if (port == nullptr) continue;
      found.subject = std::to_string(port->port) + "/" + port->protocol;
      break;
    }
    return found;
  }
};

}  // namespace

std::unique_ptr<FilterPolicy> make_node_ports_filter(const PolicyArgs&, Compat) {
  return std::make_unique<NodePorts>();
}

}  // namespace gedge
