#include "gedge/pin/cpu_requests.hpp"

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <utility>

#include "gedge/model/pod.hpp"

namespace gedge {
namespace {

// QoS looks at these two only, and takes an amount of 0 for none.
bool is_guaranteed(const PodSpec& spec) {
  for (const std::string_view name : {kCpu, kMemory}) {
    for (const auto* list : {&spec.init_containers, &spec.containers})
      for (const Container& container : *list) {
        const std::int64_t limit = container.limits.amount(name);
        if (limit <= 0 || container.requests.amount(name) != limit) return false;
      }
  }
  return !spec.containers.empty();
}

int whole_cpus(const Container& container) {
  constexpr std::int64_t kMilli = 1'000;
  const std::int64_t milli = container.requests.amount(kCpu);
  if (milli % kMilli != 0) return 0;
  return static_cast<int>(std::clamp<std::int64_t>(milli / kMilli, 0, CpuRequest::kMostCpus));
}

std::uint64_t memory_of(const Container& container) {
  constexpr std::int64_t kMost = std::int64_t{1} << 50;  // sums of it are no problem
  return static_cast<std::uint64_t>(
      std::clamp<std::int64_t>(container.requests.amount(kMemory), 0, kMost));
}

// Init containers run one after the other beside the sidecars before them; the others all at once.
template <typename Count>
auto most_of(const std::vector<CpuRequest>& containers, Count count) {
  decltype(count(CpuRequest())) beside = 0, starting = 0, apps = 0;
  for (const CpuRequest& request : containers) {
    if (request.role == ContainerRole::kSidecar)
      beside += count(request);
    else if (request.role == ContainerRole::kInit)
      starting = std::max(starting, beside + count(request));
    else
      apps += count(request);
  }
  return std::max(starting, apps + beside);
}

int count_of(const CpuRequest& request, const std::string& resource) {
  int count = 0;
  for (const DeviceWish& wish : request.devices)
    if (wish.resource == resource) count += wish.count;
  return count;
}

std::vector<DeviceWish> wishes_of(const Container& container,
                                  const std::vector<DeviceResource>& resources) {
  constexpr std::int64_t kMost = 1'000;  // more than any machine has
  std::vector<DeviceWish> wishes;
  for (const DeviceResource& known : resources) {
    const std::int64_t amount = container.limits.amount(known.resource);
    if (amount <= 0) continue;
    wishes.push_back(known.device);
    wishes.back().count = static_cast<int>(std::min(amount, kMost));
    wishes.back().resource = known.resource;
  }
  return wishes;
}

}  // namespace

int PodCpus::most() const {
  return most_of(containers, [](const CpuRequest& request) { return request.cpus; });
}

std::uint64_t PodCpus::most_memory() const {
  return most_of(containers, [](const CpuRequest& request) { return request.memory_bytes; });
}

std::vector<DeviceWish> PodCpus::most_devices() const {
  std::vector<DeviceWish> most;
  for (const CpuRequest& request : containers)
    for (const DeviceWish& wish : request.devices) {
      const auto is_known = [&](const DeviceWish& other) {
        return other.resource == wish.resource;
      };
      if (std::any_of(most.begin(), most.end(), is_known)) continue;
      most.push_back(wish);
      most.back().count = most_of(
          containers, [&](const CpuRequest& each) { return count_of(each, wish.resource); });
    }
  return most;
}

PodCpus cpu_requests(const PodSpec& spec, std::string uid,
                     const std::vector<DeviceResource>& resources) {
  PodCpus pod{std::move(uid), {}};
  const bool exclusive = !spec.pod_requests && !spec.pod_limits && is_guaranteed(spec);
  for (const auto* list : {&spec.init_containers, &spec.containers})
    for (const Container& container : *list) {
      ContainerRole role = ContainerRole::kApp;
      if (list == &spec.init_containers)
        role = container.restartable ? ContainerRole::kSidecar : ContainerRole::kInit;
      pod.containers.push_back({container.name.str(), role, exclusive ? whole_cpus(container) : 0,
                                wishes_of(container, resources),
                                exclusive ? memory_of(container) : 0});
    }
  return pod;
}

}  // namespace gedge
