#include "plan/same_pod.hpp"

#include <functional>
#include <string_view>
#include <tuple>

namespace gedge {

// A field that is added does not compile until it is compared.
bool same_spec(const PodSpec& x, const PodSpec& y) {
  const auto fields = [](const PodSpec& spec) {
    const auto& [labels, annotations, containers, init_containers, pod_requests, pod_limits,
                 overhead, node_selector, has_required_node_terms, required_node_terms,
                 preferred_node_terms, required_affinity, required_anti_affinity,
                 preferred_affinity, preferred_anti_affinity, tolerations, spread, host_ports,
                 volumes, budgets, node_name, scheduler_name, priority_class, runtime_class,
                 host_network, preempts, gated, latency_source, unread, place] = spec;
    static_cast<void>(place);
    return std::tie(labels, annotations, containers, init_containers, pod_requests, pod_limits,
                    overhead, node_selector, has_required_node_terms, required_node_terms,
                    preferred_node_terms, required_affinity, required_anti_affinity,
                    preferred_affinity, preferred_anti_affinity, tolerations, spread, host_ports,
                    volumes, budgets, node_name, scheduler_name, priority_class, runtime_class,
                    host_network, preempts, gated, latency_source, unread);
  };
  return fields(x) == fields(y);
}

std::size_t hash_spec(const PodSpec& spec) {
  std::size_t hash = 0;
  const auto add = [&hash](std::size_t value) { hash = hash * 0x9e3779b97f4a7c15U + value; };
  const auto add_text = [&add](std::string_view text) { add(std::hash<std::string_view>()(text)); };
  const auto add_labels = [&](const Labels& labels) {
    for (const auto& [key, value] : labels) {
      add_text(key);
      add_text(value);
    }
    add(labels.size());
  };
  add_labels(spec.labels);
  add_labels(spec.annotations);
  add_labels(spec.node_selector);
  for (const Container& container : spec.containers) {
    add_text(container.image);
    for (const auto& [name, amount] : container.requests) {
      add_text(name);
      add(static_cast<std::size_t>(amount));
    }
  }
  for (const PodVolume& volume : spec.volumes) add_text(volume.claim);
  for (const DelayBudget& budget : spec.budgets) add_text(budget.from);
  add_text(spec.node_name);
  add_text(spec.scheduler_name);
  return hash;
}

bool same_identity(const Pod& x, const Pod& y) {
  return x.uid == y.uid && x.priority == y.priority && x.extra_labels == y.extra_labels &&
         x.workload_kind == y.workload_kind && x.workload_name == y.workload_name &&
         x.ordinal == y.ordinal && x.controller == y.controller && x.created == y.created;
}

}  // namespace gedge
