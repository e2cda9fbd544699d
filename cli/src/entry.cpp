// entry.cpp - the one symbol of the library that main.cpp opens.
#include <cstdlib>

#include "app.hpp"

#ifdef __GLIBC__
#include <malloc.h>
#endif

namespace {

// The system clears a page before it is used for the first time, which takes longer than most of
// what is done with it. So the memory that a file was read into is not given back, but serves what
// is made of the file; beyond 32 MiB, the most that glibc allows, it is.
void keep_freed_memory() {
#ifdef __GLIBC__
  mallopt(M_MMAP_THRESHOLD, 32 << 20);
  mallopt(M_TRIM_THRESHOLD, 128 << 20);
#endif
}

}  // namespace

extern "C" __attribute__((visibility("default"))) int gedge_command(int argc, char** argv) {
  keep_freed_memory();
  return static_cast<int>(gedge::cli::run_process(argc, argv));
}
