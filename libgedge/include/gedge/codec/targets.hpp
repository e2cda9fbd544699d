// gedge/codec/targets.hpp - lists of places to probe.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gedge/base/error.hpp"
#include "gedge/codec/load.hpp"

namespace gedge {

/// "NAME" or "NAME=ADDRESS".
struct NamedTarget {
  std::string name;
  std::string address;  ///< empty where only a name was given
};

/// Errors: kInvalidInput for an empty name or address, for more than 253 bytes of either, and for
/// blanks, control characters or bytes that are no UTF-8 in them.
Result<NamedTarget> parse_target(std::string_view text);

struct TargetsReading {
  std::vector<NamedTarget> targets;  ///< in the order of the file; empty if there are errors
  Errors errors;                     ///< with line and column
};

/// One target a line; what follows a `#` is a comment, empty lines are none. A name that stands
/// there twice is an error. Cost: O(bytes).
TargetsReading read_targets(const InputFile& file);

}  // namespace gedge
