// Classes of distance as NVIDIA's topology matrix has them: a switch is an upstream bridge with one
// downstream bridge a port, so two devices behind one switch have one bridge each below the bridge
// that they share.
#include "gedge/pin/devices.hpp"

#include <algorithm>
#include <initializer_list>
#include <utility>

namespace gedge {
namespace {

class Choosing {
 public:
  Choosing(const Machine& machine, const std::vector<DeviceWish>& wishes,
           std::optional<NumaMask> nodes, const TakenDevices& taken)
      : machine_(machine), nodes_(nodes) {
    for (const DeviceWish& wish : wishes) {
      const std::vector<std::size_t> candidates = devices_for(machine, wish, taken);
      for (int i = 0; i < wish.count; ++i) slots_.push_back({candidates, i > 0});
    }
  }

  std::optional<DeviceChoice> run() {
    walk(0, 0, 0);
    if (!best_ || steps_ > kMostSteps) return std::nullopt;
    return DeviceChoice{std::move(best_->devices), best_->cost};
  }

 private:
  static constexpr std::size_t kMostSteps = 1'000'000;

  struct Slot {
    std::vector<std::size_t> candidates;
    bool follows = false;  // the slot before is for the same wish: devices ascend
  };
  struct Way {
    std::vector<std::size_t> devices;
    int far = 0, cost = 0;
  };

  bool is_far(const Device& device) const {
    return nodes_ && (numa_of(machine_, device) & *nodes_) == 0;
  }
  bool is_taken(const Device& device) const {
    return std::any_of(now_.begin(), now_.end(),
                       [&](std::size_t at) { return machine_.devices[at].bus == device.bus; });
  }

  // Ways come in the order of their indices: a later one wins only if it is better.
  void walk(std::size_t slot, int far, int cost) {
    if (++steps_ > kMostSteps) return;
    if (best_ && std::pair(far, cost) >= std::pair(best_->far, best_->cost)) return;
    if (slot == slots_.size()) {
      best_ = Way{now_, far, cost};
      return;
    }
    for (const std::size_t at : slots_[slot].candidates) {
      if (slots_[slot].follows && at <= now_.back()) continue;
      const Device& device = machine_.devices[at];
      if (is_taken(device)) continue;
      int more = 0;
      for (const std::size_t other : now_)
        more += cost_of(device_cost(machine_, device, machine_.devices[other]));
      now_.push_back(at);
      walk(slot + 1, far + (is_far(device) ? 1 : 0), cost + more);
      now_.pop_back();
    }
  }

  const Machine& machine_;
  std::optional<NumaMask> nodes_;
  std::vector<Slot> slots_;
  std::vector<std::size_t> now_;
  std::optional<Way> best_;
  std::size_t steps_ = 0;
};

}  // namespace

NumaMask numa_of(const Machine& machine, const Device& device) {
  NumaMask near = 0, all = 0;
  for (const NumaNode& node : machine.numa_nodes) {
    if (node.id < 0 || node.id >= kNumaIds) continue;
    all |= numa_bit(node.id);
    if (node.cpus.meets(device.near)) near |= numa_bit(node.id);
  }
  return near != 0 ? near : all;
}

DeviceCost device_cost(const Machine& machine, const Device& a, const Device& b) {
  if (a.bus == b.bus) return DeviceCost::kSame;
  const auto fork =
      std::mismatch(a.bridges.begin(), a.bridges.end(), b.bridges.begin(), b.bridges.end());
  const auto shared = fork.first - a.bridges.begin();
  if (shared >= 2) {
    const auto most = std::max(a.bridges.end() - fork.first, b.bridges.end() - fork.second);
    return most <= 1 ? DeviceCost::kPix : DeviceCost::kPxb;
  }
  const bool one_node = shared == 1 || numa_of(machine, a) == numa_of(machine, b);
  return one_node ? DeviceCost::kNode : DeviceCost::kSystem;
}

std::string_view word_of(DeviceKind kind) {
  switch (kind) {
    case DeviceKind::kGpu:
      return "gpu";
    case DeviceKind::kNetwork:
      return "network";
    case DeviceKind::kStorage:
      return "storage";
    case DeviceKind::kOther:
      break;
  }
  return "other";
}

DeviceWish device_wish(std::string_view word) {
  for (const DeviceKind kind : {DeviceKind::kGpu, DeviceKind::kNetwork, DeviceKind::kStorage})
    if (word_of(kind) == word) return {kind, {}, 1};
  return {std::nullopt, std::string(word), 1};
}

std::string text_of(const DeviceWish& wish) {
  return wish.kind ? std::string(word_of(*wish.kind)) : wish.name;
}

std::vector<std::size_t> devices_for(const Machine& machine, const DeviceWish& wish,
                                     const TakenDevices& taken) {
  std::vector<std::size_t> found;
  for (std::size_t i = 0; i < machine.devices.size(); ++i) {
    const Device& device = machine.devices[i];
    const bool fits =
        wish.kind ? device.kind == *wish.kind : device.name == wish.name || device.bus == wish.name;
    const bool is_again = !found.empty() && machine.devices[found.back()].bus == device.bus;
    if (fits && !is_again && !taken.contains(device.bus)) found.push_back(i);
  }
  return found;
}

std::vector<NumaHint> device_hints(const Machine& machine, const DeviceWish& wish,
                                   const TakenDevices& taken) {
  struct Place {
    NumaMask nodes = 0;
    bool free = false;
  };
  std::vector<Place> places;
  for (const std::size_t at : devices_for(machine, wish)) {
    const Device& device = machine.devices[at];
    places.push_back({numa_of(machine, device), !taken.contains(device.bus)});
  }
  std::vector<int> ids;
  for (const NumaNode& node : machine.numa_nodes) ids.push_back(node.id);
  std::vector<NumaHint> hints;
  int fewest = static_cast<int>(ids.size());
  each_numa_mask(ids, [&](NumaMask mask) {
    int all = 0, free = 0;
    for (const Place& place : places) {
      if ((place.nodes & mask) == 0) continue;
      ++all;
      free += place.free ? 1 : 0;
    }
    if (all >= wish.count) fewest = std::min(fewest, count_of(mask));
    if (free >= wish.count) hints.push_back({mask, false});
  });
  for (NumaHint& hint : hints) hint.preferred = count_of(*hint.nodes) == fewest;
  return hints;
}

std::optional<DeviceChoice> choose_devices(const Machine& machine,
                                           const std::vector<DeviceWish>& wishes,
                                           std::optional<NumaMask> nodes,
                                           const TakenDevices& taken) {
  return Choosing(machine, wishes, nodes, taken).run();
}

}  // namespace gedge
