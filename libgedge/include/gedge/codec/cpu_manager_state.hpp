// gedge/codec/cpu_manager_state.hpp - the file in which a kubelet keeps who holds which CPUs.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "gedge/base/error.hpp"
#include "gedge/codec/load.hpp"
#include "gedge/pin/static_policy.hpp"

namespace gedge {

struct CpuManagerState {
  std::string policy;  ///< "static", "none"
  CpuAssignments cpus;
  friend bool operator==(const CpuManagerState&, const CpuManagerState&) = default;
};

struct CpuManagerStateReading {
  std::optional<CpuManagerState> state;  ///< empty if there are errors
  Errors errors;                         ///< with line and column
};

/// Reads `cpu_manager_state` of any kubelet: entries by pod and container, or by container alone as
/// up to 1.17, which then stand under a pod without a name; and where there is `data`, as from 1.36
/// on, only what it says. A checksum of 0, or none, is not checked, as the kubelet does not.
/// Errors: syntax, CPUs that are no list, a checksum that does not fit.
CpuManagerStateReading read_cpu_manager_state(const InputFile& file);

/// As a kubelet of 1.18 to 1.35 writes it, checksum included; later ones read it too.
std::string write_cpu_manager_state(const CpuManagerState& state);

/// What stands in bytes that `write_cpu_manager_state` has written, and nothing of any others, be
/// they right or wrong: those are for `read_cpu_manager_state`. Needs no parser but that of the
/// writer.
std::optional<CpuManagerState> recognise_cpu_manager_state(std::string_view bytes);

/// FNV-1a, 32 bits, over what Go prints of the checkpoint.
std::uint32_t checksum_of(const CpuManagerState& state);

}  // namespace gedge
