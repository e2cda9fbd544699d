#include "render/matrix_views.hpp"

#include <algorithm>
#include <array>

#include "gedge/codec/timestamp.hpp"
#include "render/long_table.hpp"
#include "render/numbers.hpp"
#include "term/text.hpp"

namespace gedge::cli {
namespace {

std::vector<std::int64_t> times_of(const std::vector<Finding>& findings) {
  std::vector<std::int64_t> micros;
  for (const Finding& finding : findings)
    for (const Rtt rtt : {finding.rtt, finding.other})
      if (rtt != kUnmeasured) micros.push_back(rtt.us);
  return micros;
}

Cell time_cell(const DurationColumn& units, Rtt rtt) {
  if (rtt == kUnmeasured) return {};
  return {units.text(rtt.us), Ink::kPlain, std::int64_t{rtt.us}};
}

// How much more the larger one is than the smaller one.
std::string excess(Rtt larger, Rtt smaller) {
  if (smaller.us == 0) return "more than 0";
  return percent(std::int64_t{larger.us} - smaller.us, smaller.us) + " more";
}

std::string why(const RttMatrix& matrix, const Finding& finding) {
  switch (finding.oddity) {
    case Oddity::kGap:
      return finding.lost ? "every probe was lost" : "never measured";
    case Oddity::kOneWay:
      return finding.lost ? "the way back lost every probe" : "the way back was never measured";
    case Oddity::kAsymmetric:
      return "the way back takes " + excess(finding.other, finding.rtt);
    case Oddity::kTriangle:
      return "it takes " + excess(finding.rtt, finding.other) + " than via " +
             matrix.name(*finding.via);
    case Oddity::kStale:
      return "measured at " + codec::format_timestamp(finding.measured_at);
    case Oddity::kSuspicious:
      break;
  }
  return "marked by who measured it";
}

Ink ink_of(Oddity oddity) {
  return oddity == Oddity::kGap || oddity == Oddity::kSuspicious ? Ink::kBad : Ink::kWarn;
}

std::string signed_text(const DurationColumn& units, std::int64_t micros) {
  return (micros > 0 ? "+" : "") + units.text(micros);
}

std::string change_text(const PairDifference& pair) {
  std::string text(to_string(pair.change));
  if (pair.significance == Significance::kNoise) text += ", noise";
  if (pair.significance == Significance::kUnknown) text += ", unknown spread";
  return text;
}

Ink ink_of(const PairDifference& pair) {
  if (pair.significance == Significance::kNoise) return Ink::kDim;
  if (pair.significance == Significance::kUnknown) return Ink::kWarn;
  return pair.before < pair.after ? Ink::kBad : Ink::kGood;  // vanished: beyond every time
}

DurationColumn difference_units(const MatrixDifference& difference) {
  std::vector<std::int64_t> micros;
  for (const PairDifference& pair : difference.pairs)
    for (const Rtt rtt : {pair.before, pair.after})
      if (rtt != kUnmeasured) micros.push_back(rtt.us);
  return DurationColumn(micros);
}

void add_pair(LongTable& table, const PairDifference& pair, const DurationColumn& units) {
  Cell delta, margin;
  if (pair.change == PairChange::kMoved) {
    const std::int64_t moved = std::int64_t{pair.after.us} - pair.before.us;
    delta = {signed_text(units, moved), ink_of(pair), moved};
  }
  if (pair.margin) margin = {units.text(pair.margin->count()), Ink::kPlain, pair.margin->count()};
  table.add({{change_text(pair), ink_of(pair)},
             {pair.from},
             {pair.to},
             time_cell(units, pair.before),
             time_cell(units, pair.after),
             std::move(delta),
             std::move(margin)});
}

}  // namespace

Status print_findings(Stream& out, const RttMatrix& matrix, const std::vector<Finding>& findings,
                      std::size_t most, const TableOptions& options) {
  LongTable table({{"ODDITY"},
                   {"FROM", Align::kLeft, Shrink::kFirst},
                   {"TO", Align::kLeft, Shrink::kFirst},
                   {"RTT", Align::kRight},
                   {"OTHER", Align::kRight},
                   {"WHY", Align::kLeft, Shrink::kFlows}},
                  out, options);
  const DurationColumn units(times_of(findings));
  std::array<std::size_t, kOddities> shown{};
  for (const Finding& finding : findings) {
    std::size_t& count = shown[static_cast<std::size_t>(finding.oddity)];
    if (++count > most && out.is_terminal()) continue;
    table.add({{std::string(to_string(finding.oddity)), ink_of(finding.oddity)},
               {matrix.name(finding.from)},
               {matrix.name(finding.to)},
               time_cell(units, finding.rtt),
               time_cell(units, finding.other),
               {why(matrix, finding)}});
  }
  return table.finish();
}

std::string counted_findings(const MatrixCheck& check) {
  constexpr std::array<std::string_view, kOddities> nouns{
      "gap", "one-way pair", "asymmetric pair", "triangle", "stale pair", "suspicious pair"};
  std::vector<std::string> counts;
  for (std::size_t i = 0; i < kOddities; ++i)
    if (check.counts[i] > 0) counts.push_back(counted(check.counts[i], nouns[i]));
  return join_words(counts);
}

Status print_difference(Stream& out, const MatrixDifference& difference, bool noise,
                        const TableOptions& options) {
  LongTable table({{"CHANGE"},
                   {"FROM", Align::kLeft, Shrink::kFirst},
                   {"TO", Align::kLeft, Shrink::kFirst},
                   {"BEFORE", Align::kRight},
                   {"AFTER", Align::kRight},
                   {"DELTA", Align::kRight},
                   {"NOISE", Align::kRight}},
                  out, options);
  const auto shows = [noise](const PairDifference& pair) {
    return noise || pair.significance != Significance::kNoise;
  };
  const std::vector<PairDifference>& pairs = difference.pairs;
  if (difference.removed.empty() && difference.added.empty() &&
      std::none_of(pairs.begin(), pairs.end(), shows))
    return {};
  for (const std::string& name : difference.removed)
    table.add({{"name removed", Ink::kBad}, {name}, {}, {}, {}, {}, {}});
  for (const std::string& name : difference.added)
    table.add({{"name added", Ink::kGood}, {name}, {}, {}, {}, {}, {}});
  const DurationColumn units = difference_units(difference);
  for (const PairDifference& pair : pairs)
    if (shows(pair)) add_pair(table, pair, units);
  return table.finish();
}

std::string counted_differences(const MatrixDifference& difference) {
  const auto count = [&](auto fits) {
    return static_cast<std::size_t>(
        std::count_if(difference.pairs.begin(), difference.pairs.end(), fits));
  };
  const std::size_t noise =
      count([](const auto& pair) { return pair.significance == Significance::kNoise; });
  const std::size_t appeared =
      count([](const auto& pair) { return pair.change == PairChange::kAppeared; });
  const std::size_t vanished =
      count([](const auto& pair) { return pair.change == PairChange::kVanished; });
  const std::size_t moved = difference.pairs.size() - noise - appeared - vanished;
  return counted(moved, "pair") + " moved, " + std::to_string(appeared) + " appeared, " +
         std::to_string(vanished) + " vanished, " + std::to_string(noise) + " within the noise, " +
         std::to_string(difference.same) + " equal";
}

}  // namespace gedge::cli
