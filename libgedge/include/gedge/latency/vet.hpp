// gedge/latency/vet.hpp - which reports of agents to believe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "gedge/latency/matrix.hpp"

namespace gedge {

/// Why a cell is suspicious.
enum class Suspicion : std::uint8_t {
  kReporter,  ///< its agent contradicts its peers far more often than others do: left out
  kReverse,   ///< the peer reports something else, and where both lie says that the peer is right:
              ///< left out
  kDisputed,  ///< the peer reports something else, and nothing tells who is right: kept, the larger
              ///< of both counts
  kNear,      ///< reported in one direction, far below what all other reports allow: left out
  kFar,       ///< reported in one direction, far above what all other reports say: kept, as it
              ///< attracts no pod
};

struct SuspiciousCell {
  NameIndex from, to;  ///< `from` reported it
  Rtt reported;
  Suspicion why;
};

/// What is left of reports, and what was found about them.
struct VettedReports {
  RttMatrix matrix;  ///< the reports that are kept, both directions; those left out are unmeasured
  std::vector<NameIndex> distrusted;       ///< agents none of whose reports are kept; by name
  std::vector<SuspiciousCell> suspicious;  ///< by from, then to
};

/// Looks for agents that lie or are overloaded: what i reports of j must agree with what j reports
/// of i, and with a map that all reports make. Natural asymmetry widens what counts as agreement,
/// so a network without order is not called a liar.
///
/// Holds as long as fewer than half of the agents lie, alone or together. A lie that is left in
/// because nothing contradicts it can only be as large as the peers' own reports allow: where two
/// directions differ, the larger counts (RttMatrix::between).
///
/// Units    microseconds of round-trip time; reports.at(i, j) is what i says of j.
/// Cost     O(N * N) and a map of at most 48 pairs a node: 1,000 agents in a third of a second.
///          Same reports, same seed, same answer.
VettedReports vet_reports(const RttMatrix& reports, std::uint64_t seed);

}  // namespace gedge
