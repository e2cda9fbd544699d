// gedge/codec/scenario.hpp - scenarios of `gedge simulate`: YAML or JSON, one object of kind
// Scenario.
#pragma once

#include <optional>

#include "gedge/base/error.hpp"
#include "gedge/codec/load.hpp"
#include "gedge/model/scenario.hpp"

namespace gedge {

struct ScenarioReading {
  std::optional<Scenario> scenario;  ///< empty if there are errors
  Errors errors;                     ///< with line and column
};

/// Errors: syntax; fields that a scenario has not, values of a wrong type, times without a unit,
/// edits that cannot be read, events without or with several things that happen, or after the end.
ScenarioReading read_scenario(const InputFile& file);

}  // namespace gedge
