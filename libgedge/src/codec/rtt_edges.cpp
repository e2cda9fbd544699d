// Lists of pairs: edge lists, files of "min/avg/max/mdev:NAME", and WonderNetwork's tables of one
// city each.
#include <algorithm>
#include <array>
#include <charconv>
#include <optional>

#include "codec/rtt_columns.hpp"
#include "codec/rtt_draft.hpp"
#include "codec/rtt_number.hpp"
#include "gedge/codec/timestamp.hpp"

namespace gedge::codec {
namespace {

using Cells = std::vector<std::string_view>;

/// Reads one value of a pair; reports what is wrong with it.
Rtt read_value(const RttText& text, std::string_view cell, TimeUnit unit, const std::string& pair) {
  const ParsedRtt parsed = parse_rtt(cell, unit);
  if (parsed.cell != Cell::kValue && parsed.cell != Cell::kUnmeasured)
    text.fail(cell, pair + " " + cell_problem(parsed.cell, cell), cell_hint(parsed.cell, cell));
  return parsed.rtt;
}

std::string pair_text(std::string_view from, std::string_view to) {
  return "RTT from " + quote(from) + " to " + quote(to);
}

constexpr std::uint32_t kMillion = 1'000'000;

/// A whole number up to `most`; kNotKnown for anything else.
std::uint32_t parse_count(std::string_view cell, std::uint32_t most) {
  std::uint32_t count = 0;
  const auto [end, code] = std::from_chars(cell.data(), cell.data() + cell.size(), count);
  const bool whole = code == std::errc{} && end == cell.data() + cell.size();
  return whole && count <= most ? count : kNotKnown;
}

/// A pair that stands twice with different values is a contradiction; equal ones collapse.
void check_pairs(const RttText& text, Draft& draft) {
  const auto key = [](const RttPair& pair) { return std::pair(pair.from, pair.to); };
  const auto unsorted =
      std::adjacent_find(draft.pairs.begin(), draft.pairs.end(),
                         [&](const RttPair& a, const RttPair& b) { return !(key(a) < key(b)); });
  if (unsorted == draft.pairs.end()) return;  // each pair once
  std::vector<RttPair> sorted = draft.pairs;
  std::stable_sort(sorted.begin(), sorted.end(),
                   [&](const RttPair& a, const RttPair& b) { return key(a) < key(b); });
  for (std::size_t i = 1; i < sorted.size() && !text.hopeless(); ++i) {
    const RttPair &a = sorted[i - 1], &b = sorted[i];
    if (key(a) != key(b) || a.rtt == b.rtt) continue;
    const Position at{b.line, 1};
    text.diagnostics.add(invalid_input(
        pair_text(draft.names[b.from], draft.names[b.to]) + " stands on lines " +
            std::to_string(a.line) + " and " + std::to_string(b.line) + " with different values",
        text.source.span(at), "keep one of them, or give two files: the later one wins"));
  }
}

class EdgeReader {
 public:
  explicit EdgeReader(const RttText& text) : text_(text), lines_(text.bytes(), true) {}

  Draft read() {
    std::string_view line;
    Cells cells;
    if (!lines_.next(line)) return {};
    separator_ = separator_of(line);
    split(line, separator_, cells);
    if (is_edge_header(cells)) {
      if (!read_header(line, cells)) return {};
    } else {
      has_header_ = false;
      columns_.resize(3);
      columns_[0].role = RttColumn::Role::kFrom;
      columns_[1].role = RttColumn::Role::kTo;
      columns_[2].role = RttColumn::Role::kStat;
      read_edge(line, cells);
    }
    while (!text_.hopeless() && lines_.next(line)) {
      split(line, separator_, cells);
      read_edge(line, cells);
    }
    check_pairs(text_, draft_);
    return std::move(draft_);
  }

 private:
  bool read_header(std::string_view line, const Cells& cells) {
    std::array<int, 2> ends{};
    int values = 0;
    for (const std::string_view cell : cells) {
      columns_.push_back(rtt_column(cell));
      RttColumn& column = columns_.back();
      const RttColumn::Role role = column.role;
      if (role == RttColumn::Role::kStat) column.unit = text_.unit_under(cell, column.unit);
      if (role == RttColumn::Role::kFrom) ++ends[0];
      if (role == RttColumn::Role::kTo) ++ends[1];
      if (role == RttColumn::Role::kStat) ++values;
      says_estimated_ = says_estimated_ || role == RttColumn::Role::kEstimated;
    }
    if (ends[0] > 1 || ends[1] > 1)
      text_.fail(line, "the header names two columns for one end of the pair");
    if (values == 0)
      text_.fail(line, "no column holds an RTT",
                 "name it rtt_ms, rtt_us or rtt_s, or avg, p50, p95, p99, max with such an end");
    return text_.diagnostics.ok();
  }

  void read_edge(std::string_view line, const Cells& cells) {
    if (cells.size() < columns_.size() || (cells.size() > columns_.size() && has_header_)) {
      text_.fail(line.substr(line.size()), "the line has " + std::to_string(cells.size()) +
                                               " cells, the header has " +
                                               std::to_string(columns_.size()));
      return;
    }
    std::string_view from, to;
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      if (columns_[i].role == RttColumn::Role::kFrom) from = cells[i];
      if (columns_[i].role == RttColumn::Role::kTo) to = cells[i];
    }
    if (!text_.check_name(from, draft_.names.size()) || !text_.check_name(to, draft_.names.size()))
      return;
    const RttPair pair{draft_.intern(from), draft_.intern(to), kUnmeasured, line_of(line)};
    read_values(cells, from, to, pair);
  }

  void read_values(const Cells& cells, std::string_view from, std::string_view to,
                   const RttPair& pair) {
    RttStats stats;
    PairRemarks remarks;
    RttAge age = RttAge::kUndated;
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      const RttColumn& column = columns_[i];
      if (column.role == RttColumn::Role::kMeasuredAt && !cells[i].empty())
        age = std::max(age, text_.age_of(cells[i]));
      if (column.role != RttColumn::Role::kStat) {
        read_remark(column, cells[i], remarks);
        continue;
      }
      const ParsedRtt parsed = parse_rtt(cells[i], column.unit.value_or(text_.options.unit));
      if (parsed.cell != Cell::kValue && parsed.cell != Cell::kUnmeasured)
        text_.fail(cells[i], pair_text(from, to) + " " + cell_problem(parsed.cell, cells[i]),
                   cell_hint(parsed.cell, cells[i]));
      stats[column.stat] = parsed.rtt;
    }
    if (says_estimated_ && !remarks.estimated) stats[RttStats::kUpper] = kUnmeasured;
    remarks.estimated = stats[RttStats::kUpper] != kUnmeasured || remarks.estimated;
    text_.add(draft_, pair, stats, remarks, age);
  }

  // What decides nothing is taken where it can be read; files of others use such words differently.
  void read_remark(const RttColumn& column, std::string_view cell, PairRemarks& remarks) {
    using Role = RttColumn::Role;
    const TimeUnit unit = column.unit.value_or(text_.options.unit);
    const bool is_true = cell == "true" || cell == "1" || cell == "yes";
    if (column.role == Role::kEstimated) remarks.estimated = is_true;
    if (!text_.options.keep_details || cell.empty()) return;
    if (column.role == Role::kMdev) remarks.mdev = parse_rtt(cell, unit).rtt;
    if (column.role == Role::kJitter) remarks.jitter = parse_rtt(cell, unit).rtt;
    if (column.role == Role::kLoss) remarks.loss_ppm = parse_count(cell, kMillion);
    if (column.role == Role::kSamples) remarks.samples = parse_count(cell, kNotKnown - 1);
    if (column.role == Role::kMethod) remarks.method = draft_.details.method(cell);
    if (column.role == Role::kSuspicious) remarks.suspicious = is_true;
    if (column.role == Role::kMeasuredAt)
      remarks.measured_at = parse_timestamp(cell).value_or(kNever);
  }

  std::uint32_t line_of(std::string_view line) const {
    return text_.source.at_offset(static_cast<std::size_t>(line.data() - text_.bytes().data()))
        .line;
  }

  const RttText& text_;
  Lines lines_;
  char separator_ = ',';
  bool has_header_ = true;
  bool says_estimated_ = false;  // a column does
  std::vector<RttColumn> columns_;
  Draft draft_;
};

/// The city in "Berkeley Springs United States, North America": the part before the comma without
/// the country. Most countries are one word; these are not.
std::string_view city_of(std::string_view text) {
  constexpr std::array<std::string_view, 27> countries{"United Arab Emirates",
                                                       "United Kingdom",
                                                       "United States",
                                                       "New Zealand",
                                                       "South Africa",
                                                       "South Korea",
                                                       "North Korea",
                                                       "Czech Republic",
                                                       "Costa Rica",
                                                       "Puerto Rico",
                                                       "Saudi Arabia",
                                                       "Hong Kong",
                                                       "Sri Lanka",
                                                       "El Salvador",
                                                       "Dominican Republic",
                                                       "Ivory Coast",
                                                       "North Macedonia",
                                                       "Burkina Faso",
                                                       "Isle of Man",
                                                       "Cayman Islands",
                                                       "Papua New Guinea",
                                                       "Sierra Leone",
                                                       "Cape Verde",
                                                       "South Sudan",
                                                       "New Caledonia",
                                                       "Bosnia and Herzegovina",
                                                       "Trinidad and Tobago"};
  text = trim(text.substr(0, text.find(',')));
  for (const std::string_view country : countries)
    if (text.size() > country.size() + 1 && text.ends_with(country))
      return trim(text.substr(0, text.size() - country.size()));
  const std::size_t blank = text.rfind(' ');
  return blank == std::string_view::npos ? text : trim(text.substr(0, blank));
}

/// "Dar+es+SalaamPing.csv" is the file of Dar es Salaam.
std::string city_of_file(const std::string& path) {
  std::string_view stem = stem_of(path);
  if (stem.size() > 4 && stem.ends_with("Ping")) stem.remove_suffix(4);
  std::string city(stem);
  std::replace(city.begin(), city.end(), '+', ' ');
  return city;
}

}  // namespace

Draft read_edge_list(const RttText& text) { return EdgeReader(text).read(); }

Draft read_dat(const RttText& text) {
  Draft draft;
  const std::string_view origin = stem_of(text.source.name());
  const std::uint32_t from = draft.intern(origin);
  Lines lines(text.bytes(), true);
  for (std::string_view line; !text.hopeless() && lines.next(line);) {
    const std::size_t colon = line.find(':');
    const std::string_view name =
        colon == std::string_view::npos ? std::string_view{} : trim(line.substr(colon + 1));
    Cells values;
    split(line.substr(0, colon), '/', values);
    if (values.size() != 4 || name.empty()) {
      text.fail(line, "expected min/avg/max/mdev:NAME");
      continue;
    }
    if (!text.check_name(name, draft.names.size())) continue;
    RttStats stats;
    PairRemarks remarks;
    constexpr std::array<RttStats::Field, 3> fields{RttStats::kMin, RttStats::kMean,
                                                    RttStats::kMax};
    for (std::size_t i = 0; i < values.size(); ++i) {
      const Rtt value = read_value(text, values[i], text.options.unit, pair_text(origin, name));
      (i < fields.size() ? stats[fields[i]] : remarks.mdev) = value;
    }
    text.add(draft, {from, draft.intern(name)}, stats, remarks);
  }
  return draft;
}

Draft read_wonder_network(const RttText& text) {
  Draft draft;
  const std::string origin = city_of_file(text.source.name());
  const std::uint32_t from = draft.intern(origin);
  Lines lines(text.bytes(), false);
  std::string_view line;
  lines.next(line);
  Cells cells;
  split(line, ',', cells);
  std::vector<RttColumn> columns;  // those named hidden repeat the one before
  for (const std::string_view cell : cells) columns.push_back(rtt_column(cell));
  const std::string_view last_header = cells.back();
  while (!text.hopeless() && lines.next(line)) {
    split(line, ',', cells);
    if (cells.size() != columns.size()) {
      text.fail(line.substr(line.size()), "the line has " + std::to_string(cells.size()) +
                                              " cells, the header has " +
                                              std::to_string(columns.size()));
      continue;
    }
    const std::string_view city = city_of(cells[0]);
    if (!text.check_name(city, draft.names.size())) continue;
    RttStats stats;
    PairRemarks remarks;
    for (std::size_t i = 1; i < cells.size(); ++i) {
      const bool is_mdev = columns[i].role == RttColumn::Role::kMdev;
      if (columns[i].role != RttColumn::Role::kStat && !is_mdev) continue;
      const std::string_view cell =
          cells[i].ends_with("ms") ? cells[i].substr(0, cells[i].size() - 2) : cells[i];
      if (is_mdev)
        remarks.mdev = parse_rtt(trim(cell), TimeUnit::kMilli).rtt;
      else
        stats[columns[i].stat] =
            read_value(text, trim(cell), TimeUnit::kMilli, pair_text(origin, city));
    }
    const bool dated = last_header == "Last Checked";
    if (dated && text.options.keep_details)
      remarks.measured_at = parse_timestamp(cells.back()).value_or(kNever);
    text.add(draft, {from, draft.intern(city)}, stats, remarks,
             dated ? text.age_of(cells.back()) : RttAge::kUndated);
  }
  return draft;
}

}  // namespace gedge::codec
