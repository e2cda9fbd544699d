// gedge/drive/look_at_pins.hpp - reads who holds CPUs and what runs, for `check_pins`.
#pragma once

#include "gedge/drive/apply_pin.hpp"
#include "gedge/pin/pin_check.hpp"

namespace gedge {

/// The ledger, every process and its threads, and what dead holders have left behind. Changes
/// nothing, and what ends meanwhile is left out. Where something looks left behind, the lock is
/// waited for, as somebody may be putting it back; who may not lock has the first look. Errors:
/// kDenied; kTimeout for the lock; kInvalidInput for a ledger that is broken.
Result<PinCheck> look_at_pins(const PinPorts& ports, const CpuSet& online);

/// What holds CPUs, and no more: the processes of others are not looked at. Errors:
/// kDenied; kInvalidInput for a ledger that is broken.
Result<PinCheck> list_pins(const PinPorts& ports, const CpuSet& online);

}  // namespace gedge
