// One square a cell, names beside the rows and above the columns, and the scale below.

#include <algorithm>
#include <vector>

#include "gedge/base/duration.hpp"
#include "render/canvas.hpp"
#include "render/heat.hpp"
#include "render/heat_map.hpp"
#include "term/text.hpp"

namespace gedge::cli {
namespace {

// A side, so that no matrix makes a picture that a screen cannot show. Cost: O(N * N).
constexpr std::size_t kMostCells = 256;
constexpr std::size_t kMostNamed = 64;  // names that can still be read beside their rows
constexpr std::size_t kCell = 14;       // pixels of a cell with a name
constexpr std::size_t kSmallCell = 4;   // of one without
constexpr std::size_t kMargin = 10;
constexpr std::size_t kLegendStep = 110;  // pixels for "up to 500ms"
constexpr std::size_t kLongestLabel = 30;

class Picture {
 public:
  Picture(const RttMatrix& matrix, const PairDetails& details, Canvas& canvas)
      : matrix_(matrix),
        canvas_(canvas),
        scale_(matrix),
        grid_(heat_grid(matrix, details, kMostCells)),
        named_(grid_.side <= kMostNamed),
        cell_(named_ ? kCell : kSmallCell) {
    if (!named_) return;
    for (std::size_t row = 0; row < grid_.side; ++row) {
      labels_.push_back(
          shorten_middle(escape_controls(heat_label(matrix, grid_, row)), kLongestLabel));
      label_ = std::max(label_, display_width(labels_.back()) * kLetterWidth);
    }
  }

  void draw() const {
    const std::size_t map = grid_.side * cell_;
    const std::size_t legend = (scale_.levels() + 1) * kLegendStep;
    canvas_.sheet(2 * kMargin + std::max(label_ + map, legend), 5 * kMargin + label_ + map,
                  "Round-trip times, rows from, columns to");
    draw_names();
    draw_cells();
    draw_legend(kMargin + label_ + map + kMargin);
  }

 private:
  std::size_t origin() const { return kMargin + label_; }

  void draw_names() const {
    for (std::size_t i = 0; i < labels_.size(); ++i) {
      const std::size_t at = origin() + i * cell_ + cell_ - 3;
      canvas_.words(origin() - 3, at, TextRun::kUpTo, labels_[i]);
      canvas_.words(at, origin() - 3, TextRun::kUpward, labels_[i]);
    }
  }

  void draw_cells() const {
    for (std::size_t row = 0; row < grid_.side; ++row)
      for (std::size_t column = 0; column < grid_.side; ++column) {
        const HeatCell& cell = grid_.at(row, column);
        if (cell.diagonal) continue;
        const std::size_t x = origin() + column * cell_, y = origin() + row * cell_;
        canvas_.block(x, y, cell_, cell_, colour_of(cell), title_of(cell, row, column));
        const std::string_view mark = cell.suspicious ? "!" : cell.estimated ? "~" : "";
        if (named_ && !mark.empty()) canvas_.words(x + 4, y + cell_ - 3, TextRun::kFrom, mark);
      }
  }

  void draw_legend(std::size_t y) const {
    std::size_t x = kMargin;
    const auto entry = [&](std::size_t colour, std::string_view text) {
      canvas_.block(x, y, kCell, kCell, colour, "");
      canvas_.words(x + kCell + 4, y + kCell - 3, TextRun::kFrom, text);
      x += kLegendStep;
    };
    for (std::size_t level = 0; level < scale_.levels(); ++level)
      entry(shade_of(level), scale_.text(level));
    entry(kGrey, "unmeasured");
  }

  // The shades reach from light to dark even where there are few levels.
  std::size_t shade_of(std::size_t level) const {
    const std::size_t levels = scale_.levels();
    return kFirstShade + (levels < 2 ? 0 : level * (kShades - 1) / (levels - 1));
  }
  std::size_t colour_of(const HeatCell& cell) const {
    return cell.rtt == kUnmeasured ? kGrey : shade_of(scale_.level(cell.rtt));
  }

  std::string title_of(const HeatCell& cell, std::size_t row, std::size_t column) const {
    if (!named_) return "";
    std::string text = heat_label(matrix_, grid_, row) + " > " +
                       heat_label(matrix_, grid_, column) + ": " +
                       (cell.rtt == kUnmeasured ? "unmeasured" : format_duration(cell.rtt.us));
    if (cell.estimated) text += ", estimated";
    if (cell.suspicious) text += ", suspicious";
    return text;
  }

  const RttMatrix& matrix_;
  Canvas& canvas_;
  HeatScale scale_;
  HeatGrid grid_;
  bool named_;
  std::size_t cell_, label_ = 0;
  std::vector<std::string> labels_;
};

}  // namespace

std::string heat_svg(const RttMatrix& matrix, const PairDetails& details) {
  return draw_svg([&](Canvas& canvas) { Picture(matrix, details, canvas).draw(); });
}

Result<std::string> heat_png(const RttMatrix& matrix, const PairDetails& details) {
  return draw_png([&](Canvas& canvas) { Picture(matrix, details, canvas).draw(); });
}

}  // namespace gedge::cli
