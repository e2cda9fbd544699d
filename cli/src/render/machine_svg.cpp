#include <algorithm>
#include <cstddef>
#include <iterator>
#include <string>
#include <vector>

#include "render/machine_view.hpp"

namespace gedge::cli {
namespace {

constexpr std::size_t kSide = 26, kGap = 6, kTitle = 16;  // pixels
constexpr std::size_t kAcross = 8;                        // parts beside each other

struct Box {
  const MachinePart* part = nullptr;
  std::vector<Box> inside;
  std::size_t x = 0, y = 0, width = 0, height = 0;
};

// Takes the parts that lie deeper than the one before `at`.
std::vector<Box> boxes_of(const std::vector<MachinePart>& parts, std::size_t depth,
                          std::size_t& at) {
  std::vector<Box> boxes;
  while (at < parts.size() && parts[at].depth >= depth) {
    Box& box = boxes.emplace_back();
    box.part = &parts[at++];
    box.inside = boxes_of(parts, box.part->depth + 1, at);
  }
  return boxes;
}

void measure(Box& box) {
  if (box.part->is_core) {
    box.width = static_cast<std::size_t>(box.part->cpus.size()) * kSide + 2 * kGap;
    box.height = kSide + 2 * kGap;
    return;
  }
  std::size_t x = kGap, y = kTitle + kGap, row = 0;
  for (std::size_t i = 0; i < box.inside.size(); ++i) {
    Box& child = box.inside[i];
    measure(child);
    if (i % kAcross == 0 && i > 0) {
      x = kGap;
      y += row + kGap;
      row = 0;
    }
    child.x = x;
    child.y = y;
    x += child.width + kGap;
    row = std::max(row, child.height);
    box.width = std::max(box.width, x);
  }
  constexpr std::size_t kLeast = 120;  // room for a title
  box.width = std::max(box.width, kLeast);
  box.height = y + row + kGap;
}

std::string number(const char* name, std::size_t value) {
  return std::string(" ") + name + "=\"" + std::to_string(value) + '"';
}

std::string rect(std::size_t x, std::size_t y, std::size_t width, std::size_t height,
                 const char* fill) {
  return "<rect" + number("x", x) + number("y", y) + number("width", width) +
         number("height", height) + " fill=\"" + fill + "\" stroke=\"#555\"/>\n";
}

std::string words(std::size_t x, std::size_t y, const std::string& text) {
  return "<text" + number("x", x) + number("y", y) + ">" + text + "</text>\n";
}

const char* colour_of(int cpu, const Machine& machine) {
  if (machine.isolated.contains(cpu)) return "#f3d19c";
  return machine.nohz_full.contains(cpu) ? "#e8e3a0" : "#cfe3f5";
}

void draw(const Box& box, std::size_t x, std::size_t y, const Machine& machine, std::string& svg) {
  constexpr const char* kFills[] = {"#ffffff", "#f4f4f4", "#e9efe6", "#f1ece4", "#ececf4"};
  const MachinePart& part = *box.part;
  svg += rect(x, y, box.width, box.height, kFills[part.depth % std::size(kFills)]);
  if (!part.is_core) {
    svg += words(x + kGap, y + kTitle - 2, part.name + "  " + to_string(part.cpus));
    for (const Box& child : box.inside) draw(child, x + child.x, y + child.y, machine, svg);
    return;
  }
  std::size_t at = x + kGap;
  part.cpus.for_each([&](int cpu) {
    svg += rect(at, y + kGap, kSide, kSide, colour_of(cpu, machine));
    svg += words(at + 4, y + kGap + kTitle, std::to_string(cpu));
    at += kSide;
  });
}

}  // namespace

std::string machine_svg(const Machine& machine) {
  const std::vector<MachinePart> parts = parts_of(machine);
  std::size_t at = 0;
  std::vector<Box> boxes = boxes_of(parts, 0, at);
  Box& whole = boxes.front();
  measure(whole);
  std::string svg = "<svg xmlns=\"http://www.w3.org/2000/svg\"" + number("width", whole.width + 1) +
                    number("height", whole.height + 1) +
                    " font-family=\"monospace\" font-size=\"11\">\n<title>" + summary_of(machine) +
                    "</title>\n";
  draw(whole, 0, 0, machine, svg);
  return svg + "</svg>\n";
}

}  // namespace gedge::cli
