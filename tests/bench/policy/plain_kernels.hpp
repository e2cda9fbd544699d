// bench/policy/plain_kernels.hpp - the loops of policy/score_kernels, built for the least
// processor.
#pragma once

#include <cstdint>

namespace gedge::bench {

/// One resource of one block of rows.
struct Columns {
  const std::int64_t* capacity = nullptr;   // [rows]
  const std::int64_t* requested = nullptr;  // [rows]
  std::int64_t pod = 0;
};

void plain_join_slack(const Columns& columns, std::uint32_t rows, std::int64_t* slack);
void plain_least_allocated(const Columns& columns, std::uint32_t rows, std::int64_t* sum);
void plain_balanced(const Columns& cpu, const Columns& memory, std::uint32_t rows,
                    std::int64_t* score);

}  // namespace gedge::bench
