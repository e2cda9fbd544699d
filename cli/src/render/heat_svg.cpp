// The drawing: one rectangle a cell, a title for whoever points at it, and the scale below.
#include <algorithm>
#include <array>

#include "gedge/base/duration.hpp"
#include "render/heat.hpp"
#include "render/heat_map.hpp"
#include "term/text.hpp"

namespace gedge::cli {
namespace {

constexpr std::size_t kMostCells = 256;  // a side; more would be smaller than what a screen shows
constexpr std::size_t kMostNamed = 64;   // names that can still be read beside their rows
constexpr std::size_t kCell = 14;        // pixels of a cell with a name
constexpr std::size_t kSmallCell = 4;    // of one without
constexpr std::size_t kLetter = 7;       // width of a letter, roughly
constexpr std::size_t kMargin = 10;
constexpr std::size_t kLegendStep = 110;  // pixels for "up to 500ms"
constexpr std::size_t kLongestLabel = 30;
constexpr std::string_view kGrey = "#c8c8c8";
// YlOrRd of ColorBrewer (C. Brewer, colorbrewer2.org): rising darkness, which survives printing and
// colour blindness.
constexpr std::array<std::string_view, kShades> kColours{
    "#ffffcc", "#ffeda0", "#fed976", "#feb24c", "#fd8d3c", "#fc4e2a", "#e31a1c", "#b10026"};

std::string xml(std::string_view text) {
  std::string escaped;
  for (const char c : escape_controls(text)) {
    if (c == '&')
      escaped += "&amp;";
    else if (c == '<')
      escaped += "&lt;";
    else if (c == '>')
      escaped += "&gt;";
    else if (c == '"')
      escaped += "&quot;";
    else
      escaped += c;
  }
  return escaped;
}

std::string attribute(std::string_view name, std::size_t value) {
  return ' ' + std::string(name) + "=\"" + std::to_string(value) + '"';
}

std::string rectangle(std::size_t x, std::size_t y, std::size_t size, std::string_view colour,
                      const std::string& title) {
  std::string text = "<rect" + attribute("x", x) + attribute("y", y) + attribute("width", size) +
                     attribute("height", size) + " fill=\"" + std::string(colour) + '"';
  if (title.empty()) return text + "/>\n";
  return text + "><title>" + title + "</title></rect>\n";
}

std::string words(std::size_t x, std::size_t y, std::string_view more, std::string_view text) {
  return "<text" + attribute("x", x) + attribute("y", y) + std::string(more) + '>' + xml(text) +
         "</text>\n";
}

class Drawing {
 public:
  Drawing(const RttMatrix& matrix, const PairDetails& details)
      : matrix_(matrix), scale_(matrix), grid_(heat_grid(matrix, details, kMostCells)) {
    named_ = grid_.side <= kMostNamed;
    cell_ = named_ ? kCell : kSmallCell;
    if (!named_) return;
    for (std::size_t row = 0; row < grid_.side; ++row) {
      labels_.push_back(
          shorten_middle(escape_controls(heat_label(matrix, grid_, row)), kLongestLabel));
      label_ = std::max(label_, display_width(labels_.back()) * kLetter);
    }
  }

  std::string text() const {
    const std::size_t map = grid_.side * cell_;
    const std::size_t legend = (scale_.levels() + 1) * kLegendStep;
    const std::size_t width = 2 * kMargin + std::max(label_ + map, legend);
    const std::size_t height = 5 * kMargin + label_ + map;
    std::string svg = "<svg xmlns=\"http://www.w3.org/2000/svg\"" + attribute("width", width) +
                      attribute("height", height) +
                      " font-family=\"monospace\" font-size=\"11\">\n"
                      "<title>Round-trip times, rows from, columns to</title>\n"
                      "<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n";
    draw_names(svg);
    draw_cells(svg);
    draw_legend(svg, kMargin + label_ + map + kMargin);
    return svg + "</svg>\n";
  }

 private:
  std::size_t origin() const { return kMargin + label_; }

  void draw_names(std::string& svg) const {
    for (std::size_t i = 0; i < labels_.size(); ++i) {
      const std::size_t at = origin() + i * cell_ + cell_ - 3;
      svg += words(origin() - 3, at, " text-anchor=\"end\"", labels_[i]);
      svg += words(at, origin() - 3,
                   " transform=\"rotate(-90 " + std::to_string(at) + ' ' +
                       std::to_string(origin() - 3) + ")\"",
                   labels_[i]);
    }
  }

  void draw_cells(std::string& svg) const {
    for (std::size_t row = 0; row < grid_.side; ++row)
      for (std::size_t column = 0; column < grid_.side; ++column) {
        const HeatCell& cell = grid_.at(row, column);
        if (cell.diagonal) continue;
        const std::size_t x = origin() + column * cell_, y = origin() + row * cell_;
        svg += rectangle(x, y, cell_, colour_of(cell), title_of(cell, row, column));
        const std::string_view mark = cell.suspicious ? "!" : cell.estimated ? "~" : "";
        if (named_ && !mark.empty()) svg += words(x + 4, y + cell_ - 3, "", mark);
      }
  }

  void draw_legend(std::string& svg, std::size_t y) const {
    std::size_t x = kMargin;
    const auto entry = [&](std::string_view colour, std::string_view text) {
      svg += rectangle(x, y, kCell, colour, "");
      svg += words(x + kCell + 4, y + kCell - 3, "", text);
      x += kLegendStep;
    };
    for (std::size_t level = 0; level < scale_.levels(); ++level)
      entry(colour_of(level), scale_.text(level));
    entry(kGrey, "unmeasured");
  }

  std::string_view colour_of(std::size_t level) const {
    return kColours[scale_.levels() < 2 ? 0 : level * (kShades - 1) / (scale_.levels() - 1)];
  }
  std::string_view colour_of(const HeatCell& cell) const {
    return cell.rtt == kUnmeasured ? kGrey : colour_of(scale_.level(cell.rtt));
  }

  std::string title_of(const HeatCell& cell, std::size_t row, std::size_t column) const {
    if (!named_) return "";
    std::string text = heat_label(matrix_, grid_, row) + " > " +
                       heat_label(matrix_, grid_, column) + ": " +
                       (cell.rtt == kUnmeasured ? "unmeasured" : format_duration(cell.rtt.us));
    if (cell.estimated) text += ", estimated";
    if (cell.suspicious) text += ", suspicious";
    return xml(text);
  }

  const RttMatrix& matrix_;
  HeatScale scale_;
  HeatGrid grid_;
  bool named_ = false;
  std::size_t cell_ = kCell, label_ = 0;
  std::vector<std::string> labels_;
};

}  // namespace

std::string heat_svg(const RttMatrix& matrix, const PairDetails& details) {
  return Drawing(matrix, details).text();
}

}  // namespace gedge::cli
