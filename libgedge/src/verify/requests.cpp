// verify/requests.cpp - what a pod requests: spec/component-helpers `resource` of Kubernetes,
// section by section.
#include <algorithm>
#include <limits>

#include "verify/world.hpp"

namespace gedge::verify_detail {
namespace {

void add_all(Resources& total, const Resources& more) {
  for (const auto& [name, amount] : more) total.set(name, sum(total.amount(name), amount));
}

void raise_to(Resources& total, const Resources& other) {
  for (const auto& [name, amount] : other) total.set(name, std::max(total.amount(name), amount));
}

/// Pod-level resources replace the sum only for these.
bool is_pod_level(std::string_view name) {
  return name == kCpu || name == kMemory || name.starts_with("hugepages-");
}

}  // namespace

std::int64_t sum(std::int64_t a, std::int64_t b) {
  std::int64_t total = 0;
  if (!__builtin_add_overflow(a, b, &total)) return total;
  return a < 0 ? std::numeric_limits<std::int64_t>::min()
               : std::numeric_limits<std::int64_t>::max();
}

Resources total_requests(const PodSpec& spec, Compat compat) {
  const bool knows_sidecars = compat != Compat::k1_20;
  Resources running;  // app containers and sidecars
  for (const Container& container : spec.containers) add_all(running, container.requests);
  Resources starting;  // the most that any step of the start needs
  Resources sidecars;  // those started so far
  for (const Container& container : spec.init_containers) {
    Resources step = container.requests;
    add_all(step, sidecars);
    raise_to(starting, step);
    if (!knows_sidecars || !container.restartable) continue;
    add_all(sidecars, container.requests);
    add_all(running, container.requests);
  }
  Resources total = running;
  raise_to(total, starting);
  if (knows_sidecars && spec.pod_requests) {
    for (const auto& [name, amount] : *spec.pod_requests) {
      if (is_pod_level(name)) total.set(name, amount);
    }
  }
  add_all(total, spec.overhead);
  return total;
}

}  // namespace gedge::verify_detail
