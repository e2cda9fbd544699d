// policy/node_resources_fit.cpp - filter NodeResourcesFit.
//
// Rejects a node where requested + request > allocatable for any resource, or where every pod slot
// is taken. Evidence for each resource: cpu, memory, ephemeral-storage, then the others by name.
// 1.20     once the pod requests anything, cpu, memory and ephemeral-storage are all compared, even
//          with a request of 0; always unschedulable.
// 1.36     only resources with a request above 0; unresolvable if a request exceeds allocatable.
// Cost     one subtraction and comparison a row and resource.
// Source   kube-scheduler plugins/noderesources/fit.go. The order of extended resources is random
//          there.
#include <algorithm>
#include <array>
#include <string>
#include <utility>
#include <vector>

#include "policy/amounts.hpp"
#include "policy/make.hpp"
#include "policy/rows.hpp"
#include "policy/score_kernels.hpp"

namespace gedge {
namespace {

struct FitState final : ClassState {
  std::vector<Amount> checks;  // in the order of the reasons
};

// Where a block was asked about as a whole, the bounds of what is free settle most of it.
enum class Settled : std::uint8_t { kNo, kAllFit, kNoneFits };

Settled settle(const ClusterState& cluster, const Amount& check, Rows block) {
  if (block.size() < kWordRows) return Settled::kNo;
  const FreeBounds& free = cluster.free_bounds(check.resource);
  const std::size_t index = block.first / kWordRows;
  if (check.amount <= free.least[index]) return Settled::kAllFit;
  return check.amount > free.most[index] ? Settled::kNoneFits : Settled::kNo;
}

bool fits(const ClusterState& cluster, const std::vector<Amount>& checks, std::uint32_t row) {
  return std::all_of(checks.begin(), checks.end(), [&](const Amount& check) {
    return check.amount <=
           cluster.allocatable(check.resource)[row] - cluster.requested(check.resource)[row];
  });
}

// Rows of `block` where all of `checks` fit, as bits. Amounts are never negative, so the
// subtractions stay within int64.
std::uint64_t fitting(const ClusterState& cluster, const std::vector<Amount>& checks, Rows block) {
  if (block.size() == 1)
    return std::uint64_t{fits(cluster, checks, block.first)} << (block.first % kWordRows);
  std::array<std::int64_t, kWordRows> slack{};  // negative where anything is too little
  for (const Amount& check : checks) {
    const Settled settled = settle(cluster, check, block);
    if (settled == Settled::kNoneFits) return 0;
    if (settled == Settled::kAllFit) continue;
    join_slack({cluster.allocatable(check.resource).data() + block.first,
                cluster.requested(check.resource).data() + block.first, check.amount},
               static_cast<std::uint32_t>(block.size()), slack.data());
  }
  std::uint64_t fits = 0;
  for (std::size_t i = 0; i < block.size(); ++i)
    fits |= (static_cast<std::uint64_t>(~slack[i]) >> 63) << i;
  return fits << (block.first % kWordRows);
}

class NodeResourcesFit final : public FilterPolicy {
 public:
  NodeResourcesFit(const PolicyArgs& args, Compat compat)
      : ignored_(args.ignored_resources),
        ignored_groups_(args.ignored_resource_groups),
        compat_(compat) {}
  std::string_view name() const override { return "NodeResourcesFit"; }
  std::uint8_t reads() const override { return kRowStatic | kRowUsage; }
  bool on_facts(ClassState*, const ClassContext&, const FactsChange&, Touched&) const override {
    return true;
  }
  bool sign(const PodFacts& pod, Signature& signature) const override {
    signature.add(pod.requests.size());
    for (const Amount& request : pod.requests) {
      signature.add(raw(request.resource));
      signature.add(static_cast<std::uint64_t>(request.amount));
    }
    return true;
  }

  std::unique_ptr<ClassState> prepare(const ClassContext& context) const override {
    auto state = std::make_unique<FitState>();
    state->checks.reserve(kFirstExtended + context.pod.requests.size());
    state->checks.push_back({ResourceIndex::kPodsColumn, 1});
    std::vector<Amount> scalars = scalars_of(context);
    const PodFacts& pod = context.pod;
    const bool anything = !scalars.empty() || pod.requests_anything;
    for (const ResourceIndex basic :
         {ResourceIndex::kCpuColumn, ResourceIndex::kMemoryColumn, ResourceIndex::kEphemeralColumn})
      if (pod.request(basic) > 0 || (compat_ == Compat::k1_20 && anything))
        state->checks.push_back({basic, pod.request(basic)});
    std::erase_if(scalars, [&](const Amount& scalar) {
      return is_ignored(context.cluster.resource_name(scalar.resource)) ||
             (compat_ != Compat::k1_20 && scalar.amount == 0);
    });
    state->checks.insert(state->checks.end(), scalars.begin(), scalars.end());
    return state;
  }

  bool passes_all(const ClassContext& context, const ClassState* state) const override {
    const std::vector<Amount>& checks = static_cast<const FitState*>(state)->checks;
    return std::all_of(checks.begin(), checks.end(), [&](const Amount& check) {
      const std::vector<std::int64_t>& least = context.cluster.free_bounds(check.resource).least;
      return std::all_of(least.begin(), least.end(),
                         [&](std::int64_t free) { return check.amount <= free; });
    });
  }

  void filter(const ClassContext& context, const ClassState* state, Rows rows, NodeMask& feasible,
              Recorder* recorder) const override {
    const std::vector<Amount>& checks = static_cast<const FitState*>(state)->checks;
    for_each_block(rows, [&](Rows block) {
      const std::uint64_t fits = fitting(context.cluster, checks, block);
      reject_others(feasible, block, fits, recorder,
                    [&](NodeIndex n) { record(context.cluster, checks, n, *recorder); });
    });
  }

 private:
  // Requests beyond cpu, memory and ephemeral-storage, by name; requests of 0 included.
  static std::vector<Amount> scalars_of(const ClassContext& context) {
    const auto name = [&](const Amount& a) { return context.cluster.resource_name(a.resource); };
    std::vector<Amount> scalars;
    for (const Amount& request : context.pod.requests)
      if (raw(request.resource) >= kFirstExtended && is_scalar_resource(name(request)))
        scalars.push_back(request);
    std::sort(scalars.begin(), scalars.end(),
              [&](const Amount& a, const Amount& b) { return name(a) < name(b); });
    return scalars;
  }

  bool is_ignored(const std::string& name) const {
    if (!is_extended_resource(name)) return false;
    const auto lists = [](const std::vector<std::string>& list, std::string_view wanted) {
      return std::find(list.begin(), list.end(), wanted) != list.end();
    };
    return lists(ignored_, name) ||
           lists(ignored_groups_, std::string_view(name).substr(0, name.find('/')));
  }

  void record(const ClusterState& cluster, const std::vector<Amount>& checks, NodeIndex node,
              Recorder& recorder) const {
    std::vector<Evidence> found;
    Verdict verdict = Verdict::kUnschedulable;
    for (const Amount& check : checks) {
      const std::int64_t allocatable = cluster.allocatable(check.resource)[raw(node)];
      const std::int64_t requested = cluster.requested(check.resource)[raw(node)];
      if (check.amount <= allocatable - requested) continue;
      const bool pods = check.resource == ResourceIndex::kPodsColumn;
      if (!pods && compat_ != Compat::k1_20 && check.amount > allocatable)
        verdict = Verdict::kUnresolvable;
      const std::string& resource = cluster.resource_name(check.resource);
      found.push_back({.reason = pods ? Reason::kTooManyPods : Reason::kInsufficient,
                       .measured = add_amounts(requested, check.amount),
                       .limit = allocatable,
                       .unit = unit_of_resource(resource),
                       .subject = resource});
    }
    for (Evidence& evidence : found) {
      evidence.verdict = verdict;  // one resource that no eviction frees decides for the node
      recorder.reject(node, std::move(evidence));
    }
  }

  std::vector<std::string> ignored_, ignored_groups_;
  Compat compat_;
};

}  // namespace

std::unique_ptr<FilterPolicy> make_node_resources_fit_filter(const PolicyArgs& args,
                                                             Compat compat) {
  return std::make_unique<NodeResourcesFit>(args, compat);
}

}  // namespace gedge
