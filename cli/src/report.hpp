// report.hpp - what goes to standard error, and the exit code that goes with it.
#pragma once

#include <vector>

#include "exit.hpp"
#include "gedge/base/error.hpp"
#include "gedge/model/facts.hpp"
#include "io.hpp"
#include "options.hpp"

namespace gedge::cli {

/// Prints the errors, folded unless -v asks for all, and returns their exit code.
Exit fail(Io& io, const Errors& errors, const OutputOptions& output);
Exit fail(Io& io, const Error& error);
/// A wrong use of flags that only the run could notice.
Exit fail_usage(Io& io, const Error& error);
/// A flag of which only the run could see what it means: wrong usage, unless the world refused.
Exit fail_flag(Io& io, const Error& error);

/// Warnings, and one line about objects that were skipped; -v lists all of both, -q says nothing.
void report_input(Io& io, const std::vector<Warning>& warnings,
                  const std::vector<SkippedObject>& skipped, const OutputOptions& output);

/// Writes an answer to the file of --out; Ctrl-C waits until it is whole. Prints and returns the
/// exit code on failure.
Exit write_file(Io& io, const std::string& path, std::string_view bytes);

}  // namespace gedge::cli
