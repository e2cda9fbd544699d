// support/lying_agents.hpp - reports of agents, some of whom make them up.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "gedge/latency/matrix.hpp"

namespace gedge::test {

/// What a lying agent reports of its peers.
enum class Lie : std::uint8_t {
  kArbitrary,  ///< anything up to four times the median RTT
  kTiny,       ///< 0.1 ms of everybody
  kTenth,      ///< a tenth of the truth
  kHalf,
  kTriple,    ///< an overloaded agent rather than a liar
  kShuffled,  ///< true RTTs, of other nodes
  kTogether,  ///< liars stand by each other: 0.2 ms among them, 0.5 ms to others
  kThird,     ///< 0.1 ms of every third peer, the truth of the others
};
inline constexpr Lie kLies[] = {Lie::kArbitrary, Lie::kTiny,     Lie::kTenth,    Lie::kHalf,
                                Lie::kTriple,    Lie::kShuffled, Lie::kTogether, Lie::kThird};
std::string_view to_string(Lie lie);

struct Reports {
  RttMatrix truth;    ///< the same both ways
  RttMatrix reports;  ///< from = who reported; the honest err by 2 %
  std::vector<bool> lies;
};

/// `nodes` nodes of 12 sites, each reporting of all others; `percent` of them lie, each in one of
/// `how` by chance.
Reports make_reports(std::size_t nodes, std::size_t percent, const std::vector<Lie>& how,
                     std::uint64_t seed);

/// The plain average of two directions, or the one that there is.
RttMatrix average(const RttMatrix& reports);

/// Share of nodes whose nearest node by `matrix` (the larger direction counts, unmeasured is never
/// near) is in truth more than a tenth farther away than their nearest.
double wrong_choices(const RttMatrix& truth, const RttMatrix& matrix);

}  // namespace gedge::test
