// policy/machine_fit.cpp - filter and score MachineFit: the kubelet's admission, before binding.
//
// Rule     each node's kubelet, as it is configured, admits what is bound there in binding order,
//          but for pods that its state file names, which hold what it says; then it is asked about
//          the pod. Init containers of bound pods have ended.
// Score    100 / NUMA nodes under the exclusive CPUs.
// Verdict  unschedulable.
// Cost     a copy of each kubelet a class; one admission a node, again where pods come or go.
// Source   pkg/kubelet/cm of Kubernetes; k/k#84869, #84757: a pod that fails admission stays
//          failed, and its controller makes another.
#include "gedge/policy/machine_fit.hpp"

#include <algorithm>
#include <optional>
#include <vector>

#include "policy/rows.hpp"
#include "policy/sign.hpp"

namespace gedge {
namespace {

constexpr std::int64_t kMostScore = 100;

struct State final : ClassState {
  PodCpus asked;
  std::vector<std::optional<Kubelet>> kubelets;     // [slots]: nothing where no machine is known
  std::vector<std::optional<PinRefusal>> refusals;  // [slots]
  std::vector<std::int64_t> scores;                 // [slots]
  NodeMask admitted;
};

PodCpus asked_by(const ClusterState& cluster, PodIndex pod) {
  const Pod& facts = cluster.pod(pod);
  std::string uid =
      facts.uid.empty() ? facts.namespace_name.str() + '/' + facts.name.str() : facts.uid.str();
  return cpu_requests(*cluster.pod_facts(pod).spec, std::move(uid));
}

void add_pod(Kubelet& kubelet, const ClusterState& cluster, PodIndex pod) {
  const PodCpus asked = asked_by(cluster, pod);
  if (kubelet.cpus().assignments().pods.contains(asked.uid)) return;
  kubelet.admit(asked);  // one that is refused holds nothing
  kubelet.start(asked);
}

// CPUs of containers that run at one time lie on how many NUMA nodes?
std::int64_t score_of(const Kubelet& kubelet, const PinAnswer& answer) {
  CpuSet cpus;
  for (const PinnedContainer& container : answer.containers)
    if (container.exclusive) cpus |= container.cpus;
  std::int64_t nodes = 0;
  for (const CpuUnit& unit : kubelet.cpus().topology().units(CpuLevel::kNuma))
    nodes += unit.cpus.meets(cpus) ? 1 : 0;
  return nodes == 0 ? 0 : kMostScore / nodes;
}

void judge(State& state, NodeIndex n) {
  std::optional<Kubelet>& known = state.kubelets[raw(n)];
  if (!known) return;
  Kubelet trial = *known;
  PinAnswer answer = trial.admit(state.asked);
  state.scores[raw(n)] = answer.refusal ? 0 : score_of(trial, answer);
  if (answer.refusal)
    state.admitted.clear(n);
  else
    state.admitted.set(n);
  state.refusals[raw(n)] = std::move(answer.refusal);
}

void fill(State& state, const NodeMachines& machines, const ClusterState& cluster, NodeIndex n) {
  state.admitted.set(n);
  const Kubelet* const kubelet = machines.find(cluster.node_name(n).str());
  if (kubelet == nullptr) return;
  state.kubelets[raw(n)] = *kubelet;
  for (const PodIndex pod : cluster.pods_on(n)) add_pod(*state.kubelets[raw(n)], cluster, pod);
  judge(state, n);
}

// What filter and score have in common. Null: no kubelet has a say about the pod.
std::unique_ptr<State> state_for(const NodeMachines& machines, const ClassContext& context) {
  constexpr const char* kNobody = "?";
  PodCpus asked = cpu_requests(*context.pod.spec, kNobody);
  if (asked.most() == 0 && !(machines.asks_for_memory() && asked.most_memory() > 0)) return nullptr;
  auto state = std::make_unique<State>();
  const std::size_t slots = context.cluster.slots();
  state->asked = std::move(asked);
  state->kubelets.resize(slots);
  state->refusals.resize(slots);
  state->scores.assign(slots, 0);
  state->admitted = NodeMask(slots);
  context.cluster.alive().for_each(
      [&](NodeIndex n) { fill(*state, machines, context.cluster, n); });
  return state;
}

void follow(State& state, const NodeMachines& machines, const ClusterState& cluster, PodIndex other,
            NodeIndex node, int delta) {
  std::optional<Kubelet>& kubelet = state.kubelets[raw(node)];
  if (!kubelet) return;
  const std::span<const PodIndex> here = cluster.pods_on(node);
  if (delta > 0 && !here.empty() && here.back() == other) {
    add_pod(*kubelet, cluster, other);
    judge(state, node);
  } else {
    fill(state, machines, cluster, node);
  }
}

void sign_cpus(const PodFacts& pod, Signature& signature) {
  const PodCpus asked = cpu_requests(*pod.spec, {});
  signature.add(asked.containers.size());
  for (const CpuRequest& request : asked.containers) {
    signature.add(request.container);
    signature.add(static_cast<std::uint64_t>(request.role));
    signature.add(static_cast<std::uint64_t>(request.cpus));
    signature.add(request.memory_bytes);
  }
}

// What a filter and a score of machines do alike.
template <class Policy>
class MachinePolicy : public Policy {
 public:
  explicit MachinePolicy(const NodeMachines& machines) : machines_(machines) {}
  std::string_view name() const override { return kMachineFit; }
  std::uint8_t reads() const override { return kRowStatic | kRowUsage; }
  bool sign(const PodFacts& pod, Signature& signature) const override {
    sign_cpus(pod, signature);
    return true;
  }
  std::unique_ptr<ClassState> prepare(const ClassContext& context) const override {
    return state_for(machines_, context);
  }
  void on_pod(ClassState& state, const ClassContext& context, PodIndex other, NodeIndex node,
              int delta, Touched&) const override {
    follow(static_cast<State&>(state), machines_, context.cluster, other, node, delta);
  }

 private:
  const NodeMachines& machines_;
};

class MachineFilter final : public MachinePolicy<FilterPolicy> {
 public:
  using MachinePolicy::MachinePolicy;
  bool passes_all(const ClassContext&, const ClassState* state) const override {
    return state == nullptr;
  }
  void filter(const ClassContext&, const ClassState* state, Rows rows, NodeMask& feasible,
              Recorder* recorder) const override {
    if (state == nullptr) return;
    const State& known = static_cast<const State&>(*state);
    const auto explain = [&](NodeIndex n) {
      Evidence evidence;
      evidence.reason = Reason::kModule;
      const auto& refusal = known.refusals[raw(n)];
      evidence.subject = refusal ? refusal->reason + ": " + refusal->message : std::string();
      recorder->reject(n, std::move(evidence));
    };
    for_each_block(rows, [&](Rows block) {
      reject_others(feasible, block, known.admitted.word(block.first / kWordRows), recorder,
                    explain);
    });
  }
};

class MachineScore final : public MachinePolicy<ScorePolicy> {
 public:
  using MachinePolicy::MachinePolicy;
  Normalize normalize(const ClassContext&, const ClassState*) const override {
    return Normalize::kNone;
  }
  void score(const ClassContext&, const ClassState* state, Rows rows,
             std::span<std::int64_t> raw_scores) const override {
    for (std::uint32_t i = 0; i < raw_scores.size(); ++i)
      raw_scores[i] =
          state == nullptr ? 0 : static_cast<const State&>(*state).scores[rows.first + i];
  }
  std::optional<std::int64_t> constant(const ClassState* state) const override {
    return state == nullptr ? std::optional<std::int64_t>(0) : std::nullopt;
  }
  std::int64_t most(const ClassState* state) const override {
    return state == nullptr ? 0 : kMostScore;
  }
  void upper_bounds(const ClassContext&, const ClassState* state, const NodeMask&,
                    std::span<const std::uint32_t>, std::span<std::int64_t> bounds) const override {
    std::fill(bounds.begin(), bounds.end(), state == nullptr ? 0 : kMostScore);
  }
};

}  // namespace

std::unique_ptr<FilterPolicy> make_machine_filter(const NodeMachines& machines) {
  return std::make_unique<MachineFilter>(machines);
}

std::unique_ptr<ScorePolicy> make_machine_score(const NodeMachines& machines) {
  return std::make_unique<MachineScore>(machines);
}

}  // namespace gedge
