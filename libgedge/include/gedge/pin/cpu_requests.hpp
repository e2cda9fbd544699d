// gedge/pin/cpu_requests.hpp - what the containers of a pod ask of the CPU manager.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "gedge/pin/devices.hpp"

namespace gedge {

enum class ContainerRole : std::uint8_t { kInit, kSidecar, kApp };

struct CpuRequest {
  static constexpr int kMostCpus = 1 << 20;  ///< more than any machine has

  std::string container;
  ContainerRole role = ContainerRole::kApp;
  int cpus = 0;  ///< exclusive ones; 0: it runs in the shared pool
  std::vector<DeviceWish> devices{};
  std::uint64_t memory_bytes = 0;  ///< that it is promised; 0: as much as there is
  friend bool operator==(const CpuRequest&, const CpuRequest&) = default;
};

struct PodCpus {
  std::string uid;
  std::vector<CpuRequest>
      containers;  ///< init containers and sidecars as declared, then the others
  /// The most exclusive CPUs that the pod holds at one time.
  int most() const;
  /// The same of memory, in bytes.
  std::uint64_t most_memory() const;
  /// The same of devices, one wish a resource.
  std::vector<DeviceWish> most_devices() const;
  friend bool operator==(const PodCpus&, const PodCpus&) = default;
};

struct PodSpec;

/// Which devices a resource of pods stands for: "nvidia.com/gpu", GPUs.
struct DeviceResource {
  std::string resource;
  DeviceWish device;
};

/// Exclusive CPUs are for containers that ask for whole CPUs, in pods of class Guaranteed: each
/// container, init containers too, has limits of CPU and memory, and all requests equal the limits.
/// Pods with resources of their own at pod level get none, as without the feature gate
/// PodLevelResourceManagers. Memory is promised to all containers of such pods. Devices are what
/// the limits name of `resources`, for pods of any class.
PodCpus cpu_requests(const PodSpec& spec, std::string uid,
                     const std::vector<DeviceResource>& resources = {});

}  // namespace gedge
