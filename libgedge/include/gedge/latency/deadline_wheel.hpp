// gedge/latency/deadline_wheel.hpp - which of many things is due next, at a constant cost for each.
//
// A ring of slots, each a queue of what falls into one tick of time; what is due later than one
// turn of the ring waits in its slot for its turn. Source: Varghese and Lauck, "Hashed and
// hierarchical timing wheels", SOSP 1987, scheme 6.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "gedge/base/nanos.hpp"

namespace gedge {

/// Deadlines of things numbered 0 to `size` - 1, at most one for each. What shares a tick comes in
/// the order in which it was scheduled.
class DeadlineWheel {
 public:
  /// Deadlines before `start` count as `start`.
  DeadlineWheel(std::uint32_t size, Nanos start);

  /// Of a thing that has no deadline. Cost: O(1), no allocation.
  void schedule(std::uint32_t thing, Nanos deadline);

  /// Takes one thing whose deadline is not after `now`; empty if there is none. `now` never goes
  /// back. Cost: O(1) for each thing and each slot of the ring that was passed; things of the same
  /// tick that are not due yet, or of later turns, are passed over.
  std::optional<std::uint32_t> pop(Nanos now);

  /// The earliest deadline, or any that has passed; empty if nothing is scheduled. Cost: O(1) in
  /// the usual case, O(things) where all of them are more than a turn away.
  std::optional<Nanos> next() const;

 private:
  static constexpr std::uint32_t kNone = ~0U;
  static constexpr int kTickBits = 16;           // 66 us
  static constexpr std::uint64_t kSlots = 4096;  // a turn takes 268 ms
  struct Slot {
    std::uint32_t first = kNone, last = kNone;
  };

  std::uint64_t tick_of(Nanos time) const;
  Slot& slot_of(std::uint64_t tick) { return slots_[tick % kSlots]; }
  std::optional<std::uint32_t> pop_of_tick(std::uint64_t tick, Nanos now);
  std::uint64_t next_used(std::uint64_t tick) const;
  void mark(std::uint64_t slot, bool used);
  std::optional<Nanos> earliest_of(std::uint64_t tick) const;

  Nanos start_;
  std::uint64_t tick_ = 0;  // every deadline of an earlier one was popped
  std::uint32_t scheduled_ = 0;
  std::vector<Nanos> deadline_of_;      // [size]
  std::vector<std::uint32_t> next_of_;  // [size], in the queue of its slot
  std::vector<Slot> slots_;             // [kSlots]
  std::array<std::uint64_t, kSlots / 64> used_{};
};

}  // namespace gedge
