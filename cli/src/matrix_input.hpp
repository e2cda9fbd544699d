// matrix_input.hpp - what every `gedge matrix` command begins with: files of round-trip times, and
// the flags that say how to read them; and how those that write matrices are told what to write.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "exit.hpp"
#include "gedge/codec/write_latency.hpp"
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

/// -o with the words of the formats that the command `knows`, json the first.
void add_matrix_output_flag(FlagSet& flags, RttOutput& to, const std::vector<RttOutput>& knows);

/// Reads the matrix with everything that is known of its pairs, and the nodes of --cluster if there
/// is one. Returns an exit code if that failed; everything is printed then.
std::optional<Exit> read_matrix(Io& io, const MatrixOptions& options, ProgressLine& progress,
                                Input& input);

}  // namespace gedge::cli
