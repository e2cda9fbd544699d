#include "gedge/pin/admission.hpp"

#include <algorithm>
#include <utility>

namespace gedge {
namespace {

NumaLayout layout_of(const Machine& machine, const CpuTopology& topology) {
  NumaLayout layout;
  for (const NumaNode& node : machine.numa_nodes) layout.ids.push_back(node.id);
  layout.distances = machine.distances;
  if (layout.ids.empty()) {
    for (const CpuUnit& node : topology.units(CpuLevel::kNuma)) layout.ids.push_back(node.id);
    layout.distances.clear();
  }
  return layout;
}

Status check_options(const StaticOptions& cpu, TopologyPolicy topology, const CpuTopology& of) {
  const auto refuse = [](const std::string& a, const std::string& b) {
    return invalid_input("static policy options " + a + " and " + b + " can not be used together",
                         {}, "take one of them out of cpuManagerPolicyOptions");
  };
  const std::string cores = "DistributeCPUsAcrossCores";
  if (cpu.full_pcpus_only && cpu.distribute_cpus_across_cores)
    return refuse("FullPhysicalCPUsOnly", cores);
  if (cpu.distribute_cpus_across_numa && cpu.distribute_cpus_across_cores)
    return refuse("DistributeCPUsAcrossNUMA", cores);
  if (cpu.prefer_align_cpus_by_uncorecache && cpu.distribute_cpus_across_cores)
    return refuse("PreferAlignByUncoreCacheOption", cores);
  if (cpu.prefer_align_cpus_by_uncorecache && cpu.distribute_cpus_across_numa)
    return refuse("PreferAlignByUncoreCacheOption", "DistributeCPUsAcrossNUMA");
  if (!cpu.align_by_socket) return {};
  if (topology == TopologyPolicy::kSingleNumaNode)
    return invalid_input(
        "topologyManager policy single-numa-node and CPUManager policy "
        "align-by-socket can not be used together");
  if (of.socket_count() > static_cast<int>(of.units(CpuLevel::kNuma).size()))
    return invalid_input(
        "align-by-socket is not compatible with hardware where number of sockets "
        "are more than number of NUMA");
  return {};
}

}  // namespace

Result<Kubelet> Kubelet::create(const Machine& machine, const KubeletRules& rules) {
  if (machine.cpus.empty()) return invalid_input("the machine has no CPU that is online");
  CpuTopology topology(machine, rules.form);
  NumaLayout layout = layout_of(machine, topology);
  for (const int id : layout.ids)
    if (id < 0 || id >= kNumaIds)
      return invalid_input("NUMA node " + std::to_string(id) + " is beyond what a kubelet knows");
  const int most = rules.form == KubeletForm::k1_20 ? TopologyOptions::kMostNodes
                                                    : rules.topology.max_allowable_numa_nodes;
  if (rules.topology.policy != TopologyPolicy::kNone &&
      layout.ids.size() > static_cast<std::size_t>(most))
    return invalid_input(
        "unsupported on machines with more than " + std::to_string(most) + " NUMA Nodes", {},
        "raise max-allowable-numa-nodes in topologyManagerPolicyOptions");
  if (rules.is_static && rules.form == KubeletForm::kToday)
    GEDGE_TRY(check_options(rules.cpu, rules.topology.policy, topology));
  if (rules.is_static && rules.needs_reservation && rules.reservation.count == 0)
    return invalid_input(
        "[cpumanager] the static policy requires systemreserved.cpu + kubereserved.cpu to be "
        "greater than zero",
        {}, "set kubeReserved.cpu, systemReserved.cpu or reservedSystemCPUs");
  if (rules.is_static && rules.reservation.cpus.last() >= topology.cpu_count())
    return invalid_input(
        "Invalid CPUSet \"" + to_string(rules.reservation.cpus) + "\" specified by --reserved-cpus",
        {}, "the machine has CPUs " + to_string(topology.cpus()));
  auto policy = StaticPolicy::create(std::move(topology), rules.cpu,
                                     rules.is_static ? rules.reservation : CpuReservation{});
  if (!policy) return std::move(policy).error();
  auto memory = MemoryDesk::create(machine, rules.memory);
  if (!memory) return std::move(memory).error();
  return Kubelet(*std::move(policy), *std::move(memory), std::move(layout), rules);
}

MergedHint Kubelet::merge(const PodCpus& pod, const CpuRequest* container) const {
  // Hints are as many as sets of NUMA nodes: nobody is asked for what nobody wants.
  if (rules_.topology.policy == TopologyPolicy::kNone) return {{}, true};
  std::vector<NumaHints> providers;
  const auto ask = [&](const auto& provider) {
    return container != nullptr ? provider.hints(pod, *container) : provider.hints(pod);
  };
  providers.push_back(rules_.is_static ? ask(policy_) : NumaHints{});
  providers.push_back(ask(memory_));
  for (NumaHints& hints : ask(devices_)) providers.push_back(std::move(hints));
  return merge_hints(layout_, rules_.form, rules_.topology, providers);
}

std::optional<PinRefusal> Kubelet::allocate(const PodCpus& pod) {
  const PinRefusal apart{"TopologyAffinityError",
                         "Resources cannot be allocated with Topology locality"};
  const bool whole = rules_.topology.scope == TopologyScope::kPod;
  MergedHint merged;
  if (whole) {
    merged = merge(pod, nullptr);
    if (!merged.admitted) return apart;
  }
  for (const CpuRequest& request : pod.containers) {
    if (!whole) merged = merge(pod, &request);
    if (!merged.admitted) return apart;
    if (rules_.is_static)
      if (auto refused = policy_.allocate(pod, request, merged.hint.nodes)) return refused;
    if (auto refused = memory_.allocate(pod, request, merged.hint)) return refused;
    if (auto refused = devices_.allocate(pod, request, merged.hint.nodes)) return refused;
  }
  return std::nullopt;
}

PinAnswer Kubelet::admit(const PodCpus& pod) {
  PinAnswer answer;
  const bool wishes = std::any_of(pod.containers.begin(), pod.containers.end(),
                                  [](const CpuRequest& each) { return !each.devices.empty(); });
  if (rules_.is_static || rules_.memory.is_static || wishes) {
    const StaticPolicy before = policy_;
    const MemoryDesk memory = memory_;
    const DeviceDesk devices = devices_;
    answer.refusal = allocate(pod);
    if (answer.refusal) {
      policy_ = before;
      memory_ = memory;
      devices_ = devices;
      return answer;
    }
  }
  const auto held = policy_.assignments().pods.find(pod.uid);
  for (const CpuRequest& request : pod.containers) {
    PinnedContainer made{request.container, request.role, false, policy_.assignments().shared};
    if (const DeviceChoice* const given = devices_.held_by(pod.uid, request.container))
      made.devices = *given;
    made.memory = memory_.held_by(pod.uid, request.container);
    if (held != policy_.assignments().pods.end())
      if (const auto at = held->second.find(request.container); at != held->second.end()) {
        made.exclusive = true;
        made.cpus = at->second;
      }
    answer.containers.push_back(std::move(made));
  }
  return answer;
}

void Kubelet::start(const PodCpus& pod) {
  for (const CpuRequest& request : pod.containers)
    if (request.role == ContainerRole::kInit) release(pod.uid, request.container);
}

void Kubelet::remove(const PodCpus& pod) {
  for (const CpuRequest& request : pod.containers) release(pod.uid, request.container);
}

void Kubelet::release(const std::string& uid, const std::string& container) {
  policy_.release(uid, container);
  memory_.release(uid, container);
  devices_.release(uid, container);
}

}  // namespace gedge
