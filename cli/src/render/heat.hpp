// render/heat.hpp - a matrix as a picture of at most so many cells, and what its shades mean.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "gedge/latency/matrix.hpp"
#include "gedge/latency/pair_stats.hpp"

namespace gedge::cli {

/// Round numbers that split RTTs into shades, evenly on a logarithmic scale.
class HeatScale {
 public:
  /// Of what the matrix measured between different names.
  explicit HeatScale(const RttMatrix& matrix);

  /// 0 for the fastest. An RTT that equals an edge belongs below it.
  std::size_t level(Rtt rtt) const;
  /// One more than there are edges; at most kShades.
  std::size_t levels() const { return edges_.size() + 1; }
  /// "up to 5 ms"; of the last one "more".
  std::string text(std::size_t level) const;

 private:
  std::vector<Rtt> edges_;  // rising
};

struct HeatCell {
  Rtt rtt = kUnmeasured;  ///< the median of what was measured; kUnmeasured if nothing was
  bool diagonal = false;  ///< all pairs are of a name with itself
  bool estimated = false, suspicious = false;  ///< any pair is
};

/// Names in order, `step` of them a row and a column.
struct HeatGrid {
  std::size_t side = 0, step = 1;
  std::vector<HeatCell> cells;  ///< [side * side], row = from

  const HeatCell& at(std::size_t row, std::size_t column) const {
    return cells[row * side + column];
  }
};

/// With the least step that leaves at most `most` rows; `most` > 0. Cost: O(N * N).
HeatGrid heat_grid(const RttMatrix& matrix, const PairDetails& details, std::size_t most);

/// "edge-1", or "edge-1 to edge-9" where a row stands for several.
std::string heat_label(const RttMatrix& matrix, const HeatGrid& grid, std::size_t row);

}  // namespace gedge::cli
