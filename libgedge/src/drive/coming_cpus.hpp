// drive/coming_cpus.hpp - who may run on CPUs that are switched on later.
#pragma once

#include <map>
#include <string>

#include "gedge/pin/pin_record.hpp"
#include "gedge/port/pin_targets.hpp"

namespace gedge {

/// Whoever might run on all CPUs, or on all that his control group has, may run on those too that
/// come later. The kernel keeps that from what it is asked for, and does not say it. Which CPUs
/// were online when it was looked is known as far as `aside` says it; in doubt nobody had all.
class ComingCpus {
 public:
  ComingCpus(const ControlGroups& groups, const Aside& aside, const CpuSet& online);

  /// Might this process run on all of them, as `had` says?
  bool are_of(const CpuSet& had, const ProcessId& process) const;
  /// Those that may come are written down with the others.
  void add_to(ProcessBefore& before) const;

 private:
  const ControlGroups& groups_;
  CpuSet then_;                                   // whatever was online at some time
  bool is_known_ = true;                          // of control groups, what they had then
  mutable std::map<std::string, CpuSet> usable_;  // empty: nobody says
};

}  // namespace gedge
