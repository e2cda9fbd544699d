#include "term/table.hpp"

#include <algorithm>
#include <cassert>
#include <numeric>

#include "gedge/base/nearest.hpp"
#include "term/text.hpp"

namespace gedge::cli {
namespace {

constexpr std::size_t kGap = 2;          // spaces between columns
constexpr std::size_t kLeastWidth = 10;  // no column is shortened below this
constexpr std::string_view kNothing = "-";

// "Node", "{.node}", "runner-up": one form for comparing what users call a column.
std::string plain_name(std::string_view header) {
  std::string plain;
  for (const char c : header) {
    if (c >= 'A' && c <= 'Z')
      plain += static_cast<char>(c - 'A' + 'a');
    else if ((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'))
      plain += c;
  }
  return plain;
}

bool comes_before(const Cell& a, const Cell& b) {
  const bool a_empty = a.text == kNothing, b_empty = b.text == kNothing;
  if (a_empty != b_empty) return b_empty;
  if (a.number && b.number) return *a.number < *b.number;
  return a.text < b.text;
}

// Takes columns from the widest shrinking column, one at a time, until the row fits or all are at
// their least.
void shrink(std::vector<std::size_t>& widths, const std::vector<Column>& columns,
            std::size_t limit) {
  std::size_t total = std::accumulate(widths.begin(), widths.end(), kGap * (widths.size() - 1));
  while (total > limit) {
    std::size_t widest = widths.size();
    for (std::size_t i = 0; i < widths.size(); ++i) {
      const bool can = columns[i].shrinks && widths[i] > kLeastWidth;
      if (can && (widest == widths.size() || widths[i] > widths[widest])) widest = i;
    }
    if (widest == widths.size()) return;
    --widths[widest];
    --total;
  }
}

void append_padded(std::string& line, const std::string& text, std::string_view painted,
                   std::size_t width, Align align, bool last) {
  const std::size_t used = display_width(text);
  const std::string padding(width > used ? width - used : 0, ' ');
  if (align == Align::kRight) line += padding;
  line += painted;
  if (align == Align::kLeft && !last) line += padding;
}

}  // namespace

void Table::add(std::vector<Cell> row) {
  assert(row.size() == columns_.size());
  for (Cell& cell : row) cell.text = cell.text.empty() ? kNothing : escape_controls(cell.text);
  rows_.push_back(std::move(row));
}

Status Table::sort_by(std::string_view header) {
  const std::string wanted = plain_name(header);
  std::vector<std::string> known;
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    const std::string name = plain_name(columns_[i].header);
    known.push_back(columns_[i].header);
    std::transform(known.back().begin(), known.back().end(), known.back().begin(), [](char c) {
      return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    });
    if (name != wanted) continue;
    std::stable_sort(rows_.begin(), rows_.end(),
                     [i](const auto& a, const auto& b) { return comes_before(a[i], b[i]); });
    return {};
  }
  return Error{Errc::kNotFound,
               "no column '" + std::string(header) + "' to sort by",
               {},
               "use " + join_words(known, ", ", " or ")};
}

std::vector<std::size_t> Table::widths(const Stream& out, bool with_header) const {
  std::vector<std::size_t> widths(columns_.size(), 0);
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    if (with_header) widths[i] = display_width(columns_[i].header);
    for (const auto& row : rows_) widths[i] = std::max(widths[i], display_width(row[i].text));
  }
  if (out.width() > 0) shrink(widths, columns_, out.width());
  return widths;
}

void Table::print(Stream& out, bool with_header) const {
  const bool padded = out.is_terminal();
  const std::vector<std::size_t> column_widths =
      padded ? widths(out, with_header) : std::vector<std::size_t>{};
  const auto print_row = [&](const auto& text_of, const auto& ink_of) {
    std::string line;
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      if (i > 0) line += padded ? std::string(kGap, ' ') : "\t";
      const std::string text = padded ? shorten_middle(text_of(i), column_widths[i]) : text_of(i);
      const std::string painted = out.style().paint(ink_of(i), text);
      if (padded)
        append_padded(line, text, painted, column_widths[i], columns_[i].align,
                      i + 1 == columns_.size());
      else
        line += painted;
    }
    out.line(line);
  };
  if (with_header)
    print_row([&](std::size_t i) { return columns_[i].header; },
              [](std::size_t) { return Ink::kPlain; });
  for (const auto& row : rows_)
    print_row([&](std::size_t i) { return row[i].text; },
              [&](std::size_t i) { return row[i].ink; });
}

}  // namespace gedge::cli
