// codec/rtt_draft.hpp - what one latency file says, before the files are put together.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "codec/cursor.hpp"
#include "codec/diagnostics.hpp"
#include "codec/scalar.hpp"
#include "codec/source.hpp"
#include "gedge/codec/latency.hpp"

namespace gedge::codec {

inline constexpr std::size_t kLongestName = 253;  // of a Kubernetes object

struct NameHash {
  using is_transparent = void;
  std::size_t operator()(std::string_view name) const {
    return std::hash<std::string_view>{}(name);
  }
};

/// One pair; the names are indices into Draft::names.
struct RttPair {
  std::uint32_t from = 0, to = 0;
  Rtt rtt = kUnmeasured;
  std::uint32_t line = 0;
};

/// How the date of a sample stands to the age that was asked for.
enum class RttAge : std::uint8_t { kUndated, kFresh, kStale };

/// Either `cells` (a full matrix, row by row) or `pairs`. In both, off the diagonal 0 stays 0 until
/// the draft is merged.
struct Draft {
  RttFormat format = RttFormat::kUnknown;
  std::vector<std::string> names;      // in the order of the file; unique
  std::vector<std::string> addresses;  // beside names where the format gives one; else empty
  std::vector<Rtt> cells;
  std::vector<RttPair> pairs;
  std::size_t undated = 0;  // of `pairs`: an RTT that counts, without a date; cells have none
  PairDetails details;  // beside `pairs`, one each, where they were asked for; `from`, `to` unset
  std::unordered_map<std::string, std::uint32_t, NameHash, std::equal_to<>> index;  // of names

  std::uint32_t intern(std::string_view name);
};

/// The statistics of one pair that may count; kUnmeasured where absent.
struct RttStats {
  enum Field : std::uint8_t { kOnly, kMin, kMean, kP50, kP95, kP99, kMax, kUpper, kCount };
  std::array<Rtt, kCount> at{kUnmeasured, kUnmeasured, kUnmeasured, kUnmeasured,
                             kUnmeasured, kUnmeasured, kUnmeasured, kUnmeasured};
  Rtt& operator[](Field field) { return at[field]; }
  /// What a budget is compared with; kUnmeasured if nothing is known.
  Rtt choose(RttStat stat) const;
};

/// What else is said of a pair than RttStats: deviations, counts, flags.
using PairRemarks = PairStats;

/// What every reader of a latency file gets.
struct RttText {
  const Source& source;
  Diagnostics& diagnostics;
  const RttOptions& options;

  std::string_view bytes() const { return source.bytes(); }
  /// Reports an error at `part`, which lies in bytes().
  void fail(std::string_view part, std::string what, std::string hint = {}) const;
  /// An error of the text as a whole.
  void fail_all(std::string what, std::string hint = {}) const;
  void warn(std::string code, std::string message) const;
  /// The unit of numbers under `header`, which names `named`; reports one that contradicts
  /// `--rtt-unit`.
  TimeUnit unit_under(std::string_view header, std::optional<TimeUnit> named) const;
  /// Enough was said about one file.
  bool hopeless() const { return diagnostics.error_count() >= 50; }
  /// A name to be used; reports an empty or overlong one, or one name too many, and gives false.
  bool check_name(std::string_view name, std::size_t count) const;
  /// kStale if a sample of that time (RFC 3339, or "YYYY-MM-DD hh:mm:ss" in UTC) is too old or too
  /// far ahead, or if it cannot be read; kFresh where no age was asked for.
  RttAge age_of(std::string_view time) const;
  /// Adds a pair whose RTT is what counts of `stats`, or nothing where it is stale; with its
  /// details, if they are kept.
  void add(Draft& draft, RttPair pair, RttStats stats, PairRemarks remarks = {},
           RttAge age = RttAge::kUndated) const;
};

/// Lines of a text without their ends; skips blank lines and, on request, lines that begin with
/// '#'.
class Lines {
 public:
  Lines(std::string_view text, bool comments) : rest_(text), comments_(comments) {}
  /// False at the end.
  bool next(std::string_view& line);

 private:
  std::string_view rest_;
  bool comments_;
};

/// The part of a path behind the last '/', without .csv, .dat, .txt, .log, .out, .json.
std::string_view stem_of(std::string_view path);

/// How cells of a line are separated: ',' ';' '\t', or ' ' for runs of white space.
char separator_of(std::string_view line);
/// Cells of a line, trimmed, quotes taken off. They are parts of the line.
void split(std::string_view line, char separator, std::vector<std::string_view>& cells);

// Readers, one a format. They report what is wrong; the draft is of use only if nothing was.
Draft read_square_csv(const RttText& text);
Draft read_plain(const RttText& text);
Draft read_edge_list(const RttText& text);
Draft read_dat(const RttText& text);
Draft read_wonder_network(const RttText& text);
Draft read_ping(const RttText& text);
/// Goldpinger, LatencyMatrix, NodeLatency, ConfigMap, NetworkTopology; says in `format` what it
/// found.
Draft read_rtt_object(const RttText& text);

/// Adds the costs of one NetworkTopology, an object, as RTTs.
void read_network_topology(Cursor object, const RttText& text, Draft& draft);

/// What the first two lines of a text say; kLatencyMatrix for every kind of JSON or YAML object.
RttFormat recognise_rtt(std::string_view bytes);

}  // namespace gedge::codec
