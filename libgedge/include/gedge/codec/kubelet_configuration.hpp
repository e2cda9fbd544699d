// gedge/codec/kubelet_configuration.hpp - KubeletConfiguration, YAML or JSON, to the rules by which
// that kubelet gives CPUs.
#pragma once

#include <optional>
#include <vector>

#include "gedge/base/error.hpp"
#include "gedge/base/units.hpp"
#include "gedge/codec/load.hpp"
#include "gedge/pin/admission.hpp"

namespace gedge {

struct KubeletReading {
  std::optional<KubeletRules> rules;  ///< empty if there are errors
  std::vector<Warning> warnings;      ///< MemoryManagerIgnored: under 1.20
  Errors errors;                      ///< with line and column
};

/// Reads cpuManagerPolicy and its options, topologyManagerPolicy, its scope and its options,
/// memoryManagerPolicy, reservedMemory, reservedSystemCPUs, cpu and memory of kubeReserved and
/// systemReserved, memory.available of evictionHard, and the feature gates that allow
/// options in alpha or beta. Other fields are somebody else's.
///
/// Errors: kInvalidInput; no KubeletConfiguration; words that a kubelet of `compat` does not know,
/// in its own words where it has some.
KubeletReading read_kubelet_configuration(const InputFile& file, Compat compat);

}  // namespace gedge
