// policy/resource_bounds.hpp - no row of a block scores more: bounds of the scores of cpu and
// memory, from the shares that are used (snapshot/share_bounds.hpp).
//
// For nodes that are used alike the bounds are the scores themselves; else they lie above by the
// difference between the row that has most cpu free and the one that has most memory free.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "gedge/snapshot/share_bounds.hpp"
#include "policy/resource_terms.hpp"

namespace gedge {

/// A class of pods whose score is of cpu and memory alone.
struct CpuAndMemory {
  ResourceTerm cpu, memory;
};

/// Empty where the terms are others, or their amounts no shares.
std::optional<CpuAndMemory> cpu_and_memory(const std::vector<ResourceTerm>& terms);

/// bounds[i], of block words[i]: of idiv(sum of weight * idiv(100 * free, allocatable), sum of
/// weights).
void bound_least_allocated(const ShareBounds& shares, const CpuAndMemory& pod,
                           std::span<const std::uint32_t> words, std::span<std::int64_t> bounds);
/// bounds[i], of block words[i]: of the 1.36 score of NodeResourcesBalancedAllocation.
void bound_balanced(const ShareBounds& shares, const CpuAndMemory& pod,
                    std::span<const std::uint32_t> words, std::span<std::int64_t> bounds);

}  // namespace gedge
