// Distances of devices and the choice among them, beside the plainest way to find both.
#include "gedge/pin/devices.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "support/dice.hpp"

namespace gedge {
namespace {

using test::Dice;

// Node i has CPUs 2i and 2i+1.
Machine machine_of(int nodes) {
  Machine machine;
  for (int node = 0; node < nodes; ++node) {
    const CpuSet cpus = CpuSet::range(2 * node, 2 * node + 1);
    machine.numa_nodes.push_back({node, 0, cpus});
    cpus.for_each([&](int cpu) { machine.cpus.push_back({cpu, cpu, node, node, -1, -1}); });
  }
  return machine;
}

Device device(DeviceKind kind, const std::string& bus, int node, std::vector<std::string> bridges) {
  return {kind, "at-" + bus, bus, CpuSet::range(2 * node, 2 * node + 1), std::move(bridges)};
}

// Two nodes. On node 0 a switch 02 below port 01 with GPUs a and b and a disk one switch further, a
// network card at a port of its own; on node 1 a GPU and a network card behind one switch.
Machine two_sockets() {
  Machine machine = machine_of(2);
  machine.devices = {
      device(DeviceKind::kGpu, "0000:04:00.0", 0, {"0000:00", "01", "02", "03.0"}),
      device(DeviceKind::kGpu, "0000:05:00.0", 0, {"0000:00", "01", "02", "03.1"}),
      device(DeviceKind::kStorage, "0000:08:00.0", 0,
             {"0000:00", "01", "02", "03.2", "06", "07.0"}),
      device(DeviceKind::kNetwork, "0000:09:00.0", 0, {"0000:00", "08"}),
      device(DeviceKind::kGpu, "0000:84:00.0", 1, {"0000:80", "81", "82", "83.0"}),
      device(DeviceKind::kNetwork, "0000:85:00.0", 1, {"0000:80", "81", "82", "83.1"}),
  };
  return machine;
}

int cost(const Machine& machine, std::size_t a, std::size_t b) {
  return cost_of(device_cost(machine, machine.devices[a], machine.devices[b]));
}

// By the lengths of paths, as if they were directories: one more below the last that is shared is
// the same switch.
int plain_cost(const Machine& machine, const Device& a, const Device& b) {
  if (a.bus == b.bus) return 0;
  std::size_t shared = 0;
  while (shared < a.bridges.size() && shared < b.bridges.size() &&
         a.bridges[shared] == b.bridges[shared])
    ++shared;
  if (shared > 1) {
    if (a.bridges.size() > shared + 1 || b.bridges.size() > shared + 1) return 3;
    return 2;
  }
  if (shared == 1) return 4;
  for (const NumaNode& node : machine.numa_nodes)
    if (node.cpus.meets(a.near) != node.cpus.meets(b.near)) return 5;
  return 4;
}

// Every way to put devices into places, and the first of the best.
std::optional<DeviceChoice> plain_choice(const Machine& machine,
                                         const std::vector<DeviceWish>& wishes,
                                         std::optional<NumaMask> nodes) {
  std::vector<DeviceWish> places;
  for (const DeviceWish& wish : wishes)
    for (int i = 0; i < wish.count; ++i) places.push_back(wish);
  std::vector<std::size_t> now(places.size(), 0);
  std::optional<std::pair<int, DeviceChoice>> best;
  const std::size_t devices = machine.devices.size();
  std::size_t ways = 1;
  for (std::size_t i = 0; i < places.size(); ++i) ways *= devices;
  for (std::size_t way = 0; way < ways; ++way) {
    std::size_t left = way;
    for (std::size_t i = places.size(); i-- > 0; left /= devices) now[i] = left % devices;
    bool fits = true;
    int far = 0, sum = 0;
    for (std::size_t i = 0; i < now.size(); ++i) {
      const Device& at = machine.devices[now[i]];
      fits = fits && (places[i].kind ? at.kind == *places[i].kind : at.name == places[i].name);
      far += nodes && (numa_of(machine, at) & *nodes) == 0 ? 1 : 0;
      for (std::size_t j = 0; j < i; ++j) {
        fits = fits && machine.devices[now[j]].bus != at.bus;
        sum += plain_cost(machine, machine.devices[now[j]], at);
      }
    }
    if (!fits) continue;
    DeviceChoice choice{now, sum};
    // Within one wish the order says nothing: the lowest first.
    std::size_t begin = 0;
    for (const DeviceWish& wish : wishes) {
      const auto first = choice.devices.begin() + static_cast<std::ptrdiff_t>(begin);
      std::sort(first, first + wish.count);
      begin += static_cast<std::size_t>(wish.count);
    }
    if (choice.devices != now) continue;
    if (!best || std::pair(far, sum) < std::pair(best->first, best->second.cost))
      best = {far, std::move(choice)};
  }
  return best ? std::optional(std::move(best->second)) : std::nullopt;
}

Machine random_machine(Dice& dice) {
  const int nodes = 1 + static_cast<int>(dice.below(4));
  Machine machine = machine_of(nodes);
  const std::size_t count = 1 + dice.below(7);
  for (std::size_t i = 0; i < count; ++i) {
    const int node = static_cast<int>(dice.below(static_cast<std::size_t>(nodes)));
    std::vector<std::string> bridges{"host" + std::to_string(node) + std::to_string(dice.below(2))};
    const std::size_t depth = dice.below(5);
    for (std::size_t level = 0; level < depth; ++level)
      bridges.push_back(bridges.back() + '.' + std::to_string(dice.below(2)));
    constexpr DeviceKind kKinds[] = {DeviceKind::kGpu, DeviceKind::kNetwork};
    machine.devices.push_back(
        device(kKinds[dice.below(2)], "bus" + std::to_string(i), node, std::move(bridges)));
  }
  return machine;
}

}  // namespace

TEST_CASE("devices: one switch is 2, several are 3, one node is 4, two are 5") {
  const Machine machine = two_sockets();
  CHECK(cost(machine, 0, 0) == 0);
  CHECK(cost(machine, 0, 1) == 2);
  CHECK(cost(machine, 0, 2) == 3);
  CHECK(cost(machine, 1, 3) == 4);
  CHECK(cost(machine, 3, 5) == 5);
  CHECK(cost(machine, 4, 5) == 2);
}

TEST_CASE("devices: of unknown bridges the NUMA nodes decide") {
  Machine machine = two_sockets();
  for (Device& each : machine.devices) each.bridges.clear();
  CHECK(cost(machine, 0, 1) == 4);
  CHECK(cost(machine, 0, 4) == 5);
  machine.devices[0].near = {};
  CHECK(numa_of(machine, machine.devices[0]) == 3);
  CHECK(cost(machine, 0, 1) == 5);
}

TEST_CASE("devices: a GPU and a network card behind one switch are taken together") {
  const Machine machine = two_sockets();
  const std::vector<DeviceWish> both{device_wish("gpu"), device_wish("network")};
  CHECK(choose_devices(machine, both, std::nullopt) == DeviceChoice{{4, 5}, 2});
  CHECK(choose_devices(machine, both, numa_bit(0)) == DeviceChoice{{0, 3}, 4});
  DeviceWish two = device_wish("gpu");
  two.count = 2;
  CHECK(choose_devices(machine, {two}, std::nullopt) == DeviceChoice{{0, 1}, 2});
  CHECK(choose_devices(machine, {two}, numa_bit(1)) == DeviceChoice{{0, 4}, 5});
  two.count = 4;
  CHECK_FALSE(choose_devices(machine, {two}, std::nullopt));
  CHECK(choose_devices(machine, {device_wish("0000:08:00.0")}, std::nullopt) ==
        DeviceChoice{{2}, 0});
  CHECK_FALSE(choose_devices(machine, {device_wish("eth9")}, std::nullopt));
}

TEST_CASE("devices: what has two names at one address is one device") {
  Machine machine = two_sockets();
  machine.devices.push_back(machine.devices.back());
  machine.devices.back().name = "mlx5_0";
  DeviceWish cards = device_wish("network");
  CHECK(devices_for(machine, cards) == std::vector<std::size_t>{3, 5});
  cards.count = 3;
  CHECK_FALSE(choose_devices(machine, {cards}, std::nullopt));
  CHECK_FALSE(choose_devices(machine, {device_wish("mlx5_0"), device_wish("at-0000:85:00.0")},
                             std::nullopt));
}

TEST_CASE("devices: hints name every set of nodes with enough, and prefer the smallest") {
  const Machine machine = two_sockets();
  using Hints = std::vector<NumaHint>;
  CHECK(device_hints(machine, device_wish("gpu")) == Hints{{1, true}, {2, true}, {3, false}});
  DeviceWish two = device_wish("gpu");
  two.count = 2;
  CHECK(device_hints(machine, two) == Hints{{1, true}, {3, false}});
  two.count = 3;
  CHECK(device_hints(machine, two) == Hints{{3, true}});
  two.count = 4;
  CHECK(device_hints(machine, two).empty());
}

TEST_CASE("devices: distance and choice are those of the plainest search, a thousand machines") {
  Dice dice(11);
  for (int round = 0; round < 1'000; ++round) {
    CAPTURE(round);
    const Machine machine = random_machine(dice);
    for (const Device& a : machine.devices)
      for (const Device& b : machine.devices) {
        CHECK(cost_of(device_cost(machine, a, b)) == plain_cost(machine, a, b));
        CHECK(device_cost(machine, a, b) == device_cost(machine, b, a));
      }
    std::vector<DeviceWish> wishes{device_wish("gpu"), device_wish("network")};
    wishes[0].count = 1 + static_cast<int>(dice.below(2));
    wishes[1].count = static_cast<int>(dice.below(3));
    const std::optional<NumaMask> nodes =
        dice.below(2) == 0 ? std::nullopt : std::optional<NumaMask>(1 + dice.below(15));
    CHECK(choose_devices(machine, wishes, nodes) == plain_choice(machine, wishes, nodes));
  }
}

}  // namespace gedge
