// Scores of the systems that gedge replaces, from their published formulas; none is normalised.
#include <algorithm>

#include "support/reference/delay.hpp"
#include "support/reference/scores.hpp"

namespace gedge::reference {
namespace {

constexpr std::int64_t kMillion = 1'000'000;
constexpr const char* kGpu = "nvidia.com/gpu";

std::int64_t used(const World& world, const Node& node, std::string_view resource) {
  std::int64_t sum = 0;
  for (const Seat* seat : world.on(node)) sum += seat->requests.amount(resource);
  return sum;
}

__extension__ using Wide = __int128;  // no product of two amounts and a million leaves it

/// 100 % - used, as a fraction; nothing where there is no capacity.
struct Unused {
  Wide free = 0, capacity = 1;
};

Unused unused(const World& world, const Node& node, std::string_view resource) {
  const std::int64_t capacity = node.allocatable.amount(resource);
  if (capacity == 0) return {};
  return {std::max<std::int64_t>(0, capacity - used(world, node, resource)), capacity};
}

/// Both percentages together in ten-thousandths, rounded down once.
std::int64_t sum_of(const Unused& a, const Unused& b) {
  const Wide sum =
      kMillion * (a.free * b.capacity + b.free * a.capacity) / (a.capacity * b.capacity);
  return static_cast<std::int64_t>(sum);
}

Score plain(std::int64_t raw) { return {raw, raw}; }

}  // namespace

Scores low_latency(const World& world, const Seat& pod, const Nodes& feasible) {
  DelayBudget from;
  if (!pod.spec->latency_source.empty()) {
    from.name = pod.spec->latency_source;
    from.kind = PeerKind::kNode;
  } else if (!pod.spec->budgets.empty()) {
    from = pod.spec->budgets.front();
  } else {
    return Scores(feasible.size());
  }
  Scores out;
  for (const Node* node : feasible) {
    const Measured measured = measure(world, pod, from, *node);
    out.push_back(plain(kMillion - measured.rtt_us.value_or(kUnmeasured.us)));
  }
  return out;
}

Scores g_most_requested(const World& world, const Seat& pod, const Nodes& feasible) {
  Scores out;
  for (const Node* node : feasible) {
    std::int64_t raw = sum_of(unused(world, *node, kCpu), unused(world, *node, kMemory));
    const std::int64_t gpus = node->allocatable.amount(kGpu) - used(world, *node, kGpu);
    if (pod.requests.amount(kGpu) > 0) raw += 2 * kMillion * std::max<std::int64_t>(0, gpus);
    out.push_back(plain(raw));
  }
  return out;
}

Scores most_free_memory(const World& world, const Nodes& feasible) {
  Scores out;
  for (const Node* node : feasible)
    out.push_back(plain(std::max<std::int64_t>(
        0, node->allocatable.amount(kMemory) - used(world, *node, kMemory))));
  return out;
}

}  // namespace gedge::reference
