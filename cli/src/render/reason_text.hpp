// render/reason_text.hpp - evidence in the few words that fit into a cell of a table.
#pragma once

#include <string>

#include "gedge/effect/reason.hpp"

namespace gedge::cli {

/// "cpu 4200m > 4000m", "edge-1 38.4 > 10.0 ms", "taint dedicated: gpu".
std::string short_reason(const Evidence& evidence, Compat compat);
/// The same with the subject, a name, shortened to that many columns of a terminal.
std::string short_reason(Evidence evidence, Compat compat, std::size_t subject_width);

}  // namespace gedge::cli
