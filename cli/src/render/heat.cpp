#include "render/heat.hpp"

#include <algorithm>
#include <array>

#include "gedge/base/duration.hpp"
#include "term/style.hpp"

namespace gedge::cli {
namespace {

NameIndex index_of(std::size_t i) { return NameIndex{static_cast<std::uint32_t>(i)}; }

/// 1, 2, 5, 10, 20, ... microseconds from `least` on and below `most`.
std::vector<Rtt> round_numbers(std::uint64_t least, std::uint64_t most) {
  std::vector<Rtt> numbers;
  for (std::uint64_t decade = 1; decade < most; decade *= 10)
    for (const std::uint64_t digit : {std::uint64_t{1}, std::uint64_t{2}, std::uint64_t{5}})
      if (const std::uint64_t us = digit * decade; us >= least && us < most)
        numbers.push_back(Rtt{static_cast<std::uint32_t>(us)});
  return numbers;
}

/// At most `most` of them, spread evenly, ending with the last.
std::vector<Rtt> thinned(const std::vector<Rtt>& numbers, std::size_t most) {
  if (numbers.size() <= most) return numbers;
  std::vector<Rtt> kept;
  for (std::size_t i = 1; i <= most; ++i) kept.push_back(numbers[numbers.size() * i / most - 1]);
  return kept;
}

/// The pairs of one cell, gathered.
struct Block {
  std::vector<Rtt> measured;
  HeatCell cell{kUnmeasured, true};
};

void add_pair(Block& block, const RttMatrix& matrix, NameIndex from, NameIndex to) {
  if (from == to) return;
  block.cell.diagonal = false;
  if (const Rtt rtt = matrix.at(from, to); rtt != kUnmeasured) block.measured.push_back(rtt);
}

HeatCell cell_of(Block& block) {
  std::vector<Rtt>& all = block.measured;
  if (!all.empty()) {
    const auto middle = all.begin() + static_cast<std::ptrdiff_t>((all.size() - 1) / 2);
    std::nth_element(all.begin(), middle, all.end());
    block.cell.rtt = *middle;
  }
  return block.cell;
}

}  // namespace

HeatScale::HeatScale(const RttMatrix& matrix) {
  Rtt least = kUnmeasured, most{0};
  for (std::size_t i = 0; i < matrix.size(); ++i)
    for (std::size_t j = 0; j < matrix.size(); ++j) {
      const Rtt rtt = matrix.at(index_of(i), index_of(j));
      if (i == j || rtt == kUnmeasured) continue;
      least = std::min(least, rtt);
      most = std::max(most, rtt);
    }
  if (least < most) edges_ = thinned(round_numbers(least.us, most.us), kShades - 1);
}

std::size_t HeatScale::level(Rtt rtt) const {
  return static_cast<std::size_t>(std::lower_bound(edges_.begin(), edges_.end(), rtt) -
                                  edges_.begin());
}

std::string HeatScale::text(std::size_t level) const {
  if (edges_.empty()) return "all alike";
  return level < edges_.size() ? "up to " + format_duration(edges_[level].us) : "more";
}

HeatGrid heat_grid(const RttMatrix& matrix, const PairDetails& details, std::size_t most) {
  const std::size_t n = matrix.size();
  HeatGrid grid;
  grid.step = std::max<std::size_t>(1, (n + most - 1) / most);
  grid.side = (n + grid.step - 1) / grid.step;
  grid.cells.reserve(grid.side * grid.side);
  for (std::size_t top = 0; top < n; top += grid.step)
    for (std::size_t left = 0; left < n; left += grid.step) {
      Block block;
      for (std::size_t i = top; i < std::min(top + grid.step, n); ++i)
        for (std::size_t j = left; j < std::min(left + grid.step, n); ++j)
          add_pair(block, matrix, index_of(i), index_of(j));
      grid.cells.push_back(cell_of(block));
    }
  for (const PairStats& pair : details.pairs) {
    HeatCell& cell = grid.cells[raw(pair.from) / grid.step * grid.side + raw(pair.to) / grid.step];
    cell.estimated = cell.estimated || pair.estimated;
    cell.suspicious = cell.suspicious || pair.suspicious;
  }
  return grid;
}

std::string heat_label(const RttMatrix& matrix, const HeatGrid& grid, std::size_t row) {
  const std::size_t first = row * grid.step;
  const std::size_t last = std::min(first + grid.step, matrix.size()) - 1;
  const std::string& name = matrix.names()[first];
  return first == last ? name : name + " to " + matrix.names()[last];
}

}  // namespace gedge::cli
