// memory.hpp - tells the allocator what is to come.
#pragma once

#include <cstdint>

namespace gedge::cli {

/// Input of so many bytes was read. Facts of a large one come from large pages where the system has
/// them: pages of 4 KiB would take a quarter of the time that is needed to make them. Counts once
/// in a process; without large pages nothing is lost.
void expect_facts_of(std::uint64_t bytes);

}  // namespace gedge::cli
