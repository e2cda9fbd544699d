#include "render/heat_map.hpp"

#include <algorithm>
#include <array>

#include "render/heat.hpp"
#include "render/long_table.hpp"
#include "render/numbers.hpp"
#include "term/text.hpp"

namespace gedge::cli {
namespace {

constexpr std::size_t kNarrowest = 20;  // of a map, on a terminal that says no width
constexpr std::size_t kUnknownWidth = 80;
constexpr std::size_t kLongestLabel = 24;
constexpr std::size_t kCellColumns = 2;
constexpr std::string_view kLetters = ".:-=+*#@";  // from little ink to much
static_assert(kLetters.size() == kShades);

NameIndex index_of(std::size_t i) { return NameIndex{static_cast<std::uint32_t>(i)}; }

std::string padded(std::string text, std::size_t width) {
  const std::size_t used = display_width(text);
  return used < width ? text + std::string(width - used, ' ') : text;
}

// Letters use the whole range even where there are few levels.
std::size_t spread(std::size_t level, std::size_t levels) {
  return levels < 2 ? 0 : level * (kShades - 1) / (levels - 1);
}

std::string mark_of(bool estimated, bool suspicious) {
  return suspicious ? " !" : estimated ? " ~" : "";
}

std::string shaded(const Style& style, const HeatScale& scale, std::size_t level,
                   std::string_view marks) {
  const std::size_t shade = spread(level, scale.levels());
  std::string text(marks);
  text.resize(kCellColumns, style.on() ? ' ' : kLetters[shade]);
  return style.shade(shade, text);
}

std::string map_cell(const Style& style, const HeatScale& scale, const HeatCell& cell) {
  if (cell.diagonal) return std::string(kCellColumns, ' ');
  if (cell.rtt == kUnmeasured) return style.paint(Ink::kDim, std::string(kCellColumns, '?'));
  const std::string_view mark = cell.suspicious ? "!" : cell.estimated ? "~" : "";
  return shaded(style, scale, scale.level(cell.rtt), mark);
}

void print_legend(Stream& out, const HeatScale& scale, const HeatGrid& grid) {
  std::string line;
  for (std::size_t level = 0; level < scale.levels(); ++level)
    line += shaded(out.style(), scale, level, "") + ' ' + scale.text(level) + "  ";
  const auto any = [&](auto fits) {
    return std::any_of(grid.cells.begin(), grid.cells.end(), fits);
  };
  if (any([](const HeatCell& cell) { return cell.rtt == kUnmeasured && !cell.diagonal; }))
    line += out.style().paint(Ink::kDim, "??") + " unmeasured  ";
  if (any([](const HeatCell& cell) { return cell.estimated; })) line += "~ estimated  ";
  if (any([](const HeatCell& cell) { return cell.suspicious; })) line += "! suspicious  ";
  line.resize(line.size() - 2);
  out.line(line);
}

Ink ink_of(const HeatScale& scale, Rtt rtt) {
  const std::size_t shade = spread(scale.level(rtt), scale.levels());
  if (scale.levels() < 2) return Ink::kPlain;
  if (shade < kShades / 3) return Ink::kGood;
  return shade < kShades * 2 / 3 ? Ink::kWarn : Ink::kBad;
}

/// The rows of numbers, one by one.
class RttRows {
 public:
  RttRows(const RttMatrix& matrix, const PairDetails& details)
      : matrix_(matrix), details_(details), units_({largest(matrix)}), scale_(matrix) {}

  std::vector<Column> columns() const {
    std::vector<Column> columns{{"FROM", Align::kLeft, Shrink::kLast}};
    for (const std::string& name : matrix_.names())
      columns.push_back({escape_controls(name), Align::kRight});
    return columns;
  }

  std::vector<Cell> row(std::size_t i) const {
    std::vector<Cell> row{{matrix_.names()[i]}};
    for (std::size_t j = 0; j < matrix_.size(); ++j) {
      const Rtt rtt = matrix_.at(index_of(i), index_of(j));
      const PairStats* pair = details_.find(index_of(i), index_of(j));
      const bool estimated = pair != nullptr && pair->estimated;
      const bool suspicious = pair != nullptr && pair->suspicious;
      if (rtt == kUnmeasured || (i == j && rtt.us == 0))
        row.emplace_back();
      else
        row.push_back({units_.text(rtt.us) + mark_of(estimated, suspicious), ink_of(scale_, rtt),
                       std::int64_t{rtt.us}});
    }
    return row;
  }

 private:
  static std::int64_t largest(const RttMatrix& matrix) {
    std::int64_t most = 0;
    for (std::size_t i = 0; i < matrix.size(); ++i)
      for (const Rtt rtt : matrix.row(index_of(i)))
        if (rtt != kUnmeasured) most = std::max<std::int64_t>(most, rtt.us);
    return most;
  }

  const RttMatrix& matrix_;
  const PairDetails& details_;
  DurationColumn units_;
  HeatScale scale_;
};

}  // namespace

void print_rtt_table(Stream& out, const RttMatrix& matrix, const PairDetails& details,
                     bool headers) {
  const RttRows rows(matrix, details);
  TableOptions options;
  options.headers = headers;
  LongTable table(rows.columns(), out, options);
  for (std::size_t i = 0; i < matrix.size() && !out.closed(); ++i) table.add(rows.row(i));
  static_cast<void>(table.finish());  // it fails for a column to sort by
}

bool rtt_table_fits(const Stream& out, const RttMatrix& matrix, const PairDetails& details,
                    bool headers) {
  constexpr std::size_t kNarrowColumn = 3;  // two blanks and a digit
  if (!out.is_terminal() || out.width() == 0) return true;
  if (matrix.size() * kNarrowColumn > out.width()) return false;
  const RttRows rows(matrix, details);
  Table table(rows.columns());
  for (std::size_t i = 0; i < matrix.size(); ++i) table.add(rows.row(i));
  return table.fits(out, headers);
}

void print_heat_map(Stream& out, const RttMatrix& matrix, const PairDetails& details) {
  const std::size_t width = std::max(out.width() > 0 ? out.width() : kUnknownWidth, kNarrowest);
  const std::size_t label = std::min(kLongestLabel, width / 3);
  const HeatScale scale(matrix);
  const HeatGrid grid = heat_grid(matrix, details, (width - label - 1) / kCellColumns);
  std::size_t used = 0;
  std::vector<std::string> labels;
  for (std::size_t row = 0; row < grid.side; ++row) {
    labels.push_back(shorten_middle(escape_controls(heat_label(matrix, grid, row)), label));
    used = std::max(used, display_width(labels.back()));
  }
  for (std::size_t row = 0; row < grid.side; ++row) {
    std::string line = padded(labels[row], used) + ' ';
    for (std::size_t column = 0; column < grid.side; ++column)
      line += map_cell(out.style(), scale, grid.at(row, column));
    line.erase(line.find_last_not_of(' ') + 1);
    out.line(line);
  }
  print_legend(out, scale, grid);
  std::string note = "rows are from, columns to, both in this order";
  if (grid.step > 1)
    note += "; each cell is the median of up to " + std::to_string(grid.step) + " x " +
            std::to_string(grid.step) + " pairs";
  out.line(out.style().paint(Ink::kDim, note));
}

}  // namespace gedge::cli
