// policy/resource_terms.hpp - what the resource scores read of a pod and of the columns.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "gedge/policy/policy.hpp"
#include "gedge/policy/profile.hpp"

namespace gedge {

/// One weighted resource of a score, bound to one class of pods.
struct ResourceTerm {
  std::optional<ResourceIndex> resource;  ///< empty: no node has it and no pod asks for it
  std::int64_t pod = 0;                   ///< what the pod adds to `requested`
  std::int64_t weight = 1;
};

struct ResourceTermsState final : ClassState {
  std::vector<ResourceTerm> terms;
  bool asks_for_any = false;  ///< any term with pod > 0
};

/// Whose requests count where a container names none.
enum class RequestKind : std::uint8_t {
  kNonZero,  ///< 100m and 200 MiB stand in, for cpu and memory
  kReal,
};

/// The resources of `args`: cpu and memory with weight 1 each where it names none. Weight 0 counts
/// as 1; the last entry of a name wins.
std::vector<WeightedResource> weighted_resources(const PolicyArgs& args);

/// `resources` as terms for the pod of `context`. 1.36 leaves out scalar resources that the pod
/// does not ask for, and what the scheduler does not count.
std::unique_ptr<ResourceTermsState> resource_terms(std::span<const WeightedResource> resources,
                                                   Compat compat, RequestKind kind,
                                                   const ClassContext& context);

/// What the pods of each node request of `resource`, as `kind` says.
std::span<const std::int64_t> requested_column(const ClusterState& cluster, ResourceIndex resource,
                                               RequestKind kind);

/// Adds to a signature what resource_terms reads of a pod.
void sign_requests(Signature& signature, const PodFacts& pod);

}  // namespace gedge
