#include "policy/resource_bounds.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "gedge/base/target_clones.hpp"
#include "policy/amounts.hpp"

namespace gedge {
namespace {

// What sums and differences of a few shares are rounded by is far less.
constexpr double kSlip = 1e-9;
// Times kSlip it is more than any difference of scores.
constexpr double kFar = 1e12;
constexpr std::int64_t kLargestWeight = 1000;

inline double larger(double a, double b) { return a > b ? a : b; }
inline double smaller(double a, double b) { return a < b ? a : b; }
// Of numbers from 0 to 2^53; as a function of its own it would not become a vector.
inline double whole(double x) { return static_cast<double>(static_cast<std::int64_t>(x)); }

struct Range {
  double least = 0, most = 0;
};

// The least |d + shift| over all d and shifts of these ranges.
inline double least_distance(double least, double most, Range shift) {
  return larger(0.0, larger(least + shift.least, -(most + shift.most)));
}

// What the pod adds to the difference between the shares of cpu and memory.
Range shift_of(const ShareBounds::Kind& kind, double cpu, double memory) {
  const double least = cpu - memory * kind.most_ratio, most = cpu - memory * kind.least_ratio;
  return {least / (least < 0 ? kind.least_cpu : kind.most_cpu) - kSlip,
          most / (most < 0 ? kind.most_cpu : kind.least_cpu) + kSlip};
}

// Without branches, so that the loops become vectors.
GEDGE_FOR_EACH_TARGET void raise_least_allocated(const ShareBounds::Kind& kind, double cpu,
                                                 double memory, double cpu_weight,
                                                 double memory_weight, const std::uint32_t* words,
                                                 std::size_t count, std::int64_t* bounds) {
  const double* const free_cpu = kind.free_cpu.data();
  const double* const free_memory = kind.free_memory.data();
  const double* const free_sum = kind.free_sum.data();
  const double weights = cpu_weight + memory_weight;
  // Where they differ, the sum of both says nothing.
  const double beyond = cpu_weight == memory_weight ? 0.0 : 100.0;
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint32_t word = words[i];
    const double c = whole(larger(0.0, (free_cpu[word] - cpu) * 100 + kSlip));
    const double m = whole(larger(0.0, (free_memory[word] - memory) * 100 + kSlip));
    const double apart = (c * cpu_weight + m * memory_weight) / weights;
    // A row that has too little of one scores by the other alone.
    const double alone = larger(c, m) / 2;
    const double sum = (free_sum[word] - cpu - memory) * 50 + kSlip;
    const auto score = static_cast<std::int64_t>(smaller(apart, larger(alone, sum) + beyond));
    bounds[i] = score > bounds[i] ? score : bounds[i];
  }
}

GEDGE_FOR_EACH_TARGET void raise_balanced(const ShareBounds::Kind& kind, double pod_share,
                                          Range shift, const std::uint32_t* words,
                                          std::size_t count, std::int64_t* bounds) {
  const bool adds_cpu = shift.least >= 0, adds_memory = shift.most <= 0;
  const double* const least_tilt = kind.least_tilt.data();
  const double* const most_tilt = kind.most_tilt.data();
  const double* const most_used = kind.most_used.data();
  // |d| - |d + shift| is largest at one end of the tilts, if every shift has the same sign.
  const double* const ends = adds_cpu ? least_tilt : most_tilt;
  const double beyond = adds_cpu || adds_memory ? 0.0 : 200.0;
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint32_t word = words[i];
    const double low = least_tilt[word], high = most_tilt[word], end = ends[word];
    const double used = most_used[word];
    // Shares above 1 count as 1: then nothing is known of the difference.
    const double clipped = larger(0.0, used + pod_share - 1) * kFar;
    const double near = whole((1 - least_distance(low, high, shift) / 2) * 100 + kSlip);
    const double with = smaller(larger(near, 0.0) + clipped, 100.0);
    const double without = whole((1 - larger(std::abs(low), std::abs(high)) / 2) * 100.0);
    const double gain = (std::abs(end) - least_distance(end, end, shift)) * 50 + kSlip;
    const double rounded_up = 201 - whole(201 - gain);  // a gain is from -150 to 150
    const double most = smaller(with - without, rounded_up + clipped + beyond);
    const double nobody = larger(0.0, -used) * kFar;  // no node of the kind
    const auto score = static_cast<std::int64_t>(50 + whole((50 + most) / 2) - nobody);
    bounds[i] = score > bounds[i] ? score : bounds[i];
  }
}

void lift_unbounded(const ShareBounds& shares, std::span<const std::uint32_t> words,
                    std::span<std::int64_t> bounds) {
  for (std::size_t i = 0; i < words.size() && shares.any_unbounded(); ++i)
    if (shares.unbounded(words[i])) bounds[i] = kMaxScore;
}

}  // namespace

std::optional<CpuAndMemory> cpu_and_memory(const std::vector<ResourceTerm>& terms) {
  const auto is_share = [](const ResourceTerm& term) {
    return term.pod < ShareBounds::kTooLarge && term.weight >= 1 && term.weight <= kLargestWeight;
  };
  if (terms.size() != 2 || !std::all_of(terms.begin(), terms.end(), is_share)) return std::nullopt;
  const std::size_t cpu = terms[0].resource == ResourceIndex::kCpuColumn ? 0 : 1;
  if (terms[cpu].resource != ResourceIndex::kCpuColumn ||
      terms[1 - cpu].resource != ResourceIndex::kMemoryColumn)
    return std::nullopt;
  return CpuAndMemory{terms[cpu], terms[1 - cpu]};
}

void bound_least_allocated(const ShareBounds& shares, const CpuAndMemory& pod,
                           std::span<const std::uint32_t> words, std::span<std::int64_t> bounds) {
  std::fill(bounds.begin(), bounds.end(), 0);
  for (const ShareBounds::Kind& kind : shares.kinds())
    raise_least_allocated(
        kind, static_cast<double>(pod.cpu.pod) / kind.most_cpu,
        static_cast<double>(pod.memory.pod) / kind.most_memory, static_cast<double>(pod.cpu.weight),
        static_cast<double>(pod.memory.weight), words.data(), words.size(), bounds.data());
  lift_unbounded(shares, words, bounds);
}

void bound_balanced(const ShareBounds& shares, const CpuAndMemory& pod,
                    std::span<const std::uint32_t> words, std::span<std::int64_t> bounds) {
  std::fill(bounds.begin(), bounds.end(), 0);
  const auto cpu = static_cast<double>(pod.cpu.pod), memory = static_cast<double>(pod.memory.pod);
  for (const ShareBounds::Kind& kind : shares.kinds())
    raise_balanced(kind, larger(cpu / kind.least_cpu, memory / kind.least_memory) + kSlip,
                   shift_of(kind, cpu, memory), words.data(), words.size(), bounds.data());
  lift_unbounded(shares, words, bounds);
}

}  // namespace gedge
