// term/diagnostics.hpp - errors and warnings as people read them: what, where, how to fix it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "gedge/base/error.hpp"
#include "term/stream.hpp"

namespace gedge::cli {

/// One error: "FILE:LINE:COLUMN: error: what", the line with carets, "  fix: hint". Lines without
/// content are left out.
void print_error(Stream& err, const Error& error);

/// All of them in their order; of one kind (equal but for what stands in single quotes and numbers)
/// only the first three and then how many more there are. `fold` off prints every one. Warnings of
/// one code are one kind.
void print_errors(Stream& err, const Errors& errors, bool fold = true);
void print_warnings(Stream& err, const std::vector<Warning>& warnings, bool fold = true);

}  // namespace gedge::cli
