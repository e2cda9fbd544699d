#include "gedge/codec/load_series.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "codec/diagnostics.hpp"
#include "codec/scalar.hpp"
#include "codec/source.hpp"
#include "gedge/base/quantity.hpp"
#include "gedge/codec/timestamp.hpp"
#include "gedge/scale/metric.hpp"

namespace gedge {
namespace codec {
namespace {

constexpr std::size_t kMostColumns = 3;
constexpr std::int64_t kLastSecond = 99'999'999'999;  // of the year 5138; more are milliseconds
constexpr std::array<std::string_view, 5> kTimeNames{"time", "timestamp", "date", "datetime", "ts"};
constexpr const char* kLines = "write time,value or time,value,site";

bool names_time(std::string_view text) {
  std::string lower(text);
  std::transform(lower.begin(), lower.end(), lower.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  return std::find(kTimeNames.begin(), kTimeNames.end(), lower) != kTimeNames.end();
}

struct Cell {
  std::string_view text;
  std::size_t offset = 0;
};

class SeriesReader {
 public:
  SeriesReader(const Source& source, Diagnostics& diagnostics)
      : source_(source), diagnostics_(diagnostics) {}

  void read() {
    const std::string_view text = source_.bytes();
    for (std::size_t begin = 0; begin < text.size() && !diagnostics_.is_full();) {
      const std::size_t end = std::min(text.find('\n', begin), text.size());
      if (!trim(text.substr(begin, end - begin)).empty()) read_line(begin, end);
      begin = end + 1;
    }
    if (series_.empty() && diagnostics_.ok())
      diagnostics_.add(invalid_input("a load without values", {source_.name(), 0, 0, "", 1},
                                     "write lines of time,value"));
  }
  LoadSeries take() { return std::move(series_); }
  LoadOrigins take_origins() {
    LoadOrigins origins;
    if (lacks_site_) return origins;
    for (auto& [name, milli] : by_site_) {
      milli.resize(series_.size(), 0);
      origins.sites.push_back(name);
      origins.milli.push_back(std::move(milli));
    }
    return origins;
  }

 private:
  void fail(const Cell& cell, std::string what, std::string hint) {
    diagnostics_.add(invalid_input(
        std::move(what),
        source_.span(source_.at_offset(cell.offset), std::max<std::size_t>(cell.text.size(), 1)),
        std::move(hint)));
  }

  // Empty where it is none.
  static std::optional<UnixSeconds> time_of(std::string_view text) {
    if (const auto time = parse_timestamp(text)) return time;
    if (const auto time = parse_timestamp(std::string(text) + ":00")) return time;
    const auto milli = parse_milli(text);
    if (milli && *milli >= 0) return *milli / 1'000;
    return std::nullopt;
  }

  std::size_t split(std::size_t begin, std::size_t end,
                    std::array<Cell, kMostColumns>& cells) const {
    const std::string_view line = source_.bytes().substr(begin, end - begin);
    std::size_t count = 0, at = 0;
    for (;; ++count) {
      const std::size_t comma = std::min(line.find(',', at), line.size());
      if (count < kMostColumns) {
        std::string_view cell = trim(line.substr(at, comma - at));
        if (cell.size() >= 2 && cell.front() == '"' && cell.back() == '"')
          cell = cell.substr(1, cell.size() - 2);
        const std::size_t skipped =
            cell.empty() ? 0 : static_cast<std::size_t>(cell.data() - line.data()) - at;
        cells[count] = {cell, begin + at + skipped};
      }
      if (comma == line.size()) return count + 1;
      at = comma + 1;
    }
  }

  void read_line(std::size_t begin, std::size_t end) {
    std::array<Cell, kMostColumns> cells;
    const std::size_t count = split(begin, end, cells);
    const bool is_first = !std::exchange(has_line_, true);
    const auto time = time_of(cells[0].text);
    if (is_first && !time && count >= 2) return read_names(cells);
    if (count < 2 || count > kMostColumns)
      return fail(cells[0],
                  "a line of " + std::to_string(count) + (count == 1 ? " column" : " columns"),
                  count == 1 ? std::string(kLines) + ", with commas between" : kLines);
    if (!time)
      return fail(cells[0], quote(cells[0].text) + " is no time",
                  "write seconds, or a time like 2024-05-01T12:00:00Z");
    if (*time > std::max(kLastSecond, parse_timestamp(cells[0].text).value_or(0)))
      return fail(cells[0], quote(cells[0].text) + " seconds are thousands of years",
                  "if those are milliseconds, leave out the last three digits");
    const auto milli = parse_milli(cells[1].text);
    if (!milli || *milli < 0)
      return fail(cells[1], quote(cells[1].text) + " is no demand",
                  "write a number from 0 to 9e15");
    add(*time, *milli, cells, count == kMostColumns);
  }

  // Of the columns, which are known by their order.
  void read_names(const std::array<Cell, kMostColumns>& cells) {
    if (names_time(cells[0].text)) return;
    for (std::size_t i = 1; i < cells.size(); ++i)
      if (names_time(cells[i].text)) fail(cells[i], "the time is not the first column", kLines);
  }

  void add(UnixSeconds time, std::int64_t milli, const std::array<Cell, kMostColumns>& cells,
           bool has_site) {
    if (series_.empty() || time > series_.back().at) {
      series_.push_back({time, milli});
      sites_.clear();
    } else if (time < series_.back().at) {
      return fail(cells[0], quote(cells[0].text) + " lies before the time above",
                  "sort the lines by time");
    } else if (!has_site || sites_.count(std::string(cells[2].text)) > 0) {
      return fail(cells[0], "a second value of " + quote(cells[0].text),
                  has_site ? "name each site once" : "name the site in a third column");
    } else {
      series_.back().milli = saturating_add(series_.back().milli, milli);
    }
    lacks_site_ = lacks_site_ || !has_site;
    if (!has_site) return;
    sites_.insert(std::string(cells[2].text));
    std::vector<std::int64_t>& of_site = by_site_[std::string(cells[2].text)];
    of_site.resize(series_.size(), 0);
    of_site.back() = milli;
  }

  const Source& source_;
  Diagnostics& diagnostics_;
  LoadSeries series_;
  std::set<std::string> sites_;  // of the time that is last
  std::map<std::string, std::vector<std::int64_t>> by_site_;
  bool lacks_site_ = false;
  bool has_line_ = false;
};

}  // namespace
}  // namespace codec

LoadReading read_load_series(const InputFile& file) {
  codec::Diagnostics diagnostics;
  const codec::Source source(file.name, file.bytes, 0, file.padding);
  codec::SeriesReader reader(source, diagnostics);
  if (source.check_text(std::uint64_t{1} << 30, diagnostics)) reader.read();
  LoadReading reading;
  if (diagnostics.ok()) {
    reading.origins = reader.take_origins();
    reading.series = reader.take();
  }
  reading.errors = diagnostics.take_errors();
  return reading;
}

}  // namespace gedge
