// gedge/codec/load_series.hpp - a load over time, as CSV.
#pragma once

#include <optional>

#include "gedge/base/error.hpp"
#include "gedge/codec/load.hpp"
#include "gedge/scale/load_run.hpp"

namespace gedge {

struct LoadReading {
  std::optional<LoadSeries> series;  ///< empty if and only if there are errors
  LoadOrigins origins;               ///< where every line names its site
  Errors errors;                     ///< with line and column
};

/// Lines `time,value[,site]`, a first line of names or not. Times are RFC 3339, or as many people
/// write them ("2014-04-10 00:04"), or seconds; values of one time and several sites are added.
///
/// Errors: a time before the one above, twice the same time without a site, values that are no
/// number or negative, and lines with too few or too many columns.
LoadReading read_load_series(const InputFile& file);

}  // namespace gedge
