#include "plan/same_pod.hpp"

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
                 host_network, preempts, gated, latency_source, place] = spec;
    static_cast<void>(place);
    return std::tie(labels, annotations, containers, init_containers, pod_requests, pod_limits,
                    overhead, node_selector, has_required_node_terms, required_node_terms,
                    preferred_node_terms, required_affinity, required_anti_affinity,
                    preferred_affinity, preferred_anti_affinity, tolerations, spread, host_ports,
                    volumes, budgets, node_name, scheduler_name, priority_class, runtime_class,
                    host_network, preempts, gated, latency_source);
  };
  return fields(x) == fields(y);
}

bool same_identity(const Pod& x, const Pod& y) {
  return x.uid == y.uid && x.priority == y.priority && x.extra_labels == y.extra_labels &&
         x.workload_kind == y.workload_kind && x.workload_name == y.workload_name &&
         x.ordinal == y.ordinal && x.controller == y.controller && x.created == y.created;
}

}  // namespace gedge
