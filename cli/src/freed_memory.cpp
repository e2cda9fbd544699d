#include "freed_memory.hpp"

#include <cstdlib>

#ifdef __GLIBC__
#include <malloc.h>
#endif

namespace gedge::cli {
namespace {

// Bytes: of a piece that is a mapping of its own, and of what is free at the end.
void set_thresholds([[maybe_unused]] int own, [[maybe_unused]] int free) {
#ifdef __GLIBC__
  mallopt(M_MMAP_THRESHOLD, own);
  mallopt(M_TRIM_THRESHOLD, free);
#endif
}

}  // namespace

void keep_freed_memory() { set_thresholds(32 << 20, 128 << 20); }

void return_freed_memory() { set_thresholds(128 << 10, 128 << 10); }

}  // namespace gedge::cli
