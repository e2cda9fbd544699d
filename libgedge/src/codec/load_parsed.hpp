// codec/load_parsed.hpp - facts of one object that somebody else has parsed.
#pragma once

#include "codec/cursor.hpp"
#include "gedge/codec/load.hpp"

namespace gedge::codec {

/// As a FactsLoader says of a text that is this object, as one of a cluster. What is wrong in the
/// object is told to the diagnostics of its tape.
LoadResult load_parsed(Cursor object, const LoadOptions& options);

}  // namespace gedge::codec
