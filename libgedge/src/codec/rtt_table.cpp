// Tables of numbers: square CSV with a header, and plain matrices whose names come from elsewhere.
// The hot loop reads a million cells without an allocation.
#include <algorithm>
#include <array>
#include <span>

#include "codec/rtt_alike.hpp"
#include "codec/rtt_columns.hpp"
#include "codec/rtt_draft.hpp"
#include "codec/rtt_number.hpp"

namespace gedge::codec {
namespace {

constexpr int kMaxChanges = 8;  // of how numbers of some rows look, until more of them are expected

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

struct CellRead {
  Cell kind = Cell::kValue;
  std::string_view text;  // unless it is a value
  bool more = false;      // cells in the line
};

bool is_good(Cell kind) { return kind == Cell::kValue || kind == Cell::kUnmeasured; }

/// The next cell of a line that has no blanks around it if they separate; moves behind its
/// separator.
inline CellRead read_cell(const ShortRtts& numbers, std::string_view& line, char separator,
                          TimeUnit unit, Rtt& rtt) {
  CellRead cell;
  std::size_t length = numbers.read(line, rtt);
  if (length > 0 || parse_plain_rtt(line, separator, unit, rtt, length)) {
    cell.more = length < line.size();
    line.remove_prefix(length + (cell.more ? 1 : 0));
    if (cell.more && separator == ' ') skip_blanks(line);
    return cell;
  }
  cell.text = clean(take_cell(line, separator, cell.more));
  const ParsedRtt parsed = parse_rtt(cell.text, unit);
  rtt = parsed.rtt;
  cell.kind = parsed.cell;
  return cell;
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
    Rtt rtt;
    const CellRead cell = read_cell(numbers, line, separator, unit, rtt);
    more = cell.more;
    cells.push_back(rtt);
    if (!is_good(cell.kind)) bad(count, cell.kind, cell.text);
  }
  return count;
}

/// Rows of as many cells as `cells` has room for; else, or if one is no RTT, false, and nothing is
/// said.
bool read_rows(AlikeRtts::Rows rows, char separator, TimeUnit unit, AlikeRtts& alike,
               std::span<Rtt> cells) {
  const ShortRtts numbers(separator, unit);
  const std::size_t columns = cells.size() / rows.size();
  if (separator == ' ')
    for (std::string_view& row : rows) row = trim(row);
  int changes = 0;
  for (std::size_t column = 0; column < columns; ++column) {
    if (changes < kMaxChanges) {
      column += alike.read(rows, &cells[column], columns, columns - 1 - column);
      if (separator == ' ')
        for (std::string_view& row : rows) skip_blanks(row);
      alike.expect(rows.front(), rows.back());
      ++changes;
    }
    for (std::size_t i = 0; i < rows.size(); ++i) {
      Rtt& rtt = cells[i * columns + column];
      const CellRead cell = read_cell(numbers, rows[i], separator, unit, rtt);
      if (!is_good(cell.kind) || cell.more != (column + 1 < columns)) return false;
    }
  }
  return true;
}

/// Appends the cells of rows that can be read at once; else false, and nothing is appended.
bool append_rows(const AlikeRtts::Rows& rows, char separator, TimeUnit unit, AlikeRtts& alike,
                 std::size_t columns, std::vector<Rtt>& cells) {
  const std::size_t before = cells.size();
  cells.resize(before + rows.size() * columns);
  if (read_rows(rows, separator, unit, alike, std::span(cells).subspan(before))) return true;
  cells.resize(before);
  return false;
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
    draft_.cells.reserve(std::min(seen_.size() * seen_.size(), text_.bytes().size()));
    AlikeRtts alike(separator_, unit_);
    while (!text_.hopeless() && lines_.next(line))
      if (!take_rows(line, alike)) read_row(line);
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
    const std::string_view name = take_name(line);
    const auto at = draft_.index.find(name);
    if (at == draft_.index.end()) {
      text_.fail(name, "row " + quote(name) + " has no column",
                 "a square matrix has the same names in its header and at its rows");
      return std::nullopt;
    }
    if (seen_[at->second]) {
      text_.fail(name, "row " + quote(name) + " appears twice");
      return std::nullopt;
    }
    return at->second;
  }

  /// Takes the name off the front of a row that has one.
  std::string_view take_name(std::string_view& line) const {
    std::vector<std::string_view> front;
    const std::size_t quoted = line.find('"') == 0 ? line.find('"', 1) : 0;
    const std::size_t end = line.find(separator_, std::min(quoted, line.size()));
    split(line.substr(0, end), separator_, front);
    line = end == std::string_view::npos ? end_of(line) : line.substr(end + 1);
    return front[0];
  }

  /// Takes some lines, of which the first is given, if nothing is to be said about any; else false.
  bool take_rows(std::string_view line, AlikeRtts& alike) {
    Lines ahead = lines_;
    AlikeRtts::Rows rows{line};
    std::array<std::uint32_t, AlikeRtts::kRows> ids{};
    for (std::size_t i = 0; i < rows.size(); ++i) {
      if (i > 0 && !ahead.next(rows[i])) return false;
      ids[i] = static_cast<std::uint32_t>(row_of_.size() + i);
      if (row_names_ != RowNames::kNone) {
        const auto at = draft_.index.find(take_name(rows[i]));
        if (at == draft_.index.end()) return false;
        ids[i] = at->second;
      }
      if (ids[i] >= seen_.size() || seen_[ids[i]]) return false;
      if (std::find(ids.begin(), ids.begin() + i, ids[i]) != ids.begin() + i) return false;
    }
    if (!append_rows(rows, separator_, unit_, alike, draft_.names.size(), draft_.cells))
      return false;
    row_of_.insert(row_of_.end(), ids.begin(), ids.end());
    for (const std::uint32_t id : ids) seen_[id] = true;
    lines_ = ahead;
    return true;
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

/// Takes some lines, of which the first is given, if each has that many cells and all are RTTs.
bool take_rows(std::string_view line, Lines& lines, char separator, TimeUnit unit, AlikeRtts& alike,
               std::size_t columns, std::vector<Rtt>& cells) {
  Lines ahead = lines;
  AlikeRtts::Rows rows{line};
  for (std::size_t i = 1; i < rows.size(); ++i)
    if (!ahead.next(rows[i])) return false;
  if (!append_rows(rows, separator, unit, alike, columns, cells)) return false;
  lines = ahead;
  return true;
}

}  // namespace

Draft read_plain(const RttText& text) {
  Draft draft;
  Lines lines(text.bytes(), true);
  std::string_view line, first;
  std::size_t rows = 0, columns = 0;
  char separator = ' ';
  std::optional<AlikeRtts> alike;
  while (!text.hopeless() && lines.next(line)) {
    if (rows > 0 && rows + AlikeRtts::kRows <= kMaxRttNames &&
        take_rows(line, lines, separator, text.options.unit, *alike, columns, draft.cells)) {
      rows += AlikeRtts::kRows;
      continue;
    }
    if (rows == 0) {
      separator = separator_of(line);
      alike.emplace(separator, text.options.unit);
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
