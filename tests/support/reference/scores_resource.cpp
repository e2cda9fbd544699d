// Least and most allocated, requested-to-capacity ratio, balanced allocation.
#include <algorithm>
#include <cmath>
#include <string_view>

#include "support/reference/scores.hpp"

namespace gedge::reference {
namespace {

constexpr std::int64_t kFull = 100;

std::vector<WeightedResource> resources_of(const PolicyArgs& args) {
  if (!args.resources.empty()) return args.resources;
  return {{std::string(kCpu), 1}, {std::string(kMemory), 1}};
}

bool is_extended(std::string_view resource) {
  return resource != kCpu && resource != kMemory && resource != kEphemeralStorage;
}

bool counts_nonzero(std::string_view resource) { return resource == kCpu || resource == kMemory; }

std::int64_t sum_on(const World& world, const Node& node, std::string_view resource, bool nonzero) {
  std::int64_t sum = 0;
  for (const Seat& seat : world.seats)
    if (seat.node == &node) sum += (nonzero ? seat.nonzero : seat.requests).amount(resource);
  return sum;
}

/// What one resource would look like with the pod on the node.
struct Use {
  std::int64_t requested = 0, capacity = 0;
  bool skipped =
      false;  ///< 1.36: capacity 0, or an extended resource that the pod does not ask for
};

Use use_of(const World& world, const Seat& pod, const Node& node, const std::string& resource) {
  const bool nonzero = counts_nonzero(resource);
  const Resources incoming = nonzero ? incoming_requests_of(*pod.spec, world.compat) : pod.requests;
  Use use;
  use.capacity = node.allocatable.amount(resource);
  use.requested = sum_on(world, node, resource, nonzero) + incoming.amount(resource);
  use.skipped = !world.is_1_20() &&
                (use.capacity == 0 || (is_extended(resource) && incoming.amount(resource) == 0));
  return use;
}

/// Plain strategies: the weighted mean of what each resource earns, whole numbers all the way.
template <typename Earn>
std::int64_t weighted_mean(const ProfileEntry& entry, const World& world, const Seat& pod,
                           const Node& node, Earn earn) {
  std::int64_t sum = 0, weights = 0;
  for (const WeightedResource& r : resources_of(entry.args)) {
    const Use use = use_of(world, pod, node, r.name);
    if (use.skipped) continue;
    sum += earn(use) * r.weight;
    weights += r.weight;
  }
  return weights == 0 ? 0 : sum / weights;
}

std::int64_t utilization(const Use& use, Compat compat) {
  if (use.capacity == 0 || use.requested > use.capacity) return kFull;
  if (compat == Compat::k1_20) return kFull - (use.capacity - use.requested) * kFull / use.capacity;
  return use.requested * kFull / use.capacity;
}

/// Resources that earn nothing leave the weight sum; the mean is rounded half away from zero.
std::int64_t ratio_score(const ProfileEntry& entry, const World& world, const Seat& pod,
                         const Node& node) {
  std::int64_t sum = 0, weights = 0;
  for (const WeightedResource& r : resources_of(entry.args)) {
    const Use use = use_of(world, pod, node, r.name);
    if (use.skipped) continue;
    const std::int64_t earned = on_shape(entry.args.shape, utilization(use, world.compat));
    if (earned <= 0) continue;
    const std::int64_t weight = r.weight == 0 && world.is_1_20() ? 1 : r.weight;
    sum += earned * weight;
    weights += weight;
  }
  if (weights == 0) return 0;
  return static_cast<std::int64_t>(
      std::round(static_cast<double>(sum) / static_cast<double>(weights)));
}

std::string_view strategy_of(const ProfileEntry& entry) {
  if (entry.policy == "NodeResourcesLeastAllocated") return "LeastAllocated";
  if (entry.policy == "NodeResourcesMostAllocated") return "MostAllocated";
  if (entry.policy == "RequestedToCapacityRatio") return "RequestedToCapacityRatio";
  return entry.args.strategy.empty() ? std::string_view("LeastAllocated")
                                     : std::string_view(entry.args.strategy);
}

double fraction_1_20(const Use& use) {
  return use.capacity == 0 ? 1
                           : static_cast<double>(use.requested) / static_cast<double>(use.capacity);
}

std::int64_t balanced_1_20(const World& world, const Seat& pod, const Node& node) {
  const double cpu = fraction_1_20(use_of(world, pod, node, std::string(kCpu)));
  const double memory = fraction_1_20(use_of(world, pod, node, std::string(kMemory)));
  if (cpu >= 1 || memory >= 1) return 0;
  return static_cast<std::int64_t>((1 - std::fabs(cpu - memory)) * 100.0);
}

std::int64_t balanced_1_36(const PolicyArgs& args, const World& world, const Seat& pod,
                           const Node& node) {
  std::vector<double> with, without;
  for (const WeightedResource& r : resources_of(args)) {
    const std::int64_t capacity = node.allocatable.amount(r.name),
                       mine = pod.requests.amount(r.name);
    if (capacity == 0 || (is_extended(r.name) && mine == 0)) continue;
    const std::int64_t used = sum_on(world, node, r.name, false);
    with.push_back(std::min(1.0, static_cast<double>(used + mine) / static_cast<double>(capacity)));
    without.push_back(std::min(1.0, static_cast<double>(used) / static_cast<double>(capacity)));
  }
  const auto after = static_cast<std::int64_t>((1 - balance(with)) * 100.0);
  const auto before = static_cast<std::int64_t>((1 - balance(without)) * 100.0);
  return 50 + (50 + after - before) / 2;
}

}  // namespace

std::int64_t least_allocated(std::int64_t requested, std::int64_t capacity) {
  if (capacity == 0 || requested > capacity) return 0;
  return (capacity - requested) * kFull / capacity;
}

std::int64_t most_allocated(std::int64_t requested, std::int64_t capacity, Compat compat) {
  if (capacity == 0) return 0;
  if (requested > capacity) return compat == Compat::k1_20 ? 0 : kFull;
  return requested * kFull / capacity;
}

double balance(const std::vector<double>& fractions) {
  if (fractions.size() == 2) return std::fabs((fractions[0] - fractions[1]) / 2);
  if (fractions.size() < 2) return 0;
  const auto count = static_cast<double>(fractions.size());
  double total = 0, sum = 0;
  for (const double f : fractions) total += f;
  const double mean = total / count;
  for (const double f : fractions) sum += (f - mean) * (f - mean);
  return std::sqrt(sum / count);
}

std::int64_t on_shape(const std::vector<std::pair<std::int64_t, std::int64_t>>& shape,
                      std::int64_t u) {
  const auto value = [&](std::size_t i) { return shape[i].second * 10; };
  for (std::size_t i = 0; i < shape.size(); ++i) {
    if (u > shape[i].first) continue;
    if (i == 0) return value(0);
    return value(i - 1) + (value(i) - value(i - 1)) * (u - shape[i - 1].first) /
                              (shape[i].first - shape[i - 1].first);
  }
  return value(shape.size() - 1);
}

Scores resource_score(const ProfileEntry& entry, const World& world, const Seat& pod,
                      const Nodes& feasible) {
  const std::string_view strategy = strategy_of(entry);
  Scores out;
  for (const Node* node : feasible) {
    std::int64_t raw = 0;
    if (strategy == "LeastAllocated") {
      raw = weighted_mean(entry, world, pod, *node, [](const Use& use) {
        return least_allocated(use.requested, use.capacity);
      });
    } else if (strategy == "MostAllocated") {
      raw = weighted_mean(entry, world, pod, *node, [&](const Use& use) {
        return most_allocated(use.requested, use.capacity, world.compat);
      });
    } else {
      raw = ratio_score(entry, world, pod, *node);
    }
    out.push_back({raw, raw});
  }
  return out;
}

Scores balanced_allocation(const PolicyArgs& args, const World& world, const Seat& pod,
                           const Nodes& feasible) {
  Scores out;
  const auto resources = resources_of(args);
  const bool best_effort =
      std::all_of(resources.begin(), resources.end(),
                  [&](const WeightedResource& r) { return pod.requests.amount(r.name) == 0; });
  for (const Node* node : feasible) {
    std::int64_t raw = 0;
    if (world.is_1_20())
      raw = balanced_1_20(world, pod, *node);
    else if (!best_effort)
      raw = balanced_1_36(args, world, pod, *node);
    out.push_back({raw, raw});
  }
  return out;
}

}  // namespace gedge::reference
