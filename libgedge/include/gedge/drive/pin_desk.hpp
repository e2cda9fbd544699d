// gedge/drive/pin_desk.hpp - the ledger of who holds which CPUs, and the record of what pinning has
// changed, as one desk that one gedge at a time works at.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "gedge/pin/pin_record.hpp"
#include "gedge/port/pin_desk.hpp"

namespace gedge {

/// What the desk's files say of the living.
struct PinBooks {
  CpuAssignments ledger;
  std::vector<PinRecord> records;  ///< of holders that stand in the ledger, and of those who share
  Aside aside;                     ///< of dead holders too, until somebody moves the others back
  Niced niced;                     ///< the same
  /// Paths of control groups that are gone, by their names in the ledger, while a record says them.
  std::map<std::string, std::string> gone{};
};

/// Reads the ledger alone, without the dead. Errors: kDenied; kInvalidInput for a ledger that is
/// broken.
Result<CpuAssignments> read_ledger(PinStore& store, const Processes& processes);
/// The same of a ledger that this program has written, byte for byte; others are an error, right or
/// wrong.
Result<CpuAssignments> recognise_ledger(PinStore& store, const Processes& processes);
/// Under the lock. Errors: kDenied, and nothing is written then, here and below.
Status write_ledger(PinStore& store, CpuAssignments ledger);
/// Was somebody moved off CPUs, or his nice value raised, and that not undone yet? Needs no parser,
/// so a record that this program has not written whole is an error, right or wrong. Errors: kDenied
/// too.
Result<bool> is_anybody_set_back(PinStore& store);

/// Both files. Errors: kDenied; kInvalidInput for one that is broken.
Result<PinBooks> read_books(PinStore& store, const Processes& processes);
/// The record alone. Errors: kDenied.
Status write_record(PinStore& store, const PinBooks& books);
/// Before something is changed: the record comes first, as one that is not in the ledger counts for
/// nothing. Errors: kDenied.
Status enter_books(PinStore& store, const PinBooks& books);
/// After something is undone, and before something is shared: the ledger comes first.
/// Errors: kDenied; where it is the record's, the ledger is written.
Status leave_books(PinStore& store, const PinBooks& books);

/// Those for whom others were set back and who live no more, by their names in the ledger.
std::set<std::string> dead_holders(const PinBooks& books);
/// The record of a holder; null where it has none.
const PinRecord* record_of(const PinBooks& books, const PinHolder& holder);

}  // namespace gedge
