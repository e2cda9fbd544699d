#include <array>

#include "render/canvas.hpp"
#include "term/text.hpp"

namespace gedge::cli {
namespace {

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

std::string colour_text(std::size_t colour) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text = "#";
  for (int shift = 20; shift >= 0; shift -= 4)
    text += kDigits[(kPictureColours[colour] >> shift) & 0xf];
  return text;
}

class SvgCanvas final : public Canvas {
 public:
  void sheet(std::size_t width, std::size_t height, std::string_view title) override {
    text_ = "<svg xmlns=\"http://www.w3.org/2000/svg\"" + attribute("width", width) +
            attribute("height", height) +
            " font-family=\"monospace\" font-size=\"11\">\n"
            "<title>" +
            xml(title) +
            "</title>\n"
            "<rect width=\"100%\" height=\"100%\" fill=\"" +
            colour_text(kPaper) + "\"/>\n";
  }

  void block(std::size_t x, std::size_t y, std::size_t width, std::size_t height,
             std::size_t colour, const std::string& title) override {
    text_ += "<rect" + attribute("x", x) + attribute("y", y) + attribute("width", width) +
             attribute("height", height) + " fill=\"" + colour_text(colour) + '"';
    text_ += title.empty() ? "/>\n" : "><title>" + xml(title) + "</title></rect>\n";
  }

  void words(std::size_t x, std::size_t y, TextRun run, std::string_view text) override {
    text_ += "<text" + attribute("x", x) + attribute("y", y);
    if (run == TextRun::kUpTo) text_ += " text-anchor=\"end\"";
    if (run == TextRun::kUpward)
      text_ += " transform=\"rotate(-90 " + std::to_string(x) + ' ' + std::to_string(y) + ")\"";
    text_ += '>' + xml(text) + "</text>\n";
  }

  std::string finish() && { return std::move(text_) + "</svg>\n"; }

 private:
  std::string text_;
};

}  // namespace

std::string draw_svg(const Drawing& draw) {
  SvgCanvas canvas;
  draw(canvas);
  return std::move(canvas).finish();
}

}  // namespace gedge::cli
