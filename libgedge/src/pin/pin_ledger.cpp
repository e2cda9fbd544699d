#include "gedge/pin/pin_ledger.hpp"

#include <algorithm>
#include <charconv>
#include <map>
#include <utility>

namespace gedge {
namespace {

constexpr const char* kContainer = "run";
constexpr std::string_view kGroup = "group-";

// What stands in the place of a container's name.
std::string part_of(const PinHolder& holder) {
  const auto* const group = std::get_if<GroupId>(&holder);
  return group != nullptr ? group->path : kContainer;
}

CpuSet held_in(const CpuAssignments& ledger) {
  CpuSet held;
  for (const auto& [uid, containers] : ledger.pods)
    for (const auto& [name, cpus] : containers) held |= cpus;
  return held;
}

// The ledger as a kubelet of a machine with these CPUs would have it.
CpuAssignments within(const CpuAssignments& ledger, const CpuSet& all) {
  CpuAssignments seen;
  for (const auto& [uid, containers] : ledger.pods)
    for (const auto& [name, cpus] : containers)
      if (cpus.meets(all)) seen.pods[uid][name] = cpus & all;
  seen.shared = all - held_in(ledger);
  return seen;
}

std::string counted_cpus(int count) {
  return count == 1 ? "1 CPU" : std::to_string(count) + " CPUs";
}

Error too_few(int wanted, const CpuSet& all, const CpuSet& free) {
  if (wanted > all.size())
    return {Errc::kDenied,
            counted_cpus(wanted) + " wanted, but only " + counted_cpus(all.size()) +
                " may be used: " + to_string(all),
            {},
            "ask for fewer with `--cpus`"};
  return {Errc::kDenied,
          counted_cpus(wanted) + " wanted, but only " + std::to_string(free.size()) + " of " +
              counted_cpus(all.size()) + " free" +
              (free.empty() ? std::string() : ": " + to_string(free)),
          {},
          "wait until a pinned process ends, or ask for fewer with `--cpus`"};
}

void name_nodes(const Machine& machine, CpuGrant& granted) {
  for (const NumaNode& node : machine.numa_nodes)
    if (node.cpus.meets(granted.cpus)) granted.nodes.push_back(node.id);
}

// Beside others: what somebody holds is left out, and nothing is written down.
Result<CpuGrant> share(const CpuAssignments& ledger, const Machine& seen, const CpuSet& among) {
  const CpuSet all = seen.cpu_set();
  if (!among.is_subset_of(all))
    return Error{Errc::kDenied,
                 "CPUs " + to_string(among - all) + " may not be used, only " + to_string(all),
                 {},
                 "`gedge pin show` draws the machine"};
  CpuGrant granted{among - held_in(ledger), {}, {}, false};
  if (granted.cpus.empty())
    return Error{Errc::kDenied,
                 "CPUs " + to_string(among) + " are held by others, there is none to share",
                 {},
                 "wait until a pinned process ends; `gedge pin check` lists them"};
  name_nodes(seen, granted);
  return granted;
}

Error no_device(const Machine& machine, const DeviceWish& wish) {
  Error error{Errc::kNotFound, "this machine has no device '" + text_of(wish) + "'", {}, {}};
  for (const Device& device : machine.devices)
    error.hint += (error.hint.empty() ? "it has " : ", ") + device.name;
  return error;
}

Error too_many_nodes(std::size_t nodes) {
  return {Errc::kDenied,
          "CPUs are aligned on machines of at most " + std::to_string(TopologyOptions::kMostNodes) +
              " NUMA nodes, and this one has " + std::to_string(nodes),
          {},
          "leave out `--near` and the policy of the topology manager"};
}

}  // namespace

std::string holder_name(const PinHolder& holder) {
  if (const auto* const group = std::get_if<GroupId>(&holder))
    return std::string(kGroup) + std::to_string(group->number) +
           (group->space != 0 ? '-' + std::to_string(group->space) : std::string());
  const auto& process = std::get<ProcessId>(holder);
  return std::to_string(process.pid) + '-' + std::to_string(process.started);
}

std::optional<ProcessId> holder_process(std::string_view name) {
  ProcessId process;
  const char* const end = name.data() + name.size();
  const auto pid = std::from_chars(name.data(), end, process.pid);
  if (pid.ec != std::errc{} || pid.ptr == end || *pid.ptr != '-' || process.pid <= 0)
    return std::nullopt;
  const auto started = std::from_chars(pid.ptr + 1, end, process.started);
  if (started.ec != std::errc{} || started.ptr != end || holder_name(process) != name)
    return std::nullopt;
  return process;
}

std::optional<PinHolder> holder_of(std::string_view name, const CpuAssignments::OfPod& parts) {
  if (const auto process = holder_process(name)) return *process;
  if (!name.starts_with(kGroup) || parts.size() != 1 || !parts.begin()->first.starts_with('/'))
    return std::nullopt;
  GroupId group{parts.begin()->first, 0};
  const std::string_view number = name.substr(kGroup.size());
  const char* const end = number.data() + number.size();
  const auto read = std::from_chars(number.data(), end, group.number);
  if (read.ec != std::errc{}) return std::nullopt;
  if (read.ptr != end) std::from_chars(read.ptr + 1, end, group.space);
  if (holder_name(group) != name) return std::nullopt;
  return group;
}

Machine machine_within(const Machine& machine, const CpuSet& allowed) {
  Machine seen = machine;
  std::erase_if(seen.cpus, [&](const Cpu& cpu) { return !allowed.contains(cpu.id); });
  std::map<int, int> first_of_core;  // a core is named after its lowest CPU
  for (Cpu& cpu : seen.cpus) cpu.core = first_of_core.try_emplace(cpu.core, cpu.id).first->second;
  for (NumaNode& node : seen.numa_nodes) node.cpus &= allowed;
  for (Cache& cache : seen.caches) cache.cpus &= allowed;
  return seen;
}

void reclaim(CpuAssignments& ledger, const std::function<bool(const PinHolder&)>& lives) {
  std::erase_if(ledger.pods, [&](const auto& entry) {
    const auto holder = holder_of(entry.first, entry.second);
    return holder && !lives(*holder);
  });
}

Result<Kubelet> kubelet_for(const CpuAssignments& ledger, const Machine& machine,
                            const StaticOptions& options, TopologyPolicy topology) {
  KubeletRules rules;
  rules.is_static = true;
  rules.needs_reservation = false;
  rules.cpu = options;
  rules.topology.policy = topology;
  rules.topology.max_allowable_numa_nodes = kNumaIds;
  auto kubelet = Kubelet::create(machine, rules);
  if (kubelet) kubelet->resume(within(ledger, machine.cpu_set()));
  return kubelet;
}

namespace {

Result<CpuGrant> grant_exclusive(CpuAssignments& ledger, const Machine& machine,
                                 const Machine& seen, const CpuAsk& ask, const PinHolder& holder) {
  const CpuSet all = seen.cpu_set();
  const CpuSet free = all - held_in(ledger);
  if (ask.cpus < 1) return invalid_input("at least 1 CPU is to be asked for");
  if (ask.cpus > free.size()) return too_few(ask.cpus, all, free);

  for (const DeviceWish& wish : ask.near)
    if (devices_for(machine, wish).empty()) return no_device(machine, wish);
  const bool is_wished = !ask.near.empty() && ask.topology == TopologyPolicy::kNone;
  const TopologyPolicy topology = is_wished ? TopologyPolicy::kBestEffort : ask.topology;
  if (topology != TopologyPolicy::kNone && seen.numa_nodes.size() > TopologyOptions::kMostNodes)
    return too_many_nodes(seen.numa_nodes.size());
  auto kubelet = kubelet_for(ledger, seen, ask.options, topology);
  if (!kubelet) return std::move(kubelet).error();
  kubelet->know_devices(machine);
  const PodCpus pod{holder_name(holder),
                    {{part_of(holder), ContainerRole::kApp, ask.cpus, ask.near}}};
  const PinAnswer answer = kubelet->admit(pod);
  if (answer.refusal) {
    Error error{Errc::kDenied, answer.refusal->message, {}, {}};
    error.hint = "free are CPUs " + to_string(free) + "; `gedge pin show` draws the machine";
    return error;
  }
  CpuGrant granted{answer.containers.front().cpus, {}, answer.containers.front().devices};
  name_nodes(seen, granted);
  ledger.pods[pod.uid][part_of(holder)] = granted.cpus;
  settle_shared(ledger, machine.cpu_set());
  return granted;
}

}  // namespace

Result<CpuGrant> grant(CpuAssignments& ledger, const Machine& machine, const CpuSet& allowed,
                       const CpuAsk& ask, const PinHolder& holder) {
  const Machine seen = machine_within(machine, allowed);
  if (ask.mode == PinMode::kShared) return share(ledger, seen, ask.shared);
  auto granted = grant_exclusive(ledger, machine, seen, ask, holder);
  if (granted || ask.mode == PinMode::kExclusive || granted.error().code != Errc::kDenied)
    return granted;
  return share(ledger, seen, seen.cpu_set());
}

void give_back(CpuAssignments& ledger, const PinHolder& holder) {
  ledger.pods.erase(holder_name(holder));
}

void settle_shared(CpuAssignments& ledger, const CpuSet& all) {
  ledger.shared = all - held_in(ledger);
}

}  // namespace gedge
