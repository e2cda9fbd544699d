// render/long_table.hpp - a table that may have millions of rows.
#pragma once

#include <vector>

#include "gedge/base/result.hpp"
#include "render/plan_view.hpp"
#include "term/stream.hpp"
#include "term/table.hpp"

namespace gedge::cli {

/// Prints what Table prints. In a pipe nothing depends on what follows, so rows go as they come and
/// are forgotten; on a terminal, and where they are sorted, they are kept to the end.
class LongTable {
 public:
  LongTable(std::vector<Column> columns, Stream& out, const TableOptions& options)
      : columns_(columns.size()), table_(std::move(columns)), out_(out), options_(options) {}

  void add(std::vector<Cell> row);
  /// Prints what is left. Errors: those of finish_table().
  Status finish();

 private:
  std::size_t columns_;
  Table table_;
  Stream& out_;
  TableOptions options_;
};

}  // namespace gedge::cli
