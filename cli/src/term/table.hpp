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

struct Column {
  std::string header;  ///< capitals
  Align align = Align::kLeft;
  bool shrinks = false;  ///< on a terminal that is too narrow, long cells lose their middle
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

  /// Sorts rows by the column of that header; case, "-" and " " do not count, nor do the braces and
  /// dots of kubectl's
  /// "{.node}". Rows without a value come last; equal rows keep their order.
  /// Errors: kNotFound with the headers there are.
  Status sort_by(std::string_view header);

  void print(Stream& out, bool with_header = true) const;

 private:
  std::vector<std::size_t> widths(const Stream& out, bool with_header) const;

  std::vector<Column> columns_;
  std::vector<std::vector<Cell>> rows_;
};

}  // namespace gedge::cli
