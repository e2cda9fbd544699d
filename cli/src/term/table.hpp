// term/table.hpp - rows and columns, as a terminal or as a pipe wants them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gedge/base/result.hpp"
#include "term/stream.hpp"
#include "term/style.hpp"

namespace gedge::cli {

enum class Align : std::uint8_t { kLeft, kRight };

/// What gives way on a terminal that is too narrow: long cells lose their middle.
enum class Shrink : std::uint8_t {
  kNever,
  kFirst,  ///< before those that shrink last
  kLast,
  kFlows,  ///< never; runs over the edge, and nothing else shrinks for it; the last column only
};

struct Column {
  std::string header;  ///< capitals
  Align align = Align::kLeft;
  Shrink shrink = Shrink::kNever;
  bool drops = false;  ///< left out, the rightmost first, where shrinking is not enough
};

struct Cell {
  std::string text = {};  ///< shown as "-" where empty; control characters are written out
  Ink ink = Ink::kPlain;
  std::optional<std::int64_t> number = {};  ///< what --sort-by compares instead of the text
};

/// Terminal: padded, two spaces between columns, shortened to the width. Pipe: one tab between
/// columns, nothing padded, nothing shortened. No trailing blanks either way.
class Table {
 public:
  explicit Table(std::vector<Column> columns) : columns_(std::move(columns)) {}

  void add(std::vector<Cell> row);
  std::size_t rows() const { return rows_.size(); }
  void clear() { rows_.clear(); }

  /// Sorts rows by the column of that header; case, "-" and " " do not count, nor do the braces and
  /// dots of kubectl's
  /// "{.node}". Rows without a value come last; equal rows keep their order.
  /// Errors: kNotFound with the headers there are.
  Status sort_by(std::string_view header);

  void print(Stream& out, bool with_header = true) const;

  /// True if `out` is no terminal or every column has room once what can shrink has shrunk.
  bool fits(const Stream& out, bool with_header = true) const;
  /// The cells below a header, from top to bottom; empty if there is no such column.
  std::vector<std::string> column(std::string_view header) const;

 private:
  struct Layout {
    std::vector<std::size_t> columns;  // those that are printed
    std::vector<std::size_t> widths;   // of all columns
  };
  Layout layout(const Stream& out, bool with_header) const;
  std::vector<std::size_t> natural_widths(bool with_header) const;
  std::size_t least_width(const Layout& layout) const;
  void shrink(Layout& layout, Shrink which, std::size_t limit) const;

  std::vector<Column> columns_;
  std::vector<std::vector<Cell>> rows_;
};

}  // namespace gedge::cli
