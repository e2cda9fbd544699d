// drive/nice_others.hpp - lets a holder come first on its CPUs: whoever else may run there has a
// higher nice value, and his own again afterwards.
#pragma once

#include <set>
#include <string>

#include "gedge/drive/apply_pin.hpp"
#include "gedge/drive/pin_desk.hpp"

namespace gedge {

/// Under the lock, for a holder that stands in the ledger: every thread of others that may run on
/// `level.cpus` has `level.nice` or more, but for what the holder has started, the kernel's own
/// threads, and this process. What a thread has before is written down before it is raised. Looks
/// again as `move_aside` does; what begins later has the value of what it was begun by. Errors:
/// kDenied where values could not be lowered again, and nobody's is raised then, or where
/// somebody's may not be raised. `lower_again` undoes what was done until then.
Result<ShiftedThreads> raise_others(const PinPorts& ports, PinBooks& books, const PinHolder& holder,
                                    const NiceLevel& level);

/// Under the lock: whoever has come to CPUs where others are raised is raised.
Status keep_raised(const PinPorts& ports, PinBooks& books);

/// Under the lock: nobody is raised any more for those who are `leaving`. Whoever still has the
/// value that he was given, and whatever these have begun since, has again what he had, unless he
/// is raised for somebody who stays. The books change where all is done; writing them is left to
/// the caller. Errors: the first one.
Status lower_again(const PinPorts& ports, PinBooks& books, const std::set<std::string>& leaving);

}  // namespace gedge
