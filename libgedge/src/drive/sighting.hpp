// drive/sighting.hpp - every thread of a machine at one moment, and whose it is.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "gedge/pin/pin_ledger.hpp"
#include "gedge/port/pin_targets.hpp"

namespace gedge {

struct SeenThread {
  int number = 0;
  CpuSet mask;
  int nice = 0;  ///< where it was looked for
};

struct Seen {
  ProcessFacts facts;
  std::vector<SeenThread> threads;
};

class Sighting {
 public:
  /// What ends meanwhile is left out.
  static Result<Sighting> take(const Threads& threads, bool with_nice = false);

  /// Has a thread begun since just before? In doubt true.
  bool is_over(const Threads& threads) const { return !births_ || threads.births() != births_; }
  const std::vector<Seen>& all() const { return all_; }
  /// Null where there is none.
  const Seen* find(int pid) const;
  /// Is it `holder`, or was it begun by it or by what that has begun? Where a parent has ended,
  /// nobody knows any more.
  bool descends(const Seen& process, const ProcessId& holder) const;

 private:
  std::optional<std::uint64_t> births_;
  std::vector<Seen> all_;
  std::map<int, std::size_t> by_pid_;
};

/// Some of those who stand in the ledger.
class Holders {
 public:
  explicit Holders(const ControlGroups& groups) : groups_(groups) {}

  /// By the name in the ledger; a control group that does not stand there any more is nobody.
  void add(const std::string& name, const CpuAssignments& ledger);
  /// Is it a holder, or in the control group of one?
  bool include(const Seen& process) const;
  /// The same, or has a holder begun it?
  bool own(const Sighting& sight, const Seen& process) const;

 private:
  bool is_in_group(const Seen& process) const;

  const ControlGroups& groups_;
  std::vector<ProcessId> processes_;
  std::vector<std::string> paths_;
};

}  // namespace gedge
