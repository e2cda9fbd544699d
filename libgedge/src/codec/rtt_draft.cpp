// codec/rtt_draft.cpp - what the readers of latency files share: messages, lines, cells.
#include "codec/rtt_draft.hpp"

#include <algorithm>

#include "gedge/codec/timestamp.hpp"

namespace gedge::codec {
namespace {

std::string_view symbol_of(TimeUnit unit) {
  return unit == TimeUnit::kMicro ? "us" : unit == TimeUnit::kMilli ? "ms" : "s";
}

}  // namespace

std::uint32_t Draft::intern(std::string_view name) {
  const auto at = index.find(name);
  if (at != index.end()) return at->second;
  const auto id = static_cast<std::uint32_t>(names.size());
  names.emplace_back(name);
  index.emplace(name, id);
  return id;
}

Rtt RttStats::choose(RttStat stat) const {
  if (at[kUpper] != kUnmeasured) return at[kUpper];
  constexpr std::array<Field, 4> rising{kP50, kP95, kP99, kMax};
  const auto asked = static_cast<std::size_t>(stat);
  if (at[rising[asked]] != kUnmeasured) return at[rising[asked]];
  if (at[kOnly] != kUnmeasured) return at[kOnly];
  if (at[kMean] != kUnmeasured) return at[kMean];
  for (std::size_t i = asked + 1; i < rising.size(); ++i)
    if (at[rising[i]] != kUnmeasured) return at[rising[i]];
  for (std::size_t i = asked; i-- > 0;)
    if (at[rising[i]] != kUnmeasured) return at[rising[i]];
  return at[kMin];
}

void RttText::fail(std::string_view part, std::string what, std::string hint) const {
  const auto offset = static_cast<std::size_t>(part.data() - bytes().data());
  const Position at = source.at_offset(offset);
  diagnostics.add(invalid_input(std::move(what), source.span(at, part.size()), std::move(hint)));
}

void RttText::fail_all(std::string what, std::string hint) const {
  diagnostics.add(
      invalid_input(std::move(what), SourceSpan{source.name(), 0, 0, "", 1}, std::move(hint)));
}

void RttText::warn(std::string code, std::string message) const {
  diagnostics.warn(std::move(code), std::move(message), SourceSpan{source.name(), 0, 0, "", 1});
}

TimeUnit RttText::unit_under(std::string_view header, std::optional<TimeUnit> named) const {
  if (named && options.unit_is_asked && *named != options.unit)
    fail(header,
         "the header says " + std::string(symbol_of(*named)) + ", but `--rtt-unit` says " +
             std::string(symbol_of(options.unit)),
         "leave out `--rtt-unit`, or the unit in the header");
  return named.value_or(options.unit);
}

bool RttText::check_name(std::string_view name, std::size_t count) const {
  if (name.empty()) {
    fail(name, "a name is empty");
    return false;
  }
  if (name.size() > kLongestName) {
    fail(name.substr(0, 1), "a name is longer than " + std::to_string(kLongestName) + " bytes");
    return false;
  }
  if (count < kMaxRttNames) return true;
  fail(name, "more than " + std::to_string(kMaxRttNames) + " names in one matrix");
  return false;
}

RttAge RttText::age_of(std::string_view time) const {
  if (!options.max_age || !options.now) return RttAge::kFresh;
  const auto measured = parse_timestamp(time);
  if (!measured) return RttAge::kStale;
  const std::chrono::seconds age{*options.now - *measured};
  return age > *options.max_age || age < -kMostAhead ? RttAge::kStale : RttAge::kFresh;
}

void RttText::add(Draft& draft, RttPair pair, RttStats stats, PairRemarks remarks,
                  RttAge age) const {
  pair.rtt = age == RttAge::kStale ? kUnmeasured : stats.choose(options.stat);
  const bool counts = pair.rtt != kUnmeasured && (pair.rtt.us > 0 || options.zero_is_value);
  if (age == RttAge::kUndated && counts && pair.from != pair.to) ++draft.undated;
  draft.pairs.push_back(pair);
  if (!options.keep_details) return;
  remarks.only = stats[RttStats::kOnly];
  remarks.min = stats[RttStats::kMin];
  remarks.mean = stats[RttStats::kMean];
  remarks.p50 = stats[RttStats::kP50];
  remarks.p95 = stats[RttStats::kP95];
  remarks.p99 = stats[RttStats::kP99];
  remarks.max = stats[RttStats::kMax];
  remarks.upper = stats[RttStats::kUpper];
  draft.details.pairs.push_back(remarks);
}

bool Lines::next(std::string_view& line) {
  while (!rest_.empty()) {
    const std::size_t end = rest_.find('\n');
    line = rest_.substr(0, end);
    rest_.remove_prefix(end == std::string_view::npos ? rest_.size() : end + 1);
    if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
    const std::size_t first = line.find_first_not_of(" \t\r");
    if (first == std::string_view::npos) continue;
    if (!comments_ || line[first] != '#') return true;
  }
  return false;
}

std::string_view stem_of(std::string_view path) {
  if (const std::size_t slash = path.rfind('/'); slash != std::string_view::npos)
    path.remove_prefix(slash + 1);
  for (const std::string_view end : {".csv", ".dat", ".txt", ".log", ".out", ".json"})
    if (path.size() > end.size() && path.ends_with(end))
      return path.substr(0, path.size() - end.size());
  return path;
}

char separator_of(std::string_view line) {
  for (const char c : {',', ';', '\t'})
    if (line.find(c) != std::string_view::npos) return c;
  return ' ';
}

void split(std::string_view line, char separator, std::vector<std::string_view>& cells) {
  cells.clear();
  if (separator == ' ') {
    for (line = trim(line); !line.empty(); line = trim(line)) {
      const std::size_t end = std::min(line.find_first_of(" \t"), line.size());
      cells.push_back(line.substr(0, end));
      line.remove_prefix(end);
    }
    return;
  }
  while (true) {
    std::size_t end = std::string_view::npos;
    const std::size_t first = line.find_first_not_of(' ');
    const bool quoted = first != std::string_view::npos && line[first] == '"';
    if (quoted) {
      const std::size_t close = line.find('"', first + 1);
      end = close == std::string_view::npos ? close : line.find(separator, close);
    } else {
      end = line.find(separator);
    }
    std::string_view cell = trim(line.substr(0, end));
    if (cell.size() >= 2 && cell.front() == '"' && cell.back() == '"')
      cell = cell.substr(1, cell.size() - 2);
    cells.push_back(cell);
    if (end == std::string_view::npos) return;
    line.remove_prefix(end + 1);
  }
}

}  // namespace gedge::codec
