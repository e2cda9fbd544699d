// gedge/codec/write_latency.hpp - matrices of round-trip times as files, in every format that gedge
// or another scheduler reads.
//
//   format          one pair holds                                 pairs without RTT    names
//   gedge JSON      everything that is known                       absent, or null      any
//   edge list       everything that is known                       absent, or `-`       no quotes
//   square CSV      one number                                     empty cells          no quotes
//   plain           one number; the names are a file of their own  `-`                  any
//   NetworkTopology whole milliseconds between zones and regions   absent               labels
//
// What a format cannot say is listed in RttText::losses; unmeasured never becomes a number. Numbers
// are exact: milliseconds with up to three digits behind the point, but for costs, which are
// rounded up.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "gedge/base/error.hpp"
#include "gedge/codec/write.hpp"
#include "gedge/latency/agent_reports.hpp"
#include "gedge/latency/check.hpp"
#include "gedge/latency/complete.hpp"
#include "gedge/latency/diff.hpp"
#include "gedge/latency/matrix.hpp"
#include "gedge/latency/pair_stats.hpp"
#include "gedge/model/node.hpp"

namespace gedge {

enum class RttOutput : std::uint8_t {
  kJson,  ///< kind LatencyMatrix
  kYaml,  ///< the same
  kSquareCsv,
  kEdgeList,
  kPlain,            ///< the matrix and the names of kubernetes-edge-scheduler
  kNetworkTopology,  ///< of Diktyo
};

/// What a NetworkTopology needs to know of the names.
struct Whereabouts {
  std::span<const Node> nodes = {};  ///< whose labels say zone and region
  std::string rtt_by = {};           ///< the names are values of this label, not nodes
};

struct WrittenRtt {
  std::string text;   ///< empty if there are errors
  std::string names;  ///< kPlain: name -> row as JSON, for --rtt-names; else empty
  /// What is not in `text`: LostDetails, LostMarks, LostNodes, LostPairs, RoundedCosts,
  /// MarkedPairs.
  std::vector<Warning> losses;
  Errors errors;  ///< a name that the format cannot hold; no zones for a NetworkTopology
};

/// kind LatencyMatrix with what `details` know of pairs. A number of which nobody said which
/// statistic it is stands under p95Us, where read_rtt finds it again.
std::string write(const RttMatrix& matrix, const PairDetails& details, TextFormat format);

/// kind LatencyMatrix with what became of each agent that was asked, if any was.
std::string write(const AgentMatrix& merged, TextFormat format);

/// kind MatrixCheck: what check_matrix() found in `matrix`, each kind counted.
std::string write(const RttMatrix& matrix, const MatrixCheck& check, TextFormat format);

/// kind MatrixDifference.
std::string write(const MatrixDifference& difference, TextFormat format);

/// The same in kJson, kYaml or kEdgeList, the formats that tell an estimate from a measurement. The
/// text of a few thousand names has gigabytes: `take` gets it piece by piece as it is written, and
/// `text` stays empty. After errors it may have got the beginning. YAML comes in one piece.
WrittenRtt write_rtt(const CompletedMatrix& completed, RttOutput output,
                     const std::function<void(std::string_view)>& take);

/// `where` counts for a NetworkTopology only. Cost: O(names^2).
WrittenRtt write_rtt(const RttMatrix& matrix, const PairDetails& details, RttOutput output,
                     const Whereabouts& where = {});

}  // namespace gedge
