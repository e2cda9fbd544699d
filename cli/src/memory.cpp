#include "memory.hpp"

#include <malloc.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>

namespace gedge::cli {
namespace {

constexpr std::uint64_t kMiB = std::uint64_t{1} << 20;
constexpr std::uint64_t kWorthIt = 2 * kMiB;
// What facts and a plan take at most of each byte of input; it is asked for, not taken.
constexpr std::uint64_t kTimes = 12, kMost = 256 * kMiB;
constexpr std::uintptr_t kLargePage = 2 * kMiB;

}  // namespace

void expect_facts_of(std::uint64_t bytes) {
  static std::atomic<bool> done{false};
  if (bytes < kWorthIt || done.exchange(true)) return;
  const auto room = static_cast<int>(std::min(kTimes * bytes, kMost));
  // Values of all sizes, from one heap that does not shrink in between.
  ::mallopt(M_MMAP_THRESHOLD, static_cast<int>(32 * kMiB));
  ::mallopt(M_TRIM_THRESHOLD, 2 * room);
  ::mallopt(M_TOP_PAD, room);
  // More than the heap has, so that it grows now.
  void* const piece = std::malloc(4 * kMiB);
  const auto first = (reinterpret_cast<std::uintptr_t>(piece) + kLargePage - 1) & ~(kLargePage - 1);
  const auto last = reinterpret_cast<std::uintptr_t>(::sbrk(0)) & ~(kLargePage - 1);
  if (piece != nullptr && first < last && last - first < 2 * kMost)
    ::madvise(reinterpret_cast<void*>(first), last - first, MADV_HUGEPAGE);
  std::free(piece);
  ::mallopt(M_TOP_PAD, static_cast<int>(kMiB));
}

}  // namespace gedge::cli
