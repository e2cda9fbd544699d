// gedge/drive/publish_pace.hpp - when to publish what is measured round after round.
#pragma once

#include <cstdint>

#include "gedge/base/split_mix.hpp"
#include "gedge/base/units.hpp"

namespace gedge {

/// Always, but after a failure not before a pause has passed: 0.8 s, twice as much after each
/// further failure, 30 s at most, and up to as much again by chance, so that not all agents of a
/// cluster come back at once.
class PublishPace {
 public:
  explicit PublishPace(std::uint64_t seed) : random_(seed) {}

  bool is_due(Micros now) const { return now >= next_; }
  void succeed() { failures_ = 0; }
  /// Returns the pause.
  Micros fail(Micros now);

 private:
  SplitMix random_;
  int failures_ = 0;  // in a row
  Micros next_ = Micros::min();
};

}  // namespace gedge
