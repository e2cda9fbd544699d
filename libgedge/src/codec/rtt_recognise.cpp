// What kind of latency file a text is. Looks at its first two lines only, so a broken file is still
// recognised and gets the messages of its format.
#include <algorithm>
#include <array>
#include <string>

#include "codec/rtt_columns.hpp"
#include "codec/rtt_draft.hpp"
#include "codec/rtt_number.hpp"

namespace gedge::codec {
namespace {

using Cells = std::vector<std::string_view>;

bool looks_numeric(std::string_view cell) {
  return parse_rtt(cell, TimeUnit::kMicro).cell != Cell::kNotANumber;
}

bool is_number(std::string_view cell) {
  return parse_rtt(cell, TimeUnit::kMicro).cell == Cell::kValue;
}

bool is_ping(std::string_view line) {
  return line.starts_with("PING ") || line.find(" bytes from ") != std::string_view::npos;
}

/// JSON, or YAML that begins with a key of a Kubernetes object.
bool is_object(std::string_view line) {
  if (line[0] == '{' || line[0] == '[' || line.starts_with("---") || line.starts_with("%YAML"))
    return true;
  constexpr std::array<std::string_view, 8> keys{"apiVersion", "kind",  "metadata", "spec",
                                                 "items",      "nodes", "pairs",    "responses"};
  const std::string_view key = line.substr(0, line.find(':'));
  return key.size() < line.size() && std::find(keys.begin(), keys.end(), key) != keys.end();
}

/// "min/avg/max/mdev:NAME"
bool is_dat(std::string_view line) {
  const std::size_t colon = line.find(':');
  if (colon == std::string_view::npos || line.empty()) return false;
  const std::string_view numbers = line.substr(0, colon);
  return std::count(numbers.begin(), numbers.end(), '/') == 3 &&
         numbers.find_first_of(",;\t") == std::string_view::npos &&
         looks_numeric(trim(numbers.substr(0, numbers.find('/'))));
}

/// A first line of numbers only: a plain matrix, unless the numbers are names of nodes.
RttFormat numbers_or_names(const Cells& first, char separator, std::string_view second) {
  if (separator == ' ') return RttFormat::kPlain;
  Cells cells;
  split(second, separator, cells);
  if (cells.size() == first.size() + 1) return RttFormat::kSquareCsv;
  const bool corner = first[0].empty() && !cells.empty() && !cells[0].empty() &&
                      std::find(first.begin() + 1, first.end(), cells[0]) != first.end();
  return corner ? RttFormat::kSquareCsv : RttFormat::kPlain;
}

bool is_headerless_edge(const Cells& cells) {
  return cells.size() >= 3 && !looks_numeric(cells[0]) && !looks_numeric(cells[1]) &&
         is_number(cells[2]);
}

}  // namespace

RttFormat recognise_rtt(std::string_view bytes) {
  Lines lines(bytes, true);
  std::string_view line, second;
  if (!lines.next(line)) return RttFormat::kUnknown;
  line = trim(line);
  if (is_object(line)) return RttFormat::kLatencyMatrix;
  if (is_ping(line)) return RttFormat::kPing;
  if (is_dat(line)) return RttFormat::kDat;
  const char separator = separator_of(line);
  Cells cells;
  split(line, separator, cells);
  if (is_wonder_network(cells)) return RttFormat::kWonderNetwork;
  if (is_wonder_cities(cells)) return RttFormat::kWonderCities;
  if (is_edge_header(cells) || is_headerless_edge(cells)) return RttFormat::kEdgeList;
  const auto numeric = std::count_if(cells.begin(), cells.end(), looks_numeric);
  const auto count = static_cast<std::ptrdiff_t>(cells.size());
  lines.next(second);
  if (numeric == count) return numbers_or_names(cells, separator, second);
  const bool mostly_numbers = 2 * numeric > count && looks_numeric(cells[0]) && !cells[0].empty();
  if (mostly_numbers) return RttFormat::kPlain;
  return separator == ' ' ? RttFormat::kUnknown : RttFormat::kSquareCsv;
}

}  // namespace gedge::codec
