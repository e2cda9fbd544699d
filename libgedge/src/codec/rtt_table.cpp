// Tables of numbers: square CSV with a header, and plain matrices whose names come from elsewhere.
// The hot loop reads a million cells without an allocation.
#include <algorithm>
#include <span>

#include "codec/rtt_columns.hpp"
#include "codec/rtt_draft.hpp"
#include "codec/rtt_number.hpp"

namespace gedge::codec {
namespace {

constexpr int kMaxFailures = 16;  // rows that hold more than plain numbers, until none is expected

/// Takes the next cell off the front of `rest`; `rest` is empty and `more` false behind the last
/// one.
std::string_view take_cell(std::string_view& rest, char separator, bool& more) {
  if (separator == ' ') {
    std::size_t end = 0;
    while (end < rest.size() && rest[end] != ' ' && rest[end] != '\t') ++end;
    const std::string_view cell = rest.substr(0, end);
    rest = trim(rest.substr(end));
    more = !rest.empty();
    return cell;
  }
  const std::size_t end = rest.find(separator);
  more = end != std::string_view::npos;
  const std::string_view cell = rest.substr(0, end);
  rest.remove_prefix(more ? end + 1 : rest.size());
  return cell;
}

std::string_view clean(std::string_view cell) {
  cell = trim(cell);
  if (cell.size() >= 2 && cell.front() == '"' && cell.back() == '"')
    return trim(cell.substr(1, cell.size() - 2));
  return cell;
}

// What trim() leaves of a line that has none at its end.
void skip_blanks(std::string_view& line) {
  while (!line.empty() && (line[0] == ' ' || line[0] == '\t' || line[0] == '\r'))
    line.remove_prefix(1);
}

/// Appends the cells of one line; `bad(column, cell, text)` hears of each that is no RTT. Returns
/// their number.
template <typename Bad>
std::size_t read_cells(std::string_view line, char separator, TimeUnit unit,
                       std::vector<Rtt>& cells, Bad bad) {
  const ShortRtts numbers(separator, unit);
  std::size_t count = 0;
  bool more = true;
  if (separator == ' ') line = trim(line);
  for (; more; ++count) {
    Rtt quick;
    std::size_t length = numbers.read(line, quick);
    if (length > 0 || parse_plain_rtt(line, separator, unit, quick, length)) {
      cells.push_back(quick);
      more = length < line.size();
      line.remove_prefix(length + (more ? 1 : 0));
      if (more && separator == ' ') skip_blanks(line);
      continue;
    }
    const std::string_view text = clean(take_cell(line, separator, more));
    const ParsedRtt parsed = parse_rtt(text, unit);
    cells.push_back(parsed.rtt);
    if (parsed.cell != Cell::kValue && parsed.cell != Cell::kUnmeasured)
      bad(count, parsed.cell, text);
  }
  return count;
}

/// The cells of a line from `column` on, if they are all that is left of it and plain numbers.
bool read_plain_rest(std::string_view line, char separator, TimeUnit unit, std::size_t column,
                     std::span<Rtt> cells) {
  for (; column < cells.size(); ++column) {
    std::size_t length = 0;
    if (!parse_plain_rtt(line, separator, unit, cells[column], length)) return false;
    const bool more = length < line.size();
    if (more != (column + 1 < cells.size())) return false;
    line.remove_prefix(length + (more ? 1 : 0));
    if (separator == ' ') skip_blanks(line);
  }
  return true;
}

/// The first numbers of two rows, as long as they are short and whole and one separator stands
/// behind each. Returns how many there are, and moves behind them.
std::size_t read_whole_numbers(const ShortRtts& numbers, std::string_view& first,
                               std::string_view& second, std::span<Rtt> cells) {
  const std::size_t columns = cells.size() / 2;
  std::size_t column = 0;
  while (column < columns && first.size() > 8 && second.size() > 8) {
    const std::size_t a = numbers.read_whole(first.data(), cells[column]);
    const std::size_t b = numbers.read_whole(second.data(), cells[columns + column]);
    if (a == 0 || b == 0) break;
    first.remove_prefix(a + 1);
    second.remove_prefix(b + 1);
    ++column;
  }
  return column;
}

/// Two rows of plain numbers, as many in each as `cells` has room for; else false, and nothing is
/// said. Where a number ends tells where the next begins: two lines at once wait half as long.
bool read_two_rows(std::string_view first, std::string_view second, char separator, TimeUnit unit,
                   std::span<Rtt> cells) {
  const ShortRtts numbers(separator, unit);
  const std::size_t columns = cells.size() / 2;
  if (separator == ' ') {
    first = trim(first);
    second = trim(second);
  }
  std::size_t column = read_whole_numbers(numbers, first, second, cells);
  if (separator == ' ') {
    skip_blanks(first);
    skip_blanks(second);
  }
  for (; column < columns; ++column) {
    const std::size_t a = numbers.read(first, cells[column]);
    const std::size_t b = numbers.read(second, cells[columns + column]);
    if (a == 0 || b == 0) break;
    first.remove_prefix(a + 1);
    second.remove_prefix(b + 1);
    if (separator != ' ') continue;
    skip_blanks(first);
    skip_blanks(second);
  }
  return column < columns &&
         read_plain_rest(first, separator, unit, column, cells.first(columns)) &&
         read_plain_rest(second, separator, unit, column, cells.last(columns));
}

std::string_view end_of(std::string_view line) { return line.substr(line.size()); }

std::string counted(std::size_t count, std::string_view noun) {
  return std::to_string(count) + " " + std::string(noun) + (count == 1 ? "" : "s");
}

/// How the rows of a table with header say whose they are.
enum class RowNames : std::uint8_t { kUnderCorner, kBesideHeader, kNone };

class SquareReader {
 public:
  explicit SquareReader(const RttText& text) : text_(text), lines_(text.bytes(), true) {}

  Draft read() {
    std::string_view header, line;
    if (!lines_.next(header)) return {};
    separator_ = separator_of(header);
    Lines ahead = lines_;
    ahead.next(line);
    read_header(header, line);
    if (!text_.diagnostics.ok()) return {};
    seen_.resize(draft_.names.size());
    while (!text_.hopeless() && lines_.next(line)) read_row(line);
    if (text_.diagnostics.ok()) check_rows(header);
    arrange();
    return std::move(draft_);
  }

 private:
  void read_header(std::string_view header, std::string_view first_row) {
    std::vector<std::string_view> names, row;
    split(header, separator_, names);
    split(first_row, separator_, row);
    const bool labelled =
        !row.empty() && (parse_rtt(row[0], TimeUnit::kMicro).cell == Cell::kNotANumber ||
                         std::count(names.begin() + 1, names.end(), row[0]) > 0);
    if (!names[0].empty() && row.size() == names.size() + 1)
      row_names_ = RowNames::kBesideHeader;
    else
      row_names_ = names[0].empty() || labelled ? RowNames::kUnderCorner : RowNames::kNone;
    unit_ = text_.options.unit;
    if (row_names_ == RowNames::kUnderCorner) {
      const RttColumn corner = rtt_column(names[0]);
      if (corner.role == RttColumn::Role::kStat) unit_ = text_.unit_under(names[0], corner.unit);
      names.erase(names.begin());
    }
    for (std::size_t i = 0; i < names.size(); ++i) {
      if (!text_.check_name(names[i], i)) return;
      const std::uint32_t first = draft_.intern(names[i]);
      if (first == i) continue;
      text_.fail(names[i], "columns " + std::to_string(first + 1) + " and " +
                               std::to_string(i + 1) + " are both named " + quote(names[i]));
      return;
    }
  }

  /// The name at the front of a row, as an index; empty after an error.
  std::optional<std::uint32_t> row_id(std::string_view& line) {
    if (row_names_ == RowNames::kNone) {
      if (row_of_.size() < draft_.names.size()) return static_cast<std::uint32_t>(row_of_.size());
      text_.fail(line, "more rows than the " + counted(draft_.names.size(), "column"));
      return std::nullopt;
    }
    std::vector<std::string_view> front;
    const std::size_t quoted = line.find('"') == 0 ? line.find('"', 1) : 0;
    const std::size_t end = line.find(separator_, std::min(quoted, line.size()));
    split(line.substr(0, end), separator_, front);
    line = end == std::string_view::npos ? end_of(line) : line.substr(end + 1);
    const auto at = draft_.index.find(front[0]);
    if (at == draft_.index.end()) {
      text_.fail(front[0], "row " + quote(front[0]) + " has no column",
                 "a square matrix has the same names in its header and at its rows");
      return std::nullopt;
    }
    if (seen_[at->second]) {
      text_.fail(front[0], "row " + quote(front[0]) + " appears twice");
      return std::nullopt;
    }
    return at->second;
  }

  void read_row(std::string_view line) {
    const std::string_view whole = line;
    const auto row = row_id(line);
    if (!row) return;
    row_of_.push_back(*row);
    seen_[*row] = true;
    const std::vector<std::string>& names = draft_.names;
    const std::size_t count =
        read_cells(line, separator_, unit_, draft_.cells,
                   [&](std::size_t column, Cell cell, std::string_view cell_text) {
                     if (column >= names.size() || text_.hopeless()) return;
                     text_.fail(cell_text,
                                "RTT from " + quote(names[*row]) + " to " + quote(names[column]) +
                                    " " + cell_problem(cell, cell_text),
                                cell_hint(cell, cell_text));
                   });
    if (count == names.size()) return;
    text_.fail(end_of(whole),
               "row " + quote(names[*row]) + " has " + counted(count, "cell") +
                   ", the header names " + counted(names.size(), "column"),
               "leave cells empty for unmeasured pairs, but keep their separators");
    draft_.cells.resize(row_of_.size() * names.size(), kUnmeasured);
  }

  void check_rows(std::string_view header) {
    if (row_of_.size() == draft_.names.size()) return;
    const auto missing =
        static_cast<std::size_t>(std::find(seen_.begin(), seen_.end(), false) - seen_.begin());
    text_.fail(header,
               "the matrix is not square: " + counted(draft_.names.size(), "column") + ", " +
                   counted(row_of_.size(), "row") + "; no row for " + quote(draft_.names[missing]),
               "write a row for each column");
  }

  /// Rows into the order of the columns.
  void arrange() {
    const std::size_t n = draft_.names.size();
    if (!text_.diagnostics.ok() || std::is_sorted(row_of_.begin(), row_of_.end())) return;
    std::vector<Rtt> sorted(draft_.cells.size());
    for (std::size_t i = 0; i < row_of_.size(); ++i)
      std::copy_n(draft_.cells.begin() + static_cast<std::ptrdiff_t>(i * n), n,
                  sorted.begin() + static_cast<std::ptrdiff_t>(row_of_[i] * n));
    draft_.cells = std::move(sorted);
  }

  const RttText& text_;
  Lines lines_;
  char separator_ = ',';
  RowNames row_names_ = RowNames::kUnderCorner;
  TimeUnit unit_ = TimeUnit::kMilli;
  Draft draft_;
  std::vector<std::uint32_t> row_of_;  // [rows read], index of the name
  std::vector<bool> seen_;             // [names], a row of that name was read
};

/// Values of --rtt-by, or node names: sorted, each once.
std::vector<std::string> node_names(const RttOptions& options) {
  std::vector<std::string> names;
  for (const Node& node : options.nodes) {
    const std::string* name =
        options.rtt_by.empty() ? &node.name.str() : node.labels.find(options.rtt_by);
    if (name != nullptr) names.push_back(*name);
  }
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

std::vector<std::string> names_for(const RttText& text, std::size_t rows) {
  constexpr std::string_view kHint =
      "give the names with `--rtt-names FILE`, a JSON map of name to row";
  std::vector<std::string> names =
      text.options.names.empty() ? node_names(text.options) : text.options.names;
  if (names.size() == rows) return names;
  const bool given = !text.options.names.empty();
  if (given)
    text.fail_all("a matrix of " + counted(rows, "row") + ", but --rtt-names names " +
                  std::to_string(names.size()));
  else
    text.fail_all("a matrix of " + counted(rows, "row") + " without names, and " +
                      counted(names.size(), text.options.rtt_by.empty() ? "node" : "zone"),
                  std::string(kHint));
  return {};
}

}  // namespace

Draft read_square_csv(const RttText& text) { return SquareReader(text).read(); }

namespace {

/// Takes two lines, of which the first is given, if they are rows of plain numbers.
bool take_two_rows(std::string_view line, Lines& lines, char separator, TimeUnit unit,
                   std::size_t columns, std::vector<Rtt>& cells) {
  Lines ahead = lines;
  std::string_view next;
  if (!ahead.next(next)) return false;
  const std::size_t before = cells.size();
  cells.resize(before + 2 * columns);
  if (read_two_rows(line, next, separator, unit, std::span(cells).subspan(before))) {
    lines = ahead;
    return true;
  }
  cells.resize(before);
  return false;
}

}  // namespace

Draft read_plain(const RttText& text) {
  Draft draft;
  Lines lines(text.bytes(), true);
  std::string_view line, first;
  std::size_t rows = 0, columns = 0;
  int failures = 0;  // to take two rows at once
  char separator = ' ';
  while (!text.hopeless() && lines.next(line)) {
    if (rows > 0 && rows + 2 <= kMaxRttNames && failures < kMaxFailures) {
      if (take_two_rows(line, lines, separator, text.options.unit, columns, draft.cells)) {
        rows += 2;
        continue;
      }
      ++failures;
    }
    if (rows == 0) {
      separator = separator_of(line);
      first = line;
    }
    const std::size_t count =
        read_cells(line, separator, text.options.unit, draft.cells,
                   [&](std::size_t column, Cell cell, std::string_view cell_text) {
                     if (text.hopeless()) return;
                     text.fail(cell_text,
                               "RTT in row " + std::to_string(rows + 1) + ", column " +
                                   std::to_string(column + 1) + " " + cell_problem(cell, cell_text),
                               cell_hint(cell, cell_text));
                   });
    if (rows == 0) {
      columns = count;
      draft.cells.reserve(std::min(columns * columns, text.bytes().size()));
    }
    ++rows;
    if (columns > kMaxRttNames || rows > kMaxRttNames) {
      text.fail(end_of(line), "more than " + std::to_string(kMaxRttNames) + " rows or columns");
      return {};
    }
    if (count == columns) continue;
    text.fail(end_of(line),
              "row " + std::to_string(rows) + " has " + counted(count, "number") + ", row 1 has " +
                  std::to_string(columns),
              "a matrix has as many rows as columns; write `-` for an unmeasured pair");
    draft.cells.resize(rows * columns, kUnmeasured);
  }
  if (!text.diagnostics.ok()) return draft;
  if (rows != columns) {
    text.fail(first, "the matrix is not square: " + counted(columns, "column") + ", " +
                         counted(rows, "row"));
    return draft;
  }
  draft.names = names_for(text, rows);
  return draft;
}

}  // namespace gedge::codec
