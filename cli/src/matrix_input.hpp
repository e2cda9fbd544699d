// matrix_input.hpp - what every `gedge matrix` command begins with: files of round-trip times, and
// the flags that say how to read them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "exit.hpp"
#include "input.hpp"
#include "io.hpp"
#include "options.hpp"
#include "term/progress.hpp"

namespace gedge::cli {

struct MatrixOptions {
  InputOptions input;
  OutputOptions output;
  std::vector<std::string> files;  ///< operands; they count after those of --rtt
};

/// FILE..., --rtt, the cluster, and how to read round-trip times. Output flags are the command's
/// own.
void add_matrix_flags(FlagSet& flags, MatrixOptions& options);
/// The same for commands that name their matrices themselves.
void add_matrix_reading_flags(FlagSet& flags, MatrixOptions& options);

/// Reads the matrix with everything that is known of its pairs, and the nodes of --cluster if there
/// is one. Returns an exit code if that failed; everything is printed then.
std::optional<Exit> read_matrix(Io& io, const MatrixOptions& options, ProgressLine& progress,
                                Input& input);

}  // namespace gedge::cli
