// policy/edge_scheduler.cpp - what the profile edge-scheduler adds to the filters of Kubernetes.
//
// CloudForUnconstrained  filter: a pod without delay budgets runs only on cloud nodes (label
//                        kubernetes.io/role=cloud or gedge.io/tier=cloud). Unresolvable.
// MostFreeMemory         score: allocatable - requested bytes of memory before the pod, 0 where
//                        overcommitted. Not normalised: 0..100 would make nodes equal that differ.
//                        Range 0..2^53.
// Cost                   O(nodes) a class; one subtraction a row.
// Source                 kubernetes-edge-scheduler (Haja et al.), online placement, steps 4 and 8.
#include <algorithm>

#include "policy/make.hpp"
#include "policy/node_static.hpp"

namespace gedge {
namespace {

bool has_label(const Node& node, std::string_view key, std::string_view value) {
  const std::string* found = node.labels.find(key);
  return found != nullptr && *found == value;
}

class CloudForUnconstrained final : public NodeStaticFilter {
 public:
  std::string_view name() const override { return "CloudForUnconstrained"; }
  bool sign(const PodFacts& pod, Signature& signature) const override {
    signature.add(static_cast<std::uint64_t>(pod.spec->budgets.empty()));
    return true;
  }

 protected:
  bool concerns(const PodFacts& pod) const override { return pod.spec->budgets.empty(); }
  bool admits(const PodFacts&, const Node& node) const override {
    return has_label(node, "kubernetes.io/role", "cloud") ||
           has_label(node, "gedge.io/tier", "cloud");
  }
  Evidence evidence(const PodFacts&, const Node&) const override {
    return {.reason = Reason::kNotCloud, .verdict = Verdict::kUnresolvable};
  }
};

class MostFreeMemory final : public ScorePolicy {
 public:
  std::string_view name() const override { return "MostFreeMemory"; }
  std::uint8_t reads() const override { return kRowStatic | kRowUsage; }
  bool on_facts(ClassState*, const ClassContext&, const FactsChange&, Touched&) const override {
    return true;
  }
  bool sign(const PodFacts&, Signature&) const override { return true; }
  Normalize normalize(const ClassContext&, const ClassState*) const override {
    return Normalize::kNone;
  }
  void score(const ClassContext& context, const ClassState*, Rows rows,
             std::span<std::int64_t> raw) const override {
    const auto allocatable = context.cluster.allocatable(ResourceIndex::kMemoryColumn);
    const auto requested = context.cluster.requested(ResourceIndex::kMemoryColumn);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const std::size_t row = rows.first + i;
      raw[i] = std::clamp<std::int64_t>(allocatable[row] - requested[row], 0, kMost);
    }
  }
  std::int64_t most(const ClassState*) const override { return kMost; }
  void upper_bounds(const ClassContext& context, const ClassState*, const NodeMask&,
                    std::span<const std::uint32_t> words,
                    std::span<std::int64_t> bounds) const override {
    const FreeBounds& free = context.cluster.free_bounds(ResourceIndex::kMemoryColumn);
    std::transform(words.begin(), words.end(), bounds.begin(), [&](std::uint32_t word) {
      return std::clamp<std::int64_t>(free.most[word], 0, kMost);
    });
  }

 private:
  static constexpr std::int64_t kMost = std::int64_t{1} << 53;  // leaves room for weights
};

}  // namespace

std::unique_ptr<FilterPolicy> make_cloud_for_unconstrained_filter(const PolicyArgs&, Compat) {
  return std::make_unique<CloudForUnconstrained>();
}

std::unique_ptr<ScorePolicy> make_most_free_memory_score(const PolicyArgs&, Compat) {
  return std::make_unique<MostFreeMemory>();
}

}  // namespace gedge
