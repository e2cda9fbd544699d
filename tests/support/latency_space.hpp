// support/latency_space.hpp - round-trip times of an imagined network, some of which are shown.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "gedge/latency/matrix.hpp"

namespace gedge::test {

/// A generator like M-viv of the performance notes: sites in a plane, detours between sites that
/// break the triangle inequality, a delay of access for each node, noise for each pair.
///
/// The constants were chosen with Vivaldi alone (support/vivaldi), so that its errors come out near
/// those that were published for M-viv, before any completion existed, and have not moved since.
struct LatencySpace {
  std::size_t nodes = 1000;
  std::size_t sites = 40;      ///< none: an empty matrix
  double plane_ms = 40;        ///< sites lie evenly in a square of this side, in RTT
  double site_ms = 0.3;        ///< deviation of nodes from the middle of their site, each way
  double access_ms = 2.5;      ///< mean of the exponential delay between a node and its site
  double detour_share = 0.15;  ///< of all pairs of sites take a longer way
  double detour_most = 0.3;    ///< by up to this much, evenly
  double noise = 0.03;         ///< deviation of a pair's factor from 1, cut at three of them
  std::uint64_t seed = 20261122;
};

/// All pairs, the same both ways; names are "n0000", "n0001", ...
RttMatrix make_latency_space(const LatencySpace& space);

/// What is left if every node measures `count` of its pairs that `truth` knows, chosen evenly; one
/// direction of each, the own one where it is known.
RttMatrix show_some(const RttMatrix& truth, std::size_t count, std::uint64_t seed);

/// An ordered pair.
struct Cell {
  NameIndex from, to;
};
/// Those that `truth` knows and `shown` says nothing about, neither there nor back.
std::vector<Cell> hidden_cells(const RttMatrix& truth, const RttMatrix& shown);

}  // namespace gedge::test
