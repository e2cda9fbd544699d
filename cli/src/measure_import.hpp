// measure_import.hpp - `gedge measure --import KIND SOURCE...`: what others have measured.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "exit.hpp"
#include "io.hpp"
#include "measure_format.hpp"
#include "measure_publish.hpp"
#include "options.hpp"
#include "web_options.hpp"

namespace gedge::cli {

enum class ImportKind : std::uint8_t {
  kNothing,     ///< nothing is imported
  kGoldpinger,  ///< /check_all
  kPing,        ///< logs of ping
  kAny,         ///< whatever `--rtt` reads
};

struct ImportCommand {
  ImportKind kind = ImportKind::kNothing;
  std::vector<std::string> sources;  ///< FILE, DIR, - or URL
};

/// --import, --rtt-zero.
void add_import_flags(FlagSet& flags, ImportCommand& command, InputOptions& input);

/// Reads the sources as `gedge matrix convert` does, and prints them as measured. Yes: every pair
/// is known in one direction at least.
Exit run_import(Io& io, const ImportCommand& command, const WebOptions& web,
                const InputOptions& input, MeasureFormat format, const PublishCommand& publication,
                const OutputOptions& output);

}  // namespace gedge::cli
