// gedge/pin/pin_check.hpp - are the pins that stand in the ledger still true?
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "gedge/pin/pin_ledger.hpp"

namespace gedge {

/// A process as it runs now.
struct SeenProcess {
  ProcessId process;
  int parent = 0;
  bool is_kernel = false;     ///< threads of the kernel itself
  std::string name;           ///< of the program
  std::string group;          ///< its control group; empty: not known
  std::vector<CpuSet> masks;  ///< [threads]: where each may run
};

/// What runs on a machine, and where it may.
struct SeenMachine {
  CpuSet online;
  std::vector<SeenProcess> processes;
  std::map<std::string, CpuSet> groups;  ///< what the control groups that hold CPUs leave theirs
  std::set<std::string> isolated;        ///< holders, as in the ledger, that others were moved off
  std::set<std::string> unseen{};        ///< control groups, as in the ledger, that cannot be seen
};

enum class PinFaultKind : std::uint8_t {
  kOffline,    ///< CPUs that are held are switched off
  kMoved,      ///< somebody else gave the holder other CPUs
  kStrangers,  ///< others are bound to these CPUs; where they are isolated: others may run there
  kUnseen,     ///< a control group of which nobody here can say more
};
/// "offline", "moved", "strangers", "unseen".
std::string_view word_of(PinFaultKind kind);

struct PinFault {
  PinFaultKind kind = PinFaultKind::kMoved;
  std::string detail;  ///< one clause: "2 of 8 threads may run on 0-3"
  friend bool operator==(const PinFault&, const PinFault&) = default;
};

/// One entry of the ledger, and what is wrong with it.
struct HeldPin {
  std::string holder;  ///< "process 4711", "control group /a", else the name in the ledger
  std::string name;    ///< of the program; empty: no process
  CpuSet cpus;
  std::size_t threads = 0;  ///< of the process, or of those in the group
  bool is_isolated = false;
  std::vector<PinFault> faults;
};

/// What a holder that lives no more has left: others are as they were set back for it.
struct LeftBehind {
  /// As of HeldPin; "control group with inode 4711" where nobody has kept its path.
  std::string holder;
  CpuSet cpus;            ///< that it held
  bool is_moved = false;  ///< others were moved off these
  int nice = 0;           ///< others there have this nice value or more; 0: their own
  friend bool operator==(const LeftBehind&, const LeftBehind&) = default;
};

struct PinCheck {
  std::vector<HeldPin> pins;  ///< in the order of the ledger
  std::vector<LeftBehind> left{};
  bool all_true() const;  ///< and nothing is left behind
};

/// Looks at each entry. Threads of the holder and of processes that it started are no strangers,
/// nor are the kernel's own. Whoever is bound to CPUs that are held, and may run nowhere else, is
/// one; of those that are isolated whoever may run there.
PinCheck check_pins(const CpuAssignments& ledger, const SeenMachine& seen);

}  // namespace gedge
