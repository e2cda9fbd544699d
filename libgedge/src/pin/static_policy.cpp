// Source: pkg/kubelet/cm/cpumanager/policy_static.go of Kubernetes, 1.20 and 1.36.
#include "gedge/pin/static_policy.hpp"

#include <algorithm>

namespace gedge {
namespace {

std::string quoted(const CpuSet& set) { return '"' + to_string(set) + '"'; }

}  // namespace

Result<StaticPolicy> StaticPolicy::create(CpuTopology topology, const StaticOptions& options,
                                          const CpuReservation& reservation) {
  StaticPolicy policy(std::move(topology), options);
  policy.reserved_ = reservation.cpus;
  if (policy.reserved_.empty())
    policy.reserved_ =
        take_cpus(policy.topology_, options, policy.topology_.cpus(), reservation.count)
            .value_or(CpuSet{});
  if (policy.reserved_.size() != reservation.count)
    return invalid_input("[cpumanager] unable to reserve the required amount of CPUs (size of " +
                             to_string(policy.reserved_) + " did not equal " +
                             std::to_string(reservation.count) + ")",
                         {},
                         "let the reserved CPUs be as many as kubeReserved and systemReserved say");
  for (const CpuUnit& core : policy.topology_.units(CpuLevel::kCore))
    if (core.cpus.meets(policy.reserved_)) policy.reserved_cores_ |= core.cpus;
  policy.assignments_.shared = policy.topology_.cpus();
  if (options.strict_cpu_reservation) policy.assignments_.shared -= policy.reserved_;
  return policy;
}

Status StaticPolicy::restore(CpuAssignments assignments) {
  const auto refuse = [](std::string what) {
    return Error{
        Errc::kConflict, std::move(what), {}, "drain the node, then remove the state file"};
  };
  const CpuSet& shared = assignments.shared;
  if (shared.empty() && !assignments.pods.empty()) return refuse("default cpuset cannot be empty");
  if (shared.empty()) return {};
  if (options_.strict_cpu_reservation && reserved_.meets(shared))
    return refuse("some of strictly reserved cpus: " + quoted(reserved_ & shared) +
                  " are present in defaultCpuSet: " + quoted(shared));
  if (!options_.strict_cpu_reservation && !reserved_.is_subset_of(shared))
    return refuse("not all reserved cpus: " + quoted(reserved_) +
                  " are present in defaultCpuSet: " + quoted(shared));
  CpuSet known = shared;
  for (const auto& [uid, containers] : assignments.pods)
    for (const auto& [name, cpus] : containers) {
      if (cpus.meets(shared))
        return refuse("pod: " + uid + ", container: " + name + " cpuset: " + quoted(cpus) +
                      " overlaps with default cpuset " + quoted(shared));
      known |= cpus;
    }
  CpuSet all = topology_.cpus();
  if (options_.strict_cpu_reservation) all -= reserved_;
  if (known != all)
    return refuse("current set of available CPUs " + quoted(all) +
                  " doesn't match with CPUs in state " + quoted(known));
  resume(std::move(assignments));
  return {};
}

void StaticPolicy::resume(CpuAssignments assignments) {
  assignments_ = std::move(assignments);
  reusing_.clear();
  reusable_ = {};
}

const CpuSet* StaticPolicy::held_by(const std::string& uid, const std::string& container) const {
  const auto pod = assignments_.pods.find(uid);
  if (pod == assignments_.pods.end()) return nullptr;
  const auto held = pod->second.find(container);
  return held == pod->second.end() ? nullptr : &held->second;
}

CpuSet StaticPolicy::reusable(const std::string& uid) const {
  return uid == reusing_ ? reusable_ : CpuSet{};
}

void StaticPolicy::note_reusable(const std::string& uid, ContainerRole role, const CpuSet& cpus) {
  if (uid != reusing_) reusable_ = {};
  reusing_ = uid;
  if (role == ContainerRole::kInit)
    reusable_ |= cpus;
  else
    reusable_ -= cpus;
}

std::optional<PinRefusal> StaticPolicy::check_cores(int cpus) const {
  if (!options_.full_pcpus_only || topology_.form() == KubeletForm::k1_20) return std::nullopt;
  const int per_core = topology_.cpus_per_core();
  constexpr const char* kReason = "SMTAlignmentError";
  if (cpus % per_core != 0)
    return PinRefusal{kReason,
                      "SMT Alignment Error: requested " + std::to_string(cpus) +
                          " cpus not multiple cpus per core = " + std::to_string(per_core)};
  const int free = (assignments_.shared - reserved_cores_).size();
  if (cpus <= free) return std::nullopt;
  return PinRefusal{kReason,
                    "SMT Alignment Error: not enough free physical CPUs: available physical CPUs "
                    "= " +
                        std::to_string(free) + ", requested CPUs = " + std::to_string(cpus) +
                        ", CPUs per core = " + std::to_string(per_core)};
}

std::optional<PinRefusal> StaticPolicy::refuse(int wanted, int free) const {
  std::string what = "not enough cpus available to satisfy request";
  if (topology_.form() == KubeletForm::kToday)
    what += ": requested=" + std::to_string(wanted) + ", available=" + std::to_string(free);
  return PinRefusal{"UnexpectedAdmissionError",
                    "Allocate failed due to " + what + ", which is unexpected"};
}

CpuSet StaticPolicy::cpus_near(NumaMask nodes, const CpuSet& among) const {
  CpuSet near;
  for (const CpuUnit& node : topology_.units(CpuLevel::kNuma))
    if ((nodes & numa_bit(node.id)) != 0) near |= node.cpus;
  if (options_.align_by_socket && topology_.form() == KubeletForm::kToday) {
    CpuSet wide;
    for (const CpuUnit& socket : topology_.units(CpuLevel::kSocket))
      if (socket.cpus.meets(near)) wide |= socket.cpus;
    near = std::move(wide);
  }
  return near & among;
}

std::optional<PinRefusal> StaticPolicy::allocate(const PodCpus& pod, const CpuRequest& request,
                                                 std::optional<NumaMask> affinity) {
  if (request.cpus == 0) return std::nullopt;
  if (auto refused = check_cores(request.cpus)) return refused;
  if (const CpuSet* held = held_by(pod.uid, request.container)) {
    note_reusable(pod.uid, request.role, *held);
    return std::nullopt;
  }
  const CpuSet usable = free() | reusable(pod.uid);
  CpuSet taken;
  if (affinity) {
    const CpuSet near = cpus_near(*affinity, usable);
    // Never more than there are: there is always an answer.
    taken = take_cpus(topology_, options_, near, std::min(near.size(), request.cpus))
                .value_or(CpuSet{});
  }
  const CpuSet left = usable - taken;
  const int missing = request.cpus - taken.size();
  const auto rest = take_cpus(topology_, options_, left, missing);
  if (!rest) return refuse(missing, left.size());
  taken |= *rest;
  assignments_.shared -= taken;
  note_reusable(pod.uid, request.role, taken);
  assignments_.pods[pod.uid][request.container] = std::move(taken);
  return std::nullopt;
}

void StaticPolicy::release(const std::string& uid, const std::string& container) {
  const auto pod = assignments_.pods.find(uid);
  if (pod == assignments_.pods.end()) return;
  const auto held = pod->second.find(container);
  if (held == pod->second.end()) return;
  CpuSet cpus = std::move(held->second);
  pod->second.erase(held);
  if (topology_.form() == KubeletForm::kToday)
    for (const auto& [name, others] : pod->second) cpus -= others;
  if (pod->second.empty()) assignments_.pods.erase(pod);
  assignments_.shared |= cpus;
}

bool StaticPolicy::is_aligned_by_socket(NumaMask nodes, int fewest) const {
  const int numa = static_cast<int>(topology_.units(CpuLevel::kNuma).size());
  const int per_socket = numa / topology_.socket_count();
  if (per_socket == 0) return false;
  const int fewest_sockets = (fewest + per_socket - 1) / per_socket;
  CpuSet cpus;
  for (const CpuUnit& node : topology_.units(CpuLevel::kNuma))
    if ((nodes & numa_bit(node.id)) != 0) cpus |= node.cpus;
  int sockets = 0;
  for (const CpuUnit& socket : topology_.units(CpuLevel::kSocket))
    if (socket.cpus.meets(cpus)) ++sockets;
  return sockets == fewest_sockets;
}

std::vector<NumaHint> StaticPolicy::hints(const CpuSet& free, const CpuSet& reusable,
                                          int cpus) const {
  const auto& nodes = topology_.units(CpuLevel::kNuma);
  struct Node {
    NumaMask bit = 0;
    int all = 0, usable = 0;
  };
  std::vector<Node> counts;
  std::vector<int> ids;
  NumaMask needed = 0;
  for (const CpuUnit& node : nodes) {
    ids.push_back(node.id);
    const int again = node.cpus.common(reusable);
    if (again > 0) needed |= numa_bit(node.id);
    counts.push_back({numa_bit(node.id), node.cpus.size(), again + node.cpus.common(free)});
  }
  int fewest = static_cast<int>(nodes.size());
  std::vector<NumaHint> hints;
  each_numa_mask(ids, [&](NumaMask mask) {
    int all = 0, usable = 0;
    for (const Node& node : counts)
      if ((mask & node.bit) != 0) {
        all += node.all;
        usable += node.usable;
      }
    if (all >= cpus) fewest = std::min(fewest, count_of(mask));
    if ((mask & needed) == needed && usable >= cpus) hints.push_back({mask, false});
  });
  const bool by_socket = options_.align_by_socket && topology_.form() == KubeletForm::kToday;
  for (NumaHint& hint : hints)
    hint.preferred =
        count_of(*hint.nodes) == fewest || (by_socket && is_aligned_by_socket(*hint.nodes, fewest));
  return hints;
}

NumaHints StaticPolicy::hints(const PodCpus& pod, const CpuRequest& request) const {
  if (request.cpus == 0) return std::nullopt;
  if (const CpuSet* held = held_by(pod.uid, request.container)) {
    if (held->size() != request.cpus) return std::vector<NumaHint>{};
    return hints(*held, {}, request.cpus);
  }
  return hints(free(), reusable(pod.uid), request.cpus);
}

NumaHints StaticPolicy::hints(const PodCpus& pod) const {
  const int most = pod.most();
  if (most == 0) return std::nullopt;
  CpuSet held_by_all;
  for (const CpuRequest& request : pod.containers)
    if (const CpuSet* held = held_by(pod.uid, request.container)) {
      if (held->size() != request.cpus) return std::vector<NumaHint>{};
      held_by_all |= *held;
    }
  if (held_by_all.size() == most) return hints(held_by_all, {}, most);
  return hints(free(), reusable(pod.uid) | held_by_all, most);
}

}  // namespace gedge
