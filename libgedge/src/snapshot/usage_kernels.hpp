// snapshot/usage_kernels.hpp - the inner loops of bounds, for one block of rows. Built for several
// instruction sets.
#pragma once

#include <array>
#include <cstdint>

namespace gedge {

/// The shares of one block of rows.
struct Shares {
  static constexpr std::uint32_t kRows = 64;
  std::array<double, kRows> free_cpu, free_memory;  // (allocatable - score) / allocatable
  std::array<double, kRows> tilt;  // of requested / allocatable, at most 1: cpu minus memory
  std::array<double, kRows> used;  // the larger requested / allocatable
};

/// Cells of one resource on one block of rows.
struct UsageBlock {
  const std::int64_t* allocatable = nullptr;
  const std::int64_t* requested = nullptr;
  const std::int64_t* score = nullptr;
};

/// False where an amount is negative or `too_large`, or nothing is allocatable.
bool find_shares(const UsageBlock& cpu, const UsageBlock& memory, std::uint32_t rows,
                 std::uint64_t too_large, Shares& out);

/// The least and the most of allocatable - requested of one or more rows.
void find_free(const std::int64_t* allocatable, const std::int64_t* requested, std::uint32_t rows,
               std::int64_t& least, std::int64_t& most);

}  // namespace gedge
