// gedge/codec/pin_record.hpp - the file that says what pinning has changed.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "gedge/base/error.hpp"
#include "gedge/base/result.hpp"
#include "gedge/codec/load.hpp"
#include "gedge/pin/pin_record.hpp"

namespace gedge {

struct PinRecordsReading {
  std::optional<std::vector<PinRecord>> records;  ///< empty if there are errors
  Aside aside;                                    ///< who was moved aside
  Niced niced;                                    ///< whose nice value was raised
  Errors errors;                                  ///< with line and column
};

/// Errors: syntax; holders, CPUs, nice values and paths that are none.
PinRecordsReading read_pin_records(const InputFile& file);

/// Is it read again as it is? Errors: kDenied for control groups whose names are no UTF-8.
Status check_written(const PinRecord& record);

std::string write_pin_records(std::span<const PinRecord> records, const Aside& aside = {},
                              const Niced& niced = {});

}  // namespace gedge
