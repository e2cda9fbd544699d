// gedge/codec/latency.hpp - every format of round-trip times that gedge reads, recognised by
// content.
//
//   square CSV with header     edge list from,to,rtt_ms[,...]     plain numbers (with names from
//   elsewhere) Goldpinger check_all       gedge LatencyMatrix (JSON, YAML)   NodeLatency and
//   ConfigMap gedge-latency min/avg/max/mdev:NAME      WonderNetwork CSV                  logs of
//   ping                    NetworkTopology of Diktyo
//
// Times are read digit by digit and rounded up to whole microseconds; no double is involved. An
// empty cell, "-" and an absent pair are unmeasured.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "gedge/base/duration.hpp"
#include "gedge/base/error.hpp"
#include "gedge/base/units.hpp"
#include "gedge/codec/load.hpp"
#include "gedge/latency/matrix.hpp"
#include "gedge/latency/pair_stats.hpp"
#include "gedge/model/node.hpp"

namespace gedge {

/// Which value of a pair counts. Where a pair lacks it, its only (or mean) value does; where it has
/// none of these either, the next higher statistic, then the next lower one. Estimates always count
/// with their upper bound.
enum class RttStat : std::uint8_t { kP50, kP95, kP99, kMax };

struct RttOptions {
  TimeUnit unit =
      TimeUnit::kMilli;  ///< of numbers whose column, suffix or format does not say otherwise
  /// `unit` was asked for: a header that names another one is an error then, and wins otherwise.
  bool unit_is_asked = false;
  bool zero_is_value =
      false;  ///< false: 0 off the diagonal is unmeasured, and that is warned about
  RttStat stat = RttStat::kP95;
  /// Older samples are unmeasured, and those that a clock far ahead has dated; those without a date
  /// count, which is warned about. Only together with `now`.
  std::optional<Micros> max_age;
  std::optional<UnixSeconds> now;
  std::vector<std::string>
      names;  ///< of the rows of plain matrices; empty: the nodes, if the counts agree
  std::span<const Node> nodes;  ///< of the cluster facts; addresses of nodes become their names
  std::string rtt_by;  ///< the names are values of this node label; then the diagonal counts too
  std::string ping_source;            ///< where pings were sent from; empty: the name of the log
  std::optional<TimeUnit> cost_unit;  ///< of a NetworkTopology's costs, which name none themselves
  bool keep_details = false;          ///< fill RttReading::details
};

/// The files of one `--rtt`: one file, or those of a folder. Their names serve messages, and as
/// origin in formats that keep it there (ping logs, min/avg/max/mdev, WonderNetwork).
using RttSource = std::vector<InputFile>;

enum class RttFormat : std::uint8_t {
  kUnknown,
  kSquareCsv,
  kEdgeList,
  kPlain,
  kGoldpinger,
  kLatencyMatrix,
  kNodeLatency,  ///< also the ConfigMap that carries a LatencyMatrix
  kDat,
  kWonderNetwork,
  kWonderCities,  ///< WonderNetwork's list of places: skipped in a folder, refused alone
  kPing,
  kNetworkTopology,
};
/// "square CSV", "edge list", ...
std::string_view to_string(RttFormat format);

struct RttReading {
  RttMatrix matrix;  ///< empty if there are errors
  /// With keep_details: what the sources say of pairs beyond the number in the matrix, stale pairs
  /// and lost ones too. Of two sources, the one whose number counts.
  PairDetails details;
  std::vector<Warning> warnings;   ///< ZeroRtt, NoRtt, CutPingLog, UnreadFile, UnlikelyUnit,
                                   ///< UnknownLatencyName, UnusedCosts, SilentPod, UndatedRtt
  Errors errors;                   ///< by file and place; row and column are named
  std::vector<RttFormat> formats;  ///< one a file, in the order given
};

/// Most names in one matrix: more is refused (4 bytes a pair, 1 GiB).
inline constexpr std::size_t kMaxRttNames = 16384;

/// Reads and merges in the order given: of two sources that measured a pair, the later one counts.
/// Files of one source are read by name order. A file of a folder that holds no RTTs is skipped
/// with a warning (README*, NOTICE*, LICENSE* and *.md without one); if none does, that is an
/// error.
///
/// The diagonal is 0; with `rtt_by` it is the RTT inside a zone, and unmeasured where nobody says.
/// Names that are neither a node nor (with `rtt_by`) a value of that label are kept and warned
/// about once each, if there are nodes. Cost: O(bytes + names^2).
RttReading read_rtt(const std::vector<RttSource>& sources, const RttOptions& options);

/// The same for what the cluster facts carry.
RttReading read_node_latency(const std::vector<LatencyObject>& objects, const RttOptions& options);

struct RttNames {
  std::vector<std::string> names;  ///< by index
  Errors errors;
};

/// The JSON (or YAML) map name -> row that `--rtt-names` gives: rows from 0, each once, none left
/// out.
RttNames read_rtt_names(const InputFile& file);

}  // namespace gedge
