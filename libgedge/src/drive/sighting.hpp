// drive/sighting.hpp - every thread of a machine at one moment, and where it would run were nobody
// isolated.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

#include "gedge/pin/pin_record.hpp"
#include "gedge/port/pin_targets.hpp"

namespace gedge {

struct SeenThread {
  int number = 0;
  CpuSet mask;
};

struct Seen {
  ProcessFacts facts;
  std::vector<SeenThread> threads;
};

class Sighting {
 public:
  /// What ends meanwhile is left out.
  static Result<Sighting> take(const Threads& threads);

  std::uint64_t births() const { return births_; }  ///< just before
  const std::vector<Seen>& all() const { return all_; }
  /// Null where there is none.
  const Seen* find(int pid) const;
  /// Is it `pid`, or was it begun by it or by what that has begun?
  bool descends(const Seen& process, int pid) const;

 private:
  std::uint64_t births_ = 0;
  std::vector<Seen> all_;
  std::map<int, std::size_t> by_pid_;
};

/// Where threads would run, out of what was written down.
class Origins {
 public:
  Origins(const Threads& threads, const Aside& aside, const CpuSet& online);

  /// Of a thread that is not where it was moved: where it is.
  CpuSet of(const Sighting& sight, const Seen& process, const SeenThread& thread) const;
  /// More was written down since.
  void learn();
  /// Null where it was not moved.
  const ProcessBefore* find(const ProcessId& process) const;

 private:
  bool is_of(const CpuSet& now, const CpuSet& before) const;
  CpuSet of_known(const ProcessBefore& known, const SeenThread& thread) const;
  const CpuSet* among(const CpuSet& now, const ProcessBefore& before) const;

  const Threads& threads_;
  const Aside& aside_;
  CpuSet online_, isolated_, all_;
  std::size_t learnt_ = 0;
  std::map<int, std::size_t> by_pid_;  // in Aside::moved
};

}  // namespace gedge
