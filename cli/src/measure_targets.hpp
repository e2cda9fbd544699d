// measure_targets.hpp - which places `gedge measure` probes: operands, a file, nodes of a cluster.
#pragma once

#include <string>
#include <vector>

#include "gedge/drive/measure.hpp"
#include "io.hpp"
#include "options.hpp"
#include "term/progress.hpp"

namespace gedge::cli {

struct TargetOptions {
  InputOptions input;              ///< --cluster
  std::vector<std::string> nodes;  ///< operands
  std::string file;                ///< --targets
};

struct MeasureTargets {
  std::vector<MeasureTarget> targets;  ///< without the place that measures; empty after errors
  Errors errors;
};

/// Operands first, then the file; where there is neither, every node of the cluster. A name without
/// an address has that of the node of that name, if there is one, else it is looked up as it is.
/// A node of the cluster is reached at its first InternalIP of `family`.
MeasureTargets read_measure_targets(Io& io, const TargetOptions& options, const std::string& from,
                                    IpFamily family, ProgressLine& progress);

}  // namespace gedge::cli
