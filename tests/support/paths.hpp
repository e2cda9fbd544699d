// support/paths.hpp - where a test finds its inputs, and how it says that it cannot run.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <optional>

namespace gedge::test {

/// The top of the source tree.
inline std::filesystem::path source_dir() { return GEDGE_SOURCE_DIR; }

/// Where the programs of this build lie: gedge, examples; policy modules in "modules" beside it.
inline std::filesystem::path programs_dir() { return GEDGE_PROGRAMS_DIR; }

/// Inputs that belong to the repository.
inline std::filesystem::path data_dir() { return source_dir() / "tests" / "data"; }

/// Vectors produced by Kubernetes: the folder that GEDGE_CONFORMANCE_DIR names, or our copy.
inline std::filesystem::path conformance_dir() {
  const char* set = std::getenv("GEDGE_CONFORMANCE_DIR");
  return set != nullptr && *set != '\0' ? std::filesystem::path(set) : data_dir() / "conformance";
}

/// Public data that is not part of the repository: the folder that GEDGE_DATA_DIR names, if any.
inline std::optional<std::filesystem::path> public_data_dir() {
  const char* set = std::getenv("GEDGE_DATA_DIR");
  if (set == nullptr || *set == '\0') return std::nullopt;
  return std::filesystem::path(set);
}

}  // namespace gedge::test

/// Ends a test that cannot run here; ctest counts it as skipped, not as passed.
#define GEDGE_SKIP(reason)                   \
  do {                                       \
    std::printf("[skipped] %s\n", (reason)); \
    return;                                  \
  } while (false)
