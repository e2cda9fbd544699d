// gedge/drive/apply_pin.hpp - pins what runs already, and undoes that.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "gedge/drive/run_pinned.hpp"
#include "gedge/pin/pin_record.hpp"
#include "gedge/port/pin_targets.hpp"

namespace gedge {

/// What pinning needs of a machine.
struct PinPorts {
  PinStore& store;
  const Processes& processes;
  Threads& threads;
  ControlGroups& groups;
};

/// A process by its number, or a control group by its path.
using PinTarget = std::variant<int, std::string>;

/// What becomes of whatever else runs on the CPUs of a holder.
struct ForOthers {
  bool isolate = false;  ///< it is moved off them
  int nice = 0;          ///< it has this nice value or more; 0: its own

  bool anything() const { return isolate || nice > 0; }
};

/// A thread that stays as it is: most of them are the kernel's own, one for each CPU.
struct StayingThread {
  int thread = 0;
  std::string name;  ///< of the program
  bool is_kernel = false;
  friend bool operator==(const StayingThread&, const StayingThread&) = default;
};

/// Threads of others that were given something else.
struct ShiftedThreads {
  std::size_t threads = 0;
  std::vector<StayingThread> stay;  ///< ascending
};

struct OthersNow {
  std::optional<ShiftedThreads> moved;   ///< where they were to be
  std::optional<ShiftedThreads> raised;  ///< the same
};

struct AppliedPin {
  CpuGrant grant;
  std::size_t threads = 0;  ///< of a process
  std::size_t groups = 0;   ///< the control group and those in it
  OthersNow others;
};

/// What `apply_pin` would be given now; nothing is written. Errors: its own, but for what only the
/// kernel says as it is asked to pin.
Result<CpuGrant> foresee_pin(const PinPorts& ports, const PinGround& ground, const CpuAsk& ask,
                             const PinTarget& target, MemoryMode memory = MemoryMode::kDefault,
                             const ForOthers& others = {});

/// Chooses CPUs among those that both `ground` and the target's control group allow, writes down
/// what was before, holds the CPUs, and pins: every thread of a process, those too that start
/// meanwhile; of a control group its cpuset. Where it fails, what was done is undone.
///
/// CPUs that are shared nobody holds; what was before is written down all the same.
///
/// Others are moved off the CPUs, or come second there, where that is wished for; see set_back.
///
/// Memory: of a process, kPreferred moves what it has; of a group, kBind sets where it may take
/// memory from. Errors: kInvalidInput for other modes, and for others
/// that are to leave CPUs which may be shared; kNotFound for targets that are not there;
/// kConflict for those that are pinned already; kDenied.
Result<AppliedPin> apply_pin(const PinPorts& ports, const PinGround& ground, const CpuAsk& ask,
                             const PinTarget& target, MemoryMode memory,
                             const ForOthers& others = {});

/// Everything that is still as it was pinned becomes as it was before, and the CPUs are given back;
/// what somebody else has changed since stays. Memory stays where it was moved. Others who were set
/// back are let back; of a process that began with `keep_before_others`, no more than that.
/// Errors: kNotFound where nothing was pinned so; kDenied, and then it is still pinned for
/// `apply_pin`.
Status undo_pin(const PinPorts& ports, const CpuSet& online, const PinTarget& target);

/// Undoes what one record says, as far as the machine is still so, or would be if nobody had been
/// moved `aside`. Errors: the first one.
Status put_back(const PinPorts& ports, const CpuSet& online, const PinRecord& record,
                const Aside& aside = {});

}  // namespace gedge
