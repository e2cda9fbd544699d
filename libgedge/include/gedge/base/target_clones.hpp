// gedge/base/target_clones.hpp - functions that are built for several instruction sets; the best is
// chosen when the library is loaded.
#pragma once

// Sanitizers run before the loader has chosen. A benchmark builds the plain set.
#if defined(GEDGE_FOR_EACH_TARGET)
#elif defined(__x86_64__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__) && \
    !defined(__clang__)
#define GEDGE_FOR_EACH_TARGET \
  __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define GEDGE_FOR_EACH_TARGET
#endif
