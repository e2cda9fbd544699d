// policy/resource_scores.cpp - NodeResourcesLeastAllocated, NodeResourcesMostAllocated,
// RequestedToCapacityRatio (1.20), and NodeResourcesFit (1.36), whose strategy is one of the three.
//
//   Least   mean of idiv((cap-req)*100, cap), 0 if req > cap
//   Most    mean of idiv(min(req,cap)*100, cap); 1.20: 0 if req > cap
//   Ratio   rounded mean of shape(idiv(req*100, cap)), shape(100) if req > cap; resources that
//           score 0 leave the mean. 1.20: shape(100 - idiv((cap-req)*100, cap))
// req      requested on the node plus the pod; cpu and memory with 100m and 200 MiB for missing
//          requests. The mean is weighted, idiv(sum of s*w, sum of w).
// cap = 0  1.36: the resource leaves the mean. 1.20: it scores 0, for Ratio shape(100).
// Range    0..100, not normalised.
// Cost     one or two divisions a row and resource.
// Source   kube-scheduler plugins/noderesources.
#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <utility>

#include "policy/amounts.hpp"
#include "policy/make.hpp"
#include "policy/resource_bounds.hpp"
#include "policy/resource_terms.hpp"
#include "policy/rows.hpp"
#include "policy/score_kernels.hpp"

namespace gedge {
namespace {

enum class Strategy : std::uint8_t { kLeast, kMost, kRatio };

// The broken line through the shape points, for utilizations 0 to 100; scores 0..10 become 0..100.
std::array<std::int64_t, kMaxScore + 1> tabulate(
    const std::vector<std::pair<std::int64_t, std::int64_t>>& shape) {
  constexpr std::int64_t kScale = 10;
  std::array<std::int64_t, kMaxScore + 1> table{};
  if (shape.empty()) return table;
  for (std::int64_t u = 0; u <= kMaxScore; ++u) {
    std::int64_t& out = table[static_cast<std::size_t>(u)];
    const auto right = std::find_if(shape.begin(), shape.end(),
                                    [&](const auto& point) { return u <= point.first; });
    if (right == shape.begin() || right == shape.end()) {
      out = (right == shape.end() ? shape.back() : *right).second * kScale;
      continue;
    }
    const auto& left = *(right - 1);
    const std::int64_t from = left.second * kScale, to = right->second * kScale;
    out = from + (to - from) * (u - left.first) / (right->first - left.first);
  }
  return table;
}

// Weighted sums of one block of rows.
struct Sums {
  std::array<std::int64_t, kWordRows> score{}, weight{};
};

class ResourceScore final : public ScorePolicy {
 public:
  ResourceScore(std::string_view name, Strategy strategy, const PolicyArgs& args, Compat compat)
      : name_(name),
        strategy_(strategy),
        resources_(weighted_resources(args)),
        compat_(compat),
        table_(tabulate(args.shape)) {}
  std::string_view name() const override { return name_; }
  std::uint8_t reads() const override { return kRowStatic | kRowUsage; }
  bool on_facts(ClassState*, const ClassContext&, const FactsChange&, Touched&) const override {
    return true;
  }
  bool sign(const PodFacts& pod, Signature& signature) const override {
    sign_requests(signature, pod);
    return true;
  }
  Normalize normalize(const ClassContext&, const ClassState*) const override {
    return Normalize::kNone;
  }
  std::int64_t most(const ClassState*) const override { return kMaxScore; }
  void upper_bounds(const ClassContext& context, const ClassState* state, const NodeMask&,
                    std::span<const std::uint32_t> words,
                    std::span<std::int64_t> bounds) const override {
    const auto& terms = static_cast<const ResourceTermsState*>(state)->terms;
    const auto shares =
        strategy_ == Strategy::kLeast ? cpu_and_memory(terms) : std::optional<CpuAndMemory>();
    if (shares)
      bound_least_allocated(context.cluster.share_bounds(), *shares, words, bounds);
    else
      std::fill(bounds.begin(), bounds.end(), kMaxScore);
  }
  std::unique_ptr<ClassState> prepare(const ClassContext& context) const override {
    return resource_terms(resources_, compat_, RequestKind::kNonZero, context);
  }

  void score(const ClassContext& context, const ClassState* state, Rows rows,
             std::span<std::int64_t> raw) const override {
    const auto& terms = static_cast<const ResourceTermsState*>(state)->terms;
    for_each_block(rows, [&](Rows block) {
      if (least_of_plain(context.cluster, terms, block, raw.subspan(block.first - rows.first)))
        return;
      Sums sums;
      for (const ResourceTerm& term : terms) add_term(context.cluster, term, block, sums);
      const std::size_t at = block.first - rows.first;
      for (std::size_t i = 0; i < block.size(); ++i)
        raw[at + i] = mean(sums.score[i], sums.weight[i]);
    });
  }

 private:
  // The common case in vectors: false where it is not that.
  bool least_of_plain(const ClusterState& cluster, const std::vector<ResourceTerm>& terms,
                      Rows block, std::span<std::int64_t> out) const {
    if (strategy_ != Strategy::kLeast || terms.empty()) return false;
    const auto size = static_cast<std::uint32_t>(block.size());
    std::array<std::int64_t, kWordRows> sum{};
    std::int64_t weights = 0;
    for (const ResourceTerm& term : terms) {
      constexpr std::int64_t kSmallWeight = 1000;
      if (!term.resource || term.weight < 1 || term.weight > kSmallWeight) return false;
      const ResourceBlock columns{
          cluster.allocatable(*term.resource).data() + block.first,
          requested_column(cluster, *term.resource, RequestKind::kNonZero).data() + block.first,
          term.pod, term.weight};
      if (!cluster.is_plain(*term.resource, term.pod) && !is_plain(columns, size)) return false;
      add_least_allocated(columns, size, sum.data());
      weights += term.weight;
    }
    divide(weights, size, sum.data());
    std::copy_n(sum.begin(), size, out.begin());
    return true;
  }

  void add_term(const ClusterState& cluster, const ResourceTerm& term, Rows block,
                Sums& sums) const {
    if (!term.resource) {
      for (std::size_t i = 0; i < block.size(); ++i) add(term, 0, term.pod, i, sums);
      return;
    }
    const auto capacity = cluster.allocatable(*term.resource);
    const auto requested = requested_column(cluster, *term.resource, RequestKind::kNonZero);
    for (std::size_t i = 0; i < block.size(); ++i) {
      const std::size_t row = block.first + i;
      add(term, capacity[row], add_amounts(requested[row], term.pod), i, sums);
    }
  }

  void add(const ResourceTerm& term, std::int64_t capacity, std::int64_t requested, std::size_t i,
           Sums& sums) const {
    if (capacity == 0 && compat_ != Compat::k1_20) return;
    const std::int64_t score = one(capacity, requested);
    if (strategy_ == Strategy::kRatio && score == 0) return;
    sums.score[i] += score * term.weight;
    sums.weight[i] += term.weight;
  }

  std::int64_t one(std::int64_t capacity, std::int64_t requested) const {
    const bool over = capacity == 0 || requested > capacity;
    switch (strategy_) {
      case Strategy::kLeast:
        return over ? 0 : percent_of(capacity - requested, capacity);
      case Strategy::kMost:
        if (over) return capacity == 0 || compat_ == Compat::k1_20 ? 0 : kMaxScore;
        return percent_of(requested, capacity);
      case Strategy::kRatio:
        break;
    }
    if (over) return table_.back();
    const std::int64_t used = compat_ == Compat::k1_20
                                  ? kMaxScore - percent_of(capacity - requested, capacity)
                                  : percent_of(requested, capacity);
    return table_[static_cast<std::size_t>(used)];
  }

  std::int64_t mean(std::int64_t score, std::int64_t weight) const {
    if (weight == 0) return 0;
    if (strategy_ != Strategy::kRatio) return score / weight;
    return static_cast<std::int64_t>(
        std::round(static_cast<double>(score) / static_cast<double>(weight)));
  }

  std::string_view name_;
  Strategy strategy_;
  std::vector<WeightedResource> resources_;
  Compat compat_;
  std::array<std::int64_t, kMaxScore + 1> table_;
};

}  // namespace

std::unique_ptr<ScorePolicy> make_node_resources_fit_score(const PolicyArgs& args, Compat compat) {
  Strategy strategy = Strategy::kLeast;
  if (args.strategy == "MostAllocated") strategy = Strategy::kMost;
  if (args.strategy == "RequestedToCapacityRatio") strategy = Strategy::kRatio;
  return std::make_unique<ResourceScore>("NodeResourcesFit", strategy, args, compat);
}

std::unique_ptr<ScorePolicy> make_least_allocated_score(const PolicyArgs& args, Compat compat) {
  return std::make_unique<ResourceScore>("NodeResourcesLeastAllocated", Strategy::kLeast, args,
                                         compat);
}

std::unique_ptr<ScorePolicy> make_most_allocated_score(const PolicyArgs& args, Compat compat) {
  return std::make_unique<ResourceScore>("NodeResourcesMostAllocated", Strategy::kMost, args,
                                         compat);
}

std::unique_ptr<ScorePolicy> make_requested_to_capacity_ratio_score(const PolicyArgs& args,
                                                                    Compat compat) {
  return std::make_unique<ResourceScore>("RequestedToCapacityRatio", Strategy::kRatio, args,
                                         compat);
}

}  // namespace gedge
