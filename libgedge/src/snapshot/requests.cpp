// snapshot/requests.cpp - what a pod requests of each resource: the larger of its containers
// together and of each init container on top of the sidecars before it; plus overhead.
#include "snapshot/requests.hpp"

#include <limits>

namespace gedge {
namespace {

// Stand-ins for missing requests, only in scores (k8s.io/kubernetes pkg/scheduler/util, 1.20 and
// later).
constexpr std::int64_t kDefaultCpuMilli = 100;
constexpr std::int64_t kDefaultMemoryBytes = 200LL * 1024 * 1024;

void add(Resources& total, const Resources& part) {
  for (const auto& [name, amount] : part)
    total.set(name, add_saturated(total.amount(name), amount));
}

void raise(Resources& total, const Resources& floor) {
  for (const auto& [name, amount] : floor)
    if (const auto now = total.find(name); !now || *now < amount) total.set(name, amount);
}

Resources with_defaults(const Resources& requests) {
  Resources filled = requests;
  if (!filled.find(kCpu)) filled.set(kCpu, kDefaultCpuMilli);
  if (!filled.find(kMemory)) filled.set(kMemory, kDefaultMemoryBytes);
  return filled;
}

Resources identity(const Resources& requests) { return requests; }

// `view` is what one container counts for: its requests, or these with stand-ins.
template <typename View>
Resources sum_containers(const PodSpec& spec, Compat compat, View view) {
  Resources total;
  for (const Container& container : spec.containers) add(total, view(container.requests));
  Resources sidecars, peak;
  for (const Container& container : spec.init_containers) {
    if (container.restartable && compat != Compat::k1_20) {
      add(sidecars, view(container.requests));
      add(total, view(container.requests));
      raise(peak, sidecars);
    } else {
      Resources alone = sidecars;
      add(alone, view(container.requests));
      raise(peak, alone);
    }
  }
  raise(total, peak);
  return total;
}

// Pod-level requests (KEP-2837) replace what the containers sum to.
void apply_pod_level(Resources& total, const PodSpec& spec, Compat compat) {
  if (!spec.pod_requests || compat == Compat::k1_20) return;
  for (const auto& [name, amount] : *spec.pod_requests)
    if (name == kCpu || name == kMemory || name.starts_with("hugepages-")) total.set(name, amount);
}

// Most pods are one container: what it requests is all there is.
bool is_one_container(const PodSpec& spec) {
  return spec.containers.size() == 1 && spec.init_containers.empty() && !spec.pod_requests &&
         spec.overhead.empty();
}

}  // namespace

std::int64_t add_saturated(std::int64_t a, std::int64_t b) {
  std::int64_t sum = 0;
  if (!__builtin_add_overflow(a, b, &sum)) return sum;
  return a < 0 ? std::numeric_limits<std::int64_t>::min()
               : std::numeric_limits<std::int64_t>::max();
}

RequestTotals total_requests(const PodSpec& spec, Compat compat) {
  RequestTotals totals;
  if (is_one_container(spec)) {
    totals.only = &spec.containers.front();
    totals.score_cpu_m = kDefaultCpuMilli;
    totals.score_memory = kDefaultMemoryBytes;
    for (const auto& [name, amount] : totals.requests()) {
      if (name == kCpu) totals.score_cpu_m = amount;
      if (name == kMemory) totals.score_memory = amount;
    }
    totals.incoming_cpu_m = totals.score_cpu_m;
    return totals;
  }
  totals.summed = sum_containers(spec, compat, identity);
  apply_pod_level(totals.summed, spec, compat);
  Resources scored = sum_containers(spec, compat, with_defaults);
  apply_pod_level(scored, spec, compat);
  add(totals.summed, spec.overhead);

  const std::int64_t overhead_cpu = spec.overhead.amount(kCpu);
  totals.score_cpu_m = add_saturated(scored.amount(kCpu), overhead_cpu);
  totals.score_memory = add_saturated(scored.amount(kMemory), spec.overhead.amount(kMemory));
  // 1.20 adds Quantity.Value() of the overhead, whole cores rounded up, to the milli sum of the
  // incoming pod.
  constexpr std::int64_t kMilli = 1000;
  const std::int64_t quirk = overhead_cpu / kMilli + (overhead_cpu % kMilli > 0 ? 1 : 0);
  totals.incoming_cpu_m =
      add_saturated(scored.amount(kCpu), compat == Compat::k1_20 ? quirk : overhead_cpu);
  return totals;
}

}  // namespace gedge
