// Source: pkg/kubelet/cm/devicemanager of Kubernetes, 1.36.
#include "gedge/pin/device_desk.hpp"

#include <algorithm>
#include <utility>

namespace gedge {
namespace {

bool is_init(const PodCpus& pod, const std::string& container) {
  return std::any_of(pod.containers.begin(), pod.containers.end(), [&](const CpuRequest& request) {
    return request.container == container && request.role == ContainerRole::kInit;
  });
}

}  // namespace

DeviceDesk::DeviceDesk(const Machine& machine) {
  machine_.numa_nodes = machine.numa_nodes;
  machine_.devices = machine.devices;
}

const DeviceChoice* DeviceDesk::held_by(const std::string& uid,
                                        const std::string& container) const {
  const auto pod = held_.find(uid);
  if (pod == held_.end()) return nullptr;
  const auto held = pod->second.find(container);
  return held != pod->second.end() ? &held->second : nullptr;
}

TakenDevices DeviceDesk::taken_for(const PodCpus& pod) const {
  TakenDevices taken;
  for (const auto& [uid, containers] : held_)
    for (const auto& [name, choice] : containers)
      if (uid != pod.uid || !is_init(pod, name))
        for (const std::size_t at : choice.devices) taken.insert(machine_.devices[at].bus);
  return taken;
}

std::vector<NumaHints> DeviceDesk::hints(const PodCpus& pod,
                                         const std::vector<DeviceWish>& wishes) const {
  std::vector<NumaHints> all;
  if (wishes.empty()) return all;
  const TakenDevices taken = taken_for(pod);
  for (const DeviceWish& wish : wishes) all.emplace_back(device_hints(machine_, wish, taken));
  return all;
}

std::vector<NumaHints> DeviceDesk::hints(const PodCpus& pod, const CpuRequest& request) const {
  return hints(pod, request.devices);
}

std::vector<NumaHints> DeviceDesk::hints(const PodCpus& pod) const {
  return hints(pod, pod.most_devices());
}

std::optional<PinRefusal> DeviceDesk::allocate(const PodCpus& pod, const CpuRequest& request,
                                               std::optional<NumaMask> affinity) {
  if (request.devices.empty() || held_by(pod.uid, request.container) != nullptr)
    return std::nullopt;
  const TakenDevices taken = taken_for(pod);
  for (const DeviceWish& wish : request.devices) {
    const std::size_t free = devices_for(machine_, wish, taken).size();
    if (free < static_cast<std::size_t>(wish.count))
      return PinRefusal{"UnexpectedAdmissionError",
                        "Allocate failed due to requested number of devices unavailable for " +
                            (wish.resource.empty() ? text_of(wish) : wish.resource) +
                            ". Requested: " + std::to_string(wish.count) +
                            ", Available: " + std::to_string(free) + ", which is unexpected"};
  }
  auto choice = choose_devices(machine_, request.devices, affinity, taken);
  if (!choice)
    return PinRefusal{"UnexpectedAdmissionError",
                      "Allocate failed due to too many ways to choose devices"};
  held_[pod.uid][request.container] = *std::move(choice);
  return std::nullopt;
}

void DeviceDesk::release(const std::string& uid, const std::string& container) {
  const auto pod = held_.find(uid);
  if (pod == held_.end()) return;
  pod->second.erase(container);
  if (pod->second.empty()) held_.erase(pod);
}

}  // namespace gedge
