// gedge/pin/devices.hpp - how far devices of the PCI bus are from each other and from CPUs, and
// which of them to take together.
#pragma once

#include <cstddef>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "gedge/pin/machine.hpp"
#include "gedge/pin/numa_hint.hpp"

namespace gedge {

/// What it costs that one device talks to another, in the classes that tools for GPUs print.
enum class DeviceCost : int {
  kSame = 0,    ///< one device
  kPix = 2,     ///< one switch, or no bridge at all, between them
  kPxb = 3,     ///< several bridges or switches, below one host bridge
  kNode = 4,    ///< through the host bridges of one NUMA node
  kSystem = 5,  ///< between NUMA nodes
};
constexpr int cost_of(DeviceCost cost) { return static_cast<int>(cost); }

DeviceCost device_cost(const Machine& machine, const Device& a, const Device& b);

/// The NUMA nodes that are nearest; all where nothing is known.
NumaMask numa_of(const Machine& machine, const Device& device);

/// Some devices of one kind, or one device by its name or its address on the bus. What has several
/// names at one address is one device.
struct DeviceWish {
  std::optional<DeviceKind> kind;
  std::string name;  ///< where there is no kind
  int count = 1;
  std::string resource{};  ///< what a pod calls it; empty: as above
  friend bool operator==(const DeviceWish&, const DeviceWish&) = default;
};

/// "gpu", "network", "storage" or a name.
DeviceWish device_wish(std::string_view word);
/// The word for it again.
std::string text_of(const DeviceWish& wish);
/// "gpu", "network", "storage", "other".
std::string_view word_of(DeviceKind kind);

/// Addresses on the bus of devices that are somebody's.
using TakenDevices = std::set<std::string>;

/// Indices into Machine::devices of what a wish may be given, one for each address, ascending.
std::vector<std::size_t> devices_for(const Machine& machine, const DeviceWish& wish,
                                     const TakenDevices& taken = {});

/// The sets of NUMA nodes where a wish can be met, as the kubelet's device manager names them:
/// every one near to which there are enough devices; preferred are those of the least size that
/// would do were no device taken. NUMA nodes have ids below kNumaIds.
/// Source: pkg/kubelet/cm/devicemanager/topology_hints.go of Kubernetes, 1.36.
std::vector<NumaHint> device_hints(const Machine& machine, const DeviceWish& wish,
                                   const TakenDevices& taken = {});

struct DeviceChoice {
  std::vector<std::size_t> devices;  ///< indices into Machine::devices, in the order of the wishes
  int cost = 0;                      ///< sum over all pairs
  friend bool operator==(const DeviceChoice&, const DeviceChoice&) = default;
};

/// Of all ways to meet all wishes, no device twice, the one with the fewest devices that are far
/// from all of `nodes`; of those the one of the least cost, of those the one with the lowest
/// indices. Empty where there are not enough, or where a million steps do not find it.
std::optional<DeviceChoice> choose_devices(const Machine& machine,
                                           const std::vector<DeviceWish>& wishes,
                                           std::optional<NumaMask> nodes,
                                           const TakenDevices& taken = {});

}  // namespace gedge
