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

std::vector<std::size_t> Table::natural_widths(bool with_header) const {
  std::vector<std::size_t> widths(columns_.size(), 0);
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    if (with_header) widths[i] = display_width(columns_[i].header);
    if (columns_[i].shrink == Shrink::kFlows) continue;
    for (const auto& row : rows_) widths[i] = std::max(widths[i], display_width(row[i].text));
  }
  return widths;
}

std::size_t Table::least_width(const Layout& layout) const {
  std::size_t total = 0;
  for (const std::size_t i : layout.columns) {
    const Shrink how = columns_[i].shrink;
    const bool shrinks = how == Shrink::kFirst || how == Shrink::kLast;
    total += kGap + (shrinks ? std::min(layout.widths[i], kLeastWidth) : layout.widths[i]);
  }
  return total - std::min(total, kGap);
}

// Takes from the widest column of that kind, one at a time, until the row fits or all are at their
// least.
void Table::shrink(Layout& layout, Shrink which, std::size_t limit) const {
  std::vector<std::size_t>& widths = layout.widths;
  std::size_t total = kGap * (layout.columns.size() - 1);
  for (const std::size_t i : layout.columns) total += widths[i];
  for (; total > limit; --total) {
    const std::size_t none = columns_.size();
    std::size_t widest = none;
    for (const std::size_t i : layout.columns)
      if (columns_[i].shrink == which && widths[i] > kLeastWidth)
        if (widest == none || widths[i] > widths[widest]) widest = i;
    if (widest == none) return;
    --widths[widest];
  }
}

Table::Layout Table::layout(const Stream& out, bool with_header) const {
  Layout layout{std::vector<std::size_t>(columns_.size()), {}};
  std::iota(layout.columns.begin(), layout.columns.end(), std::size_t{0});
  if (!out.is_terminal()) return layout;
  layout.widths = natural_widths(with_header);
  if (out.width() == 0) return layout;
  while (least_width(layout) > out.width()) {
    const auto last = std::find_if(layout.columns.rbegin(), layout.columns.rend(),
                                   [&](std::size_t i) { return columns_[i].drops; });
    if (last == layout.columns.rend()) break;
    layout.columns.erase(std::next(last).base());
  }
  shrink(layout, Shrink::kFirst, out.width());
  shrink(layout, Shrink::kLast, out.width());
  return layout;
}

bool Table::fits(const Stream& out, bool with_header) const {
  if (out.width() == 0) return true;
  Layout all{std::vector<std::size_t>(columns_.size()), natural_widths(with_header)};
  std::iota(all.columns.begin(), all.columns.end(), std::size_t{0});
  return least_width(all) <= out.width();
}

std::vector<std::string> Table::column(std::string_view header) const {
  std::vector<std::string> cells;
  for (std::size_t i = 0; i < columns_.size(); ++i)
    if (columns_[i].header == header)
      for (const auto& row : rows_) cells.push_back(row[i].text);
  return cells;
}

void Table::print(Stream& out, bool with_header) const {
  const bool padded = out.is_terminal();
  const Layout shown = layout(out, with_header);
  std::string line;
  const auto print_row = [&](const auto& text_of, const auto& ink_of) {
    line.clear();
    for (const std::size_t i : shown.columns) {
      const std::string& whole = text_of(i);
      if (!padded) {
        if (i != shown.columns.front()) line += '\t';
        line += out.style().paint(ink_of(i), whole);
        continue;
      }
      if (i != shown.columns.front()) line += std::string(kGap, ' ');
      const bool cut = columns_[i].shrink != Shrink::kFlows;
      const std::string text = cut ? shorten_middle(whole, shown.widths[i]) : whole;
      append_padded(line, text, out.style().paint(ink_of(i), text), shown.widths[i],
                    columns_[i].align, i == shown.columns.back());
    }
    out.line(line);
  };
  if (with_header)
    print_row([&](std::size_t i) -> const std::string& { return columns_[i].header; },
              [](std::size_t) { return Ink::kPlain; });
  for (const auto& row : rows_)
    print_row([&](std::size_t i) -> const std::string& { return row[i].text; },
              [&](std::size_t i) { return row[i].ink; });
}

}  // namespace gedge::cli
