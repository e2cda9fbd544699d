#include "io/hwloc_machine.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <string>
#include <utility>
#include <vector>

namespace gedge {
namespace {

class Reading {
 public:
  Reading(const HwlocLibrary& hwloc, hwloc_topology_t topology)
      : hwloc_(hwloc), topology_(topology) {}

  Result<Machine> run() {
    if (!all_fit()) return invalid_input("the machine has a CPU beyond " + kLastText);
    read_cpus();
    if (machine_.cpus.empty()) return invalid_input("the machine has no CPU");
    machine_.offline = set_of(hwloc_.complete_cpuset(topology_)) - machine_.cpu_set();
    read_packages();
    read_nodes();
    read_caches();
    read_kinds();
    read_distances();
    read_devices();
    return std::move(machine_);
  }

 private:
  static inline const std::string kLastText = std::to_string(CpuSet::kLast);
  using Object = hwloc_obj_t;

  bool all_fit() const {
    hwloc_const_bitmap_t all = hwloc_.complete_cpuset(topology_);
    return all == nullptr || hwloc_.bitmap_next(all, CpuSet::kLast) == -1;
  }

  CpuSet set_of(hwloc_const_bitmap_t bitmap) const {
    CpuSet set;
    if (bitmap == nullptr) return set;
    for (int cpu = hwloc_.bitmap_next(bitmap, -1); cpu >= 0 && cpu <= CpuSet::kLast;
         cpu = hwloc_.bitmap_next(bitmap, cpu))
      set.add(cpu);
    return set;
  }

  template <typename Visit>
  void each(int depth, Visit&& visit) const {
    if (depth == HWLOC_TYPE_DEPTH_UNKNOWN || depth == HWLOC_TYPE_DEPTH_MULTIPLE) return;
    const unsigned count = hwloc_.count_at(topology_, depth);
    for (unsigned i = 0; i < count; ++i)
      if (const Object object = hwloc_.object_at(topology_, depth, i)) visit(object);
  }
  template <typename Visit>
  void each(hwloc_obj_type_t type, Visit&& visit) const {
    each(hwloc_.type_depth(topology_, type), visit);
  }

  // A description may name CPUs that it does not have.
  CpuSet cpus_of(Object object) const { return set_of(object->cpuset) & online_; }

  Cpu* find(int id) {
    const auto at = std::lower_bound(machine_.cpus.begin(), machine_.cpus.end(), id,
                                     [](const Cpu& cpu, int wanted) { return cpu.id < wanted; });
    return at != machine_.cpus.end() && at->id == id ? &*at : nullptr;
  }
  template <typename Visit>
  void each_cpu(const CpuSet& set, Visit&& visit) {
    set.for_each([&](int id) {
      if (Cpu* const cpu = find(id)) visit(*cpu);
    });
  }

  // What has no number of its own counts from 0.
  static int number_of(Object object) {
    constexpr auto kUnknown = static_cast<unsigned>(-1);
    return static_cast<int>(object->os_index == kUnknown ? object->logical_index
                                                         : object->os_index);
  }

  void read_cpus() {
    each(HWLOC_OBJ_PU, [&](Object unit) {
      const int id = number_of(unit);
      machine_.cpus.push_back({id, id, 0, 0, -1, -1});
    });
    std::sort(machine_.cpus.begin(), machine_.cpus.end(),
              [](const Cpu& a, const Cpu& b) { return a.id < b.id; });
    // A description may give two the same number.
    const auto same = [](const Cpu& a, const Cpu& b) { return a.id == b.id; };
    machine_.cpus.erase(std::unique(machine_.cpus.begin(), machine_.cpus.end(), same),
                        machine_.cpus.end());
    online_ = machine_.cpu_set();
    each(HWLOC_OBJ_CORE, [&](Object core) {
      const CpuSet cpus = cpus_of(core);
      each_cpu(cpus, [&](Cpu& cpu) { cpu.core = cpus.first(); });
    });
  }

  void read_packages() {
    each(HWLOC_OBJ_PACKAGE, [&](Object package) {
      each_cpu(set_of(package->cpuset), [&](Cpu& cpu) { cpu.socket = number_of(package); });
    });
  }

  void read_nodes() {
    each(HWLOC_TYPE_DEPTH_NUMANODE, [&](Object node) {
      machine_.numa_nodes.push_back(
          {number_of(node), node->attr->numanode.local_memory, cpus_of(node)});
    });
    auto& nodes = machine_.numa_nodes;
    std::sort(nodes.begin(), nodes.end(),
              [](const NumaNode& a, const NumaNode& b) { return a.id < b.id; });
    // Of several memories beside a CPU (HBM, persistent memory) the first one counts.
    for (auto node = nodes.rbegin(); node != nodes.rend(); ++node)
      each_cpu(node->cpus, [&](Cpu& cpu) { cpu.numa = node->id; });
  }

  void read_caches() {
    constexpr std::array kTypes{HWLOC_OBJ_L5CACHE, HWLOC_OBJ_L4CACHE, HWLOC_OBJ_L3CACHE,
                                HWLOC_OBJ_L2CACHE, HWLOC_OBJ_L1CACHE};
    for (const hwloc_obj_type_t type : kTypes)
      each(type, [&](Object cache) {
        machine_.caches.push_back(
            {static_cast<int>(cache->attr->cache.depth), cache->attr->cache.size, cpus_of(cache)});
      });
    auto& caches = machine_.caches;
    std::stable_sort(caches.begin(), caches.end(), [](const Cache& a, const Cache& b) {
      return a.level != b.level ? a.level > b.level : a.cpus.first() < b.cpus.first();
    });
    for (std::size_t i = caches.size(); i-- > 0;)
      if (caches[i].level >= Cache::kUncore)
        each_cpu(caches[i].cpus, [&](Cpu& cpu) { cpu.cache = static_cast<int>(i); });
  }

  void read_kinds() {
    const int kinds = hwloc_.kinds(topology_, 0);
    if (kinds < 2) return;
    hwloc_bitmap_t cpus = hwloc_.bitmap_alloc();
    for (int kind = 0; kind < kinds; ++kind)
      if (hwloc_.kind_info(topology_, static_cast<unsigned>(kind), cpus, nullptr, nullptr, nullptr,
                           0) == 0)
        each_cpu(set_of(cpus), [&](Cpu& cpu) { cpu.kind = kind; });
    hwloc_.bitmap_free(cpus);
  }

  void read_distances() {
    unsigned count = 1;
    hwloc_distances_s* found = nullptr;
    const auto kind = static_cast<unsigned long>(HWLOC_DISTANCES_KIND_MEANS_LATENCY);
    if (hwloc_.distances_by_type(topology_, HWLOC_OBJ_NUMANODE, &count, &found, kind, 0) != 0 ||
        count == 0 || found == nullptr)
      return;
    const std::size_t size = machine_.numa_nodes.size();
    if (found->nbobjs == size) {
      machine_.distances.assign(size * size, 0);
      for (std::size_t i = 0; i < size; ++i)
        for (std::size_t j = 0; j < size; ++j)
          machine_.distances[place(found->objs[i]) * size + place(found->objs[j])] =
              static_cast<std::uint32_t>(
                  std::min<hwloc_uint64_t>(found->values[i * size + j], UINT32_MAX));
    }
    hwloc_.distances_release(topology_, found);
  }

  std::size_t place(Object node) const {
    std::size_t at = 0;
    while (at + 1 < machine_.numa_nodes.size() && machine_.numa_nodes[at].id != number_of(node))
      ++at;
    return at;
  }

  static DeviceKind kind_of(hwloc_obj_osdev_type_t type) {
    switch (type) {
      case HWLOC_OBJ_OSDEV_GPU:
      case HWLOC_OBJ_OSDEV_COPROC:
        return DeviceKind::kGpu;
      case HWLOC_OBJ_OSDEV_NETWORK:
      case HWLOC_OBJ_OSDEV_OPENFABRICS:
        return DeviceKind::kNetwork;
      case HWLOC_OBJ_OSDEV_BLOCK:
        return DeviceKind::kStorage;
      default:
        return DeviceKind::kOther;
    }
  }

  static std::string address_of(const hwloc_obj_attr_u::hwloc_pcidev_attr_s& at) {
    std::array<char, 32> text{};
    const unsigned domain = at.domain, bus = at.bus, device = at.dev, function = at.func;
    std::snprintf(text.data(), text.size(), "%04x:%02x:%02x.%x", domain, bus, device, function);
    return text.data();
  }

  // A host bridge has no address of its own: it is named after the bus behind it, as in /sys.
  static std::string name_of(const hwloc_obj_attr_u::hwloc_bridge_attr_s& bridge) {
    if (bridge.upstream_type == HWLOC_OBJ_BRIDGE_PCI) return address_of(bridge.upstream.pci);
    std::array<char, 16> text{};
    const unsigned domain = bridge.downstream.pci.domain, bus = bridge.downstream.pci.secondary_bus;
    std::snprintf(text.data(), text.size(), "%04x:%02x", domain, bus);
    return text.data();
  }

  void read_devices() {
    each(HWLOC_TYPE_DEPTH_OS_DEVICE, [&](Object object) {
      Device device{
          kind_of(object->attr->osdev.type), object->name != nullptr ? object->name : "", {}, {}};
      if (device.kind == DeviceKind::kOther) return;
      Object above = object->parent;
      for (; above != nullptr && above->cpuset == nullptr; above = above->parent) {
        if (device.bus.empty() && above->type == HWLOC_OBJ_PCI_DEVICE)
          device.bus = address_of(above->attr->pcidev);
        if (above->type == HWLOC_OBJ_BRIDGE) device.bridges.push_back(name_of(above->attr->bridge));
      }
      std::reverse(device.bridges.begin(), device.bridges.end());
      if (above != nullptr) device.near = cpus_of(above);
      if (!device.bus.empty()) machine_.devices.push_back(std::move(device));
    });
    std::sort(machine_.devices.begin(), machine_.devices.end(),
              [](const Device& a, const Device& b) {
                return a.bus != b.bus ? a.bus < b.bus : a.name < b.name;
              });
  }

  const HwlocLibrary& hwloc_;
  hwloc_topology_t topology_;
  Machine machine_;
  CpuSet online_;
};

}  // namespace

Result<Machine> machine_of(const HwlocLibrary& hwloc, hwloc_topology_t topology) {
  return Reading(hwloc, topology).run();
}

}  // namespace gedge
