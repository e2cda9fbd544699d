#include "policy/resource_terms.hpp"

#include <algorithm>
#include <memory>

#include "policy/amounts.hpp"

namespace gedge {
namespace {

std::int64_t pod_amount(const PodFacts& pod, ResourceIndex resource, RequestKind kind) {
  if (kind == RequestKind::kNonZero && resource == ResourceIndex::kCpuColumn)
    return pod.incoming_cpu_m;
  if (kind == RequestKind::kNonZero && resource == ResourceIndex::kMemoryColumn)
    return pod.score_memory;
  return pod.request(resource);
}

bool is_counted(std::string_view name) {
  return name == kCpu || name == kMemory || name == kEphemeralStorage || is_scalar_resource(name);
}

}  // namespace

std::vector<WeightedResource> weighted_resources(const PolicyArgs& args) {
  if (args.resources.empty()) return {{"cpu", 1}, {"memory", 1}};
  std::vector<WeightedResource> unique;
  for (const WeightedResource& entry : args.resources) {
    const WeightedResource resource{entry.name, entry.weight == 0 ? 1 : entry.weight};
    const auto at = std::find_if(unique.begin(), unique.end(), [&](const WeightedResource& known) {
      return known.name == resource.name;
    });
    if (at == unique.end())
      unique.push_back(resource);
    else
      at->weight = resource.weight;
  }
  return unique;
}

std::unique_ptr<ResourceTermsState> resource_terms(std::span<const WeightedResource> resources,
                                                   Compat compat, RequestKind kind,
                                                   const ClassContext& context) {
  auto state = std::make_unique<ResourceTermsState>();
  state->terms.reserve(resources.size());
  for (const WeightedResource& entry : resources) {
    ResourceTerm term{std::nullopt, 0, entry.weight};
    if (is_counted(entry.name)) term.resource = context.cluster.find_resource(entry.name);
    if (term.resource) term.pod = pod_amount(context.pod, *term.resource, kind);
    const bool skipped = !term.resource || (term.pod == 0 && is_scalar_resource(entry.name));
    if (skipped && compat != Compat::k1_20) continue;
    state->asks_for_any = state->asks_for_any || term.pod > 0;
    state->terms.push_back(term);
  }
  return state;
}

std::span<const std::int64_t> requested_column(const ClusterState& cluster, ResourceIndex resource,
                                               RequestKind kind) {
  if (kind == RequestKind::kNonZero && resource == ResourceIndex::kCpuColumn)
    return cluster.score_cpu();
  if (kind == RequestKind::kNonZero && resource == ResourceIndex::kMemoryColumn)
    return cluster.score_memory();
  return cluster.requested(resource);
}

void sign_requests(Signature& signature, const PodFacts& pod) {
  signature.add(static_cast<std::uint64_t>(pod.incoming_cpu_m));
  signature.add(static_cast<std::uint64_t>(pod.score_memory));
  signature.add(pod.requests.size());
  for (const Amount& request : pod.requests) {
    signature.add(raw(request.resource));
    signature.add(static_cast<std::uint64_t>(request.amount));
  }
}

}  // namespace gedge
