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

}  // namespace

int PodCpus::most() const {
  int beside = 0, starting = 0, apps = 0;
  for (const CpuRequest& request : containers) {
    if (request.role == ContainerRole::kSidecar)
      beside += request.cpus;
    else if (request.role == ContainerRole::kInit)
      starting = std::max(starting, beside + request.cpus);
    else
      apps += request.cpus;
  }
  return std::max(starting, apps + beside);
}

PodCpus cpu_requests(const PodSpec& spec, std::string uid) {
  PodCpus pod{std::move(uid), {}};
  const bool exclusive = !spec.pod_requests && !spec.pod_limits && is_guaranteed(spec);
  for (const auto* list : {&spec.init_containers, &spec.containers})
    for (const Container& container : *list) {
      ContainerRole role = ContainerRole::kApp;
      if (list == &spec.init_containers)
        role = container.restartable ? ContainerRole::kSidecar : ContainerRole::kInit;
      pod.containers.push_back({container.name.str(), role, exclusive ? whole_cpus(container) : 0});
    }
  return pod;
}

}  // namespace gedge
