#include "render/long_table.hpp"

#include <utility>

namespace gedge::cli {
namespace {

constexpr std::size_t kMostCells = 1 << 16;

}  // namespace

void LongTable::add(std::vector<Cell> row) {
  table_.add(std::move(row));
  if (out_.is_terminal() || !options_.sort_by.empty() || options_.names) return;
  if (table_.rows() * columns_ < kMostCells) return;
  table_.print(out_, options_.headers);
  options_.headers = false;
  table_.clear();
}

Status LongTable::finish() { return finish_table(std::move(table_), out_, options_); }

}  // namespace gedge::cli
