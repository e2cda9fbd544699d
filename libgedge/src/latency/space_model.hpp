// latency/space_model.hpp - what links tell about a pair without one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "latency/coordinates.hpp"
#include "latency/links.hpp"
#include "latency/nearby.hpp"

namespace gedge {

/// Coordinates, and what pairs that lie near each other have in common beyond these: detours that
/// all pairs between two sites take.
class SpaceModel {
 public:
  /// Of links in microseconds, all above 0.
  SpaceModel(std::size_t nodes, std::vector<Link> links, std::uint64_t seed);
  SpaceModel(const SpaceModel&) = delete;  // its parts point at each other
  SpaceModel& operator=(const SpaceModel&) = delete;

  const Nearby& near() const { return *near_; }

  /// Turns to pairs of `a`, then `rtt` asks for one of them, in microseconds.
  void turn_to(std::size_t a);
  double rtt(std::size_t b) const;

 private:
  void compare();  // fills what follows nodes_
  void settle();

  std::vector<Link> links_;
  Coordinates nodes_;
  std::optional<Nearby> near_;
  std::optional<Links> residuals_;  // logarithms of link / distance, cut
  std::optional<PairSums> sums_;
  std::size_t a_ = 0;
};

}  // namespace gedge
