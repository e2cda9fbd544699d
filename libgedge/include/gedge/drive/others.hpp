// gedge/drive/others.hpp - what becomes of whatever else runs on the CPUs of a holder, and that it
// is undone.
#pragma once

#include <functional>
#include <set>
#include <string>

#include "gedge/drive/apply_pin.hpp"
#include "gedge/drive/pin_desk.hpp"

namespace gedge {

/// Under the lock, for a holder that stands in the ledger. What each thread has before is written
/// down before it is changed. Errors: kDenied; `let_back` undoes what was done until then.
Result<OthersNow> set_back(const PinPorts& ports, PinBooks& books, const CpuSet& online,
                           const PinHolder& holder, const CpuSet& cpus, const ForOthers& wish);

/// Under the lock: the same for whoever has come to CPUs of holders since. Errors: kDenied.
Status keep_back(const PinPorts& ports, PinBooks& books, const CpuSet& online);

/// Under the lock: whoever was set back for those who are `leaving` has again what he had, as far
/// as those who stay let him. The books change where that is done; writing them is left to the
/// caller. Errors: the first one.
Status let_back(const PinPorts& ports, PinBooks& books, const CpuSet& online,
                const std::set<std::string>& leaving);

/// Is anybody set back for this holder?
bool has_set_back(const PinBooks& books, const std::string& holder);

/// Under the lock: both files, and `let_back` for holders that have died. Where that cannot be done
/// it stays in the books for the next one. Errors: of read_books.
Result<PinBooks> open_books(const PinPorts& ports, const CpuSet& online);

/// `let_back` for holders that have died. Takes no lock where nobody is set back for one. Errors:
/// of the desk, kInvalidInput among them only for files that are broken; the first one of letting
/// back.
Status clean_up(const PinPorts& ports, const CpuSet& online);

/// Like keep_ledger, with others that are set back before the CPUs are given, and let back when
/// they are taken back. `told` is called in between, when the lock has been given back.
CpuKeeper keep_before_others(const PinPorts& ports, const PinGround& ground, const CpuAsk& ask,
                             const ForOthers& wish, std::function<void(const OthersNow&)> told);

}  // namespace gedge
