#include "render/collect_view.hpp"

#include <algorithm>
#include <limits>
#include <string>
#include <utility>

#include "gedge/base/duration.hpp"
#include "render/measure_view.hpp"
#include "render/numbers.hpp"
#include "term/table.hpp"
#include "term/text.hpp"

namespace gedge::cli {
namespace {

constexpr std::size_t kShown = 5;

struct TimeColumn {
  const char* header;
  Rtt PairStats::*value;
  bool only_wide;
};
constexpr TimeColumn kTimes[] = {
    {"MIN", &PairStats::min, false},  {"P50", &PairStats::p50, false},
    {"P95", &PairStats::p95, false},  {"P99", &PairStats::p99, false},
    {"MAX", &PairStats::max, false},  {"MEAN", &PairStats::mean, true},
    {"MDEV", &PairStats::mdev, true}, {"JITTER", &PairStats::jitter, true},
};

std::string_view words_of(Suspicion why) {
  switch (why) {
    case Suspicion::kReporter:
      return "its agent is not believed";
    case Suspicion::kReverse:
      return "the other end and its neighbours say otherwise";
    case Suspicion::kDisputed:
      return "the other end says otherwise, the larger counts";
    case Suspicion::kNear:
      return "far below what all others allow";
    case Suspicion::kFar:
      break;
  }
  return "far above what all others say";
}

bool counts(Suspicion why) { return why == Suspicion::kDisputed || why == Suspicion::kFar; }

std::string note_on(const SuspiciousCell& cell) {
  return (counts(cell.why) ? "suspicious: " : "left out: ") + format_duration(cell.reported.us) +
         ", " + std::string(words_of(cell.why));
}

class MatrixTable {
 public:
  MatrixTable(const AgentMatrix& merged, const TableOptions& options)
      : merged_(merged), options_(options), units_(units()), table_(columns()) {}

  Table make() {
    auto detail = merged_.details.pairs.begin();
    auto suspicious = merged_.suspicious.begin();
    const auto n = static_cast<std::uint32_t>(merged_.matrix.size());
    for (std::uint32_t a = 0; a < n; ++a)
      for (std::uint32_t b = 0; b < n; ++b) {
        const NameIndex from{a}, to{b};
        const PairStats* stats = nullptr;
        const SuspiciousCell* cell = nullptr;
        if (detail != merged_.details.pairs.end() && detail->from == from && detail->to == to)
          stats = &*detail++;
        if (suspicious != merged_.suspicious.end() && suspicious->from == from &&
            suspicious->to == to)
          cell = &*suspicious++;
        if (a != b && merged_.is_agent[a]) add(from, to, stats, cell);
      }
    return std::move(table_);
  }

 private:
  DurationColumn units() const {
    std::vector<std::int64_t> micros;
    const auto n = static_cast<std::uint32_t>(merged_.matrix.size());
    for (std::uint32_t a = 0; a < n; ++a)
      for (const Rtt rtt : merged_.matrix.row(NameIndex{a}))
        if (rtt != kUnmeasured) micros.push_back(rtt.us);
    for (const PairStats& pair : merged_.details.pairs)
      if (merged_.matrix.at(pair.from, pair.to) != kUnmeasured)
        for (const TimeColumn& time : kTimes)
          if (pair.*time.value != kUnmeasured) micros.push_back((pair.*time.value).us);
    return DurationColumn(micros);
  }

  std::vector<Column> columns() const {
    std::vector<Column> columns{{"FROM", Align::kLeft, Shrink::kLast},
                                {"TO", Align::kLeft, Shrink::kLast}};
    for (const TimeColumn& time : kTimes)
      if (options_.wide || !time.only_wide) columns.push_back({time.header, Align::kRight});
    columns.push_back({"LOSS", Align::kRight});
    columns.push_back({"SAMPLES", Align::kRight});
    if (options_.wide) columns.push_back({"METHOD"});
    if (!merged_.suspicious.empty()) columns.push_back({"NOTE", Align::kLeft, Shrink::kFlows});
    return columns;
  }

  Cell time_cell(Rtt value) const {
    if (value == kUnmeasured) return {};
    return {units_.text(value.us), Ink::kPlain, std::int64_t{value.us}};
  }

  void add(NameIndex from, NameIndex to, const PairStats* said, const SuspiciousCell* suspicious) {
    PairStats stats = said != nullptr ? *said : PairStats{};
    const Rtt counting = merged_.matrix.at(from, to);
    const bool known = counting != kUnmeasured;
    if (!stats.is_summarised()) stats.p95 = counting;  // of one number nobody says what it is
    std::vector<Cell> row{{merged_.matrix.name(from)}, {merged_.matrix.name(to)}};
    for (const TimeColumn& time : kTimes)
      if (options_.wide || !time.only_wide)
        row.push_back(known ? time_cell(stats.*time.value) : Cell{});
    const bool says = known || stats.loss_ppm == kAllLost;
    const bool is_counted = says && stats.samples != kNotKnown;
    row.push_back(says ? loss_cell(stats.loss_ppm) : Cell{});
    row.push_back(
        is_counted ? Cell{std::to_string(stats.samples), Ink::kPlain, std::int64_t{stats.samples}}
                   : Cell{});
    if (options_.wide) row.push_back({merged_.details.methods[stats.method]});
    if (!merged_.suspicious.empty())
      row.push_back(suspicious != nullptr ? Cell{note_on(*suspicious), Ink::kWarn} : Cell{});
    table_.add(std::move(row));
  }

  static constexpr std::uint32_t kAllLost = 1'000'000;

  const AgentMatrix& merged_;
  const TableOptions& options_;
  DurationColumn units_;
  Table table_;
};

/// Lines of one kind, of which only the first few are said.
class Lines {
 public:
  Lines(Stream& err, bool all) : err_(err), most_(all ? kAll : kShown) {}

  void add(const std::string& line) {
    if (++count_ <= most_) err_.line(escape_controls(line));
  }
  void end(std::string_view noun) {
    if (count_ > most_) err_.line("... and " + counted(count_ - most_, noun) + " more");
  }

 private:
  static constexpr std::size_t kAll = std::numeric_limits<std::size_t>::max();
  Stream& err_;
  std::size_t most_, count_ = 0;
};

void report_states(Stream& err, const AgentMatrix& merged, bool all) {
  const auto amiss = [](const AgentVerdict& agent) { return agent.state != AgentState::kBelieved; };
  const auto count =
      static_cast<std::size_t>(std::count_if(merged.agents.begin(), merged.agents.end(), amiss));
  if (count == 0) return;
  err.line(std::to_string(merged.agents.size() - count) + " of " +
           counted(merged.agents.size(), "agent") + " can be believed:");
  Lines lines(err, all);
  for (const AgentVerdict& agent : merged.agents)
    if (amiss(agent))
      lines.add("  " + agent.name + " (" + agent.source + ") is " +
                std::string(to_string(agent.state)) + ": " + agent.why +
                (agent.hint.empty() ? "" : "; fix: " + agent.hint));
  lines.end("agent");
}

// Those of agents that are not believed at all have been told already.
void report_suspicious(Stream& err, const AgentMatrix& merged, bool all) {
  Lines lines(err, all);
  for (const SuspiciousCell& cell : merged.suspicious)
    if (cell.why != Suspicion::kReporter)
      lines.add(merged.matrix.name(cell.from) + " -> " + merged.matrix.name(cell.to) + " is " +
                note_on(cell));
  lines.end("suspicious pair");
}

void report_unknown(Stream& err, const AgentMatrix& merged, bool all) {
  const KnownPairs& pairs = merged.pairs;
  const std::size_t total = pairs.known + pairs.one_way + pairs.unknown;
  if (pairs.unknown + pairs.one_way == 0) return;
  std::vector<std::string> parts;
  if (pairs.unknown > 0)
    parts.push_back(std::to_string(pairs.unknown) + " not known in either direction");
  if (pairs.one_way > 0) parts.push_back(std::to_string(pairs.one_way) + " in one direction only");
  err.line("of " + counted(total, "pair") + ", " + join_words(parts) +
           (pairs.unknown > 0 ? ":" : ""));
  Lines lines(err, all);
  const auto n = static_cast<std::uint32_t>(merged.matrix.size());
  for (std::uint32_t a = 0; a < n; ++a)
    for (std::uint32_t b = a + 1; b < n; ++b)
      if ((merged.is_agent[a] || merged.is_agent[b]) &&
          merged.matrix.between(NameIndex{a}, NameIndex{b}) == kUnmeasured)
        lines.add("  " + merged.matrix.names()[a] + " <-> " + merged.matrix.names()[b]);
  lines.end("pair");
}

}  // namespace

Status print_agent_matrix(Stream& out, const AgentMatrix& merged, const TableOptions& options) {
  return finish_table(MatrixTable(merged, options).make(), out, options);
}

void report_agents(Stream& err, const AgentMatrix& merged, bool all) {
  report_states(err, merged, all);
  report_suspicious(err, merged, all);
  report_unknown(err, merged, all);
  if (merged.left_out > 0)
    err.line(counted(merged.left_out, "place") + " left out, which few agents name and none is");
}

}  // namespace gedge::cli
