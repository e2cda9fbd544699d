// gedge/pin/device_desk.hpp - the kubelet's device manager: who has which devices of a machine.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "gedge/pin/cpu_requests.hpp"
#include "gedge/pin/devices.hpp"
#include "gedge/pin/static_policy.hpp"

namespace gedge {

class DeviceDesk {
 public:
  DeviceDesk() = default;  ///< of a machine without devices
  explicit DeviceDesk(const Machine& machine);

  /// What each wish of a container says, or of the pod as a whole.
  std::vector<NumaHints> hints(const PodCpus& pod, const CpuRequest& request) const;
  std::vector<NumaHints> hints(const PodCpus& pod) const;

  /// Gives a container devices: near to `affinity` first, then those that are near to each other.
  /// Which ones the kubelet would give, its plugins decide. What init containers had is for the
  /// others. Empty: admitted.
  std::optional<PinRefusal> allocate(const PodCpus& pod, const CpuRequest& request,
                                     std::optional<NumaMask> affinity);
  void release(const std::string& uid, const std::string& container);

  /// Null where it has none. Indices into Machine::devices.
  const DeviceChoice* held_by(const std::string& uid, const std::string& container) const;

 private:
  TakenDevices taken_for(const PodCpus& pod) const;
  std::vector<NumaHints> hints(const PodCpus& pod, const std::vector<DeviceWish>& wishes) const;

  Machine machine_;                                                  // its NUMA nodes and devices
  std::map<std::string, std::map<std::string, DeviceChoice>> held_;  // by pod and container
};

}  // namespace gedge
