// policy/balanced_allocation.cpp - score NodeResourcesBalancedAllocation.
//
// 1.20     fractions req/cap of cpu and memory, 1 if cap is 0; 0 if one of them is 1 or more; else
//          int((1 - |fc - fm|) * 100). Requests with 100m and 200 MiB for missing ones. 0..100.
// 1.36     B = int((1 - deviation) * 100) over the fractions min(1, req/cap) of the resources of
//          the arguments: half the difference for two, standard deviation for more, 0 for fewer;
//          cap = 0 is left out. Score 50 + idiv(50 + B(with the pod) - B(without), 2), 50..100:
//          what the pod changes. Real requests; 0 everywhere for pods that ask for nothing.
// Normalised  no.
// Cost     two divisions a row and resource.
// Source   kube-scheduler plugins/noderesources/balanced_allocation.go; doubles in its order.
#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <utility>

#include "policy/amounts.hpp"
#include "policy/make.hpp"
#include "policy/resource_bounds.hpp"
#include "policy/resource_terms.hpp"
#include "policy/score_kernels.hpp"

namespace gedge {
namespace {

double fraction_of(std::int64_t requested, std::int64_t capacity) {
  return static_cast<double>(requested) / static_cast<double>(capacity);
}

class Balanced120 final : public ScorePolicy {
 public:
  std::string_view name() const override { return "NodeResourcesBalancedAllocation"; }
  std::uint8_t reads() const override { return kRowStatic | kRowUsage; }
  bool on_facts(ClassState*, const ClassContext&, const FactsChange&, Touched&) const override {
    return true;
  }
  bool sign(const PodFacts& pod, Signature& signature) const override {
    signature.add(static_cast<std::uint64_t>(pod.incoming_cpu_m));
    signature.add(static_cast<std::uint64_t>(pod.score_memory));
    return true;
  }
  Normalize normalize(const ClassContext&, const ClassState*) const override {
    return Normalize::kNone;
  }
  std::int64_t most(const ClassState*) const override { return kMaxScore; }
  void upper_bounds(const ClassContext&, const ClassState*, const NodeMask&,
                    std::span<const std::uint32_t>, std::span<std::int64_t> bounds) const override {
    std::fill(bounds.begin(), bounds.end(), kMaxScore);
  }

  void score(const ClassContext& context, const ClassState*, Rows rows,
             std::span<std::int64_t> raw) const override {
    const auto cpus = context.cluster.allocatable(ResourceIndex::kCpuColumn);
    const auto memory = context.cluster.allocatable(ResourceIndex::kMemoryColumn);
    const auto used_cpu = context.cluster.score_cpu(), used_memory = context.cluster.score_memory();
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const std::size_t row = rows.first + i;
      const double c = fraction(add_amounts(used_cpu[row], context.pod.incoming_cpu_m), cpus[row]);
      const double m =
          fraction(add_amounts(used_memory[row], context.pod.score_memory), memory[row]);
      raw[i] = c >= 1 || m >= 1 ? 0 : static_cast<std::int64_t>((1 - std::abs(c - m)) * 100.0);
    }
  }

 private:
  static double fraction(std::int64_t requested, std::int64_t capacity) {
    return capacity == 0 ? 1 : fraction_of(requested, capacity);
  }
};

// Fractions of one row as they come in. Two are kept: with exactly two, upstream takes half their
// difference.
struct Spread {
  std::array<double, 2> first{};
  double total = 0;
  std::size_t count = 0;
};

class Balanced136 final : public ScorePolicy {
 public:
  explicit Balanced136(const PolicyArgs& args) : resources_(weighted_resources(args)) {}
  std::string_view name() const override { return "NodeResourcesBalancedAllocation"; }
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
    const auto& prepared = *static_cast<const ResourceTermsState*>(state);
    const auto shares = cpu_and_memory(prepared.terms);
    if (prepared.asks_for_any && shares)
      bound_balanced(context.cluster.share_bounds(), *shares, words, bounds);
    else
      std::fill(bounds.begin(), bounds.end(), prepared.asks_for_any ? kMaxScore : 0);
  }
  std::unique_ptr<ClassState> prepare(const ClassContext& context) const override {
    return resource_terms(resources_, Compat::k1_36, RequestKind::kReal, context);
  }

  void score(const ClassContext& context, const ClassState* state, Rows rows,
             std::span<std::int64_t> raw) const override {
    constexpr std::int64_t kHalf = kMaxScore / 2;
    const auto& prepared = *static_cast<const ResourceTermsState*>(state);
    if (prepared.asks_for_any && of_two_plain(context.cluster, prepared.terms, rows, raw)) return;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const std::size_t row = rows.first + i;
      raw[i] = 0;
      if (!prepared.asks_for_any) continue;
      const std::int64_t with = balance(context.cluster, prepared.terms, row, true);
      const std::int64_t without = balance(context.cluster, prepared.terms, row, false);
      raw[i] = kHalf + (kHalf + with - without) / 2;
    }
  }

 private:
  // Two resources that every node has, in vectors: false where it is not that.
  static bool of_two_plain(const ClusterState& cluster, const std::vector<ResourceTerm>& terms,
                           Rows rows, std::span<std::int64_t> raw) {
    if (terms.size() != 2) return false;
    const auto size = static_cast<std::uint32_t>(rows.size());
    const auto columns = [&](const ResourceTerm& term) {
      return ResourceBlock{cluster.allocatable(*term.resource).data() + rows.first,
                           cluster.requested(*term.resource).data() + rows.first, term.pod, 1};
    };
    const ResourceBlock first = columns(terms[0]), second = columns(terms[1]);
    const auto plain = [&](const ResourceTerm& term, const ResourceBlock& block) {
      return cluster.is_plain(*term.resource, term.pod) || is_plain(block, size);
    };
    if (!plain(terms[0], first) || !plain(terms[1], second)) return false;
    balanced_of_two(first, second, size, raw.data());
    return true;
  }

  // Calls visit(fraction) for each resource that the node has.
  template <typename F>
  static void for_each_fraction(const ClusterState& cluster, const std::vector<ResourceTerm>& terms,
                                std::size_t row, bool with_pod, F&& visit) {
    for (const ResourceTerm& term : terms) {
      const std::int64_t capacity = cluster.allocatable(*term.resource)[row];
      if (capacity == 0) continue;
      const std::int64_t requested = cluster.requested(*term.resource)[row];
      const double fraction =
          fraction_of(with_pod ? add_amounts(requested, term.pod) : requested, capacity);
      visit(fraction > 1 ? 1.0 : fraction);
    }
  }

  static std::int64_t balance(const ClusterState& cluster, const std::vector<ResourceTerm>& terms,
                              std::size_t row, bool with_pod) {
    Spread spread;
    for_each_fraction(cluster, terms, row, with_pod, [&](double fraction) {
      if (spread.count < spread.first.size()) spread.first[spread.count] = fraction;
      spread.total += fraction;
      ++spread.count;
    });
    double deviation = 0;
    if (spread.count == 2) {
      deviation = std::abs((spread.first[0] - spread.first[1]) / 2);
    } else if (spread.count > 2) {
      const double count = static_cast<double>(spread.count), mean = spread.total / count;
      double sum = 0;
      for_each_fraction(cluster, terms, row, with_pod,
                        [&](double f) { sum = sum + (f - mean) * (f - mean); });
      deviation = std::sqrt(sum / count);
    }
    return static_cast<std::int64_t>((1 - deviation) * 100.0);
  }

  std::vector<WeightedResource> resources_;
};

}  // namespace

std::unique_ptr<ScorePolicy> make_balanced_allocation_score(const PolicyArgs& args, Compat compat) {
  if (compat == Compat::k1_20) return std::make_unique<Balanced120>();
  return std::make_unique<Balanced136>(args);
}

}  // namespace gedge
