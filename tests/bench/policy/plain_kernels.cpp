#include "bench/policy/plain_kernels.hpp"

// The same source under another name and without clones for other instruction sets.
#define GEDGE_FOR_EACH_TARGET
#define gedge gedge_plain
#include "policy/score_kernels.cpp"  // NOLINT(bugprone-suspicious-include)
#undef gedge

namespace gedge::bench {
namespace {

gedge_plain::ResourceBlock block_of(const Columns& columns) {
  return {columns.capacity, columns.requested, columns.pod, 1};
}

}  // namespace

void plain_join_slack(const Columns& columns, std::uint32_t rows, std::int64_t* slack) {
  gedge_plain::join_slack(block_of(columns), rows, slack);
}

void plain_least_allocated(const Columns& columns, std::uint32_t rows, std::int64_t* sum) {
  gedge_plain::add_least_allocated(block_of(columns), rows, sum);
}

void plain_balanced(const Columns& cpu, const Columns& memory, std::uint32_t rows,
                    std::int64_t* score) {
  gedge_plain::balanced_of_two(block_of(cpu), block_of(memory), rows, score);
}

}  // namespace gedge::bench
