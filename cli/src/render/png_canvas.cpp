// The picture as pixels, each an index of the palette; libpng packs and compresses them.
#include <array>
#include <cstdint>
#include <vector>

#include "render/canvas.hpp"
#include "render/pixel_font.hpp"
#include "render/png_library.hpp"

namespace gedge::cli {
namespace {

static_assert(kGlyphWidth <= kLetterWidth);

class PixelCanvas final : public Canvas {
 public:
  void sheet(std::size_t width, std::size_t height, std::string_view /*title*/) override {
    width_ = width, height_ = height;
    pixels_.assign(width * height, static_cast<std::uint8_t>(kPaper));
  }

  void block(std::size_t x, std::size_t y, std::size_t width, std::size_t height,
             std::size_t colour, const std::string& /*title*/) override {
    for (std::size_t row = y; row < y + height; ++row)
      for (std::size_t column = x; column < x + width; ++column) set(column, row, colour);
  }

  void words(std::size_t x, std::size_t y, TextRun run, std::string_view text) override {
    const std::string letters = one_byte_each(text);
    std::size_t along = 0;
    if (run == TextRun::kUpTo) x -= letters.size() * kGlyphWidth;
    for (const char letter : letters) {
      const Glyph& glyph = glyph_of(letter);
      for (std::size_t row = 0; row < kGlyphHeight; ++row)
        for (std::size_t column = 0; column < kGlyphWidth; ++column) {
          if ((glyph[row] >> (kGlyphWidth - 1 - column) & 1) == 0) continue;
          if (run == TextRun::kUpward)
            set(x + row - kGlyphAscent, y - along - column, kLetters);
          else
            set(x + along + column, y + row - kGlyphAscent, kLetters);
        }
      along += kGlyphWidth;
    }
  }

  Result<std::string> finish() const {
    const auto library = PngLibrary::get();
    if (!library) return library.error();
    png_image image{};
    image.version = PNG_IMAGE_VERSION;
    image.width = static_cast<png_uint_32>(width_);
    image.height = static_cast<png_uint_32>(height_);
    image.format = PNG_FORMAT_RGB_COLORMAP;
    image.colormap_entries = static_cast<png_uint_32>(kPictureColours.size());
    const auto palette = palette_bytes();
    png_alloc_size_t size = PNG_IMAGE_PNG_SIZE_MAX(image);
    std::string bytes(size, '\0');
    const int written = (*library)->write_to_memory(&image, bytes.data(), &size, 0, pixels_.data(),
                                                    0, palette.data());
    if (written == 0)
      return Error{Errc::kInternal, std::string("no PNG: ") + image.message, {}, {}};
    bytes.resize(size);
    return bytes;
  }

 private:
  // Letters outside of ASCII become one byte each that has no glyph.
  static std::string one_byte_each(std::string_view text) {
    std::string letters;
    for (const char byte : text)
      if ((static_cast<unsigned char>(byte) & 0xc0) != 0x80) letters += byte;
    return letters;
  }

  static std::array<std::uint8_t, 3 * kPictureColours.size()> palette_bytes() {
    std::array<std::uint8_t, 3 * kPictureColours.size()> bytes{};
    for (std::size_t i = 0; i < kPictureColours.size(); ++i)
      for (std::size_t part = 0; part < 3; ++part)
        bytes[3 * i + part] = static_cast<std::uint8_t>(kPictureColours[i] >> (16 - 8 * part));
    return bytes;
  }

  // Places left of the sheet or above it are huge numbers.
  void set(std::size_t x, std::size_t y, std::size_t colour) {
    if (x < width_ && y < height_) pixels_[y * width_ + x] = static_cast<std::uint8_t>(colour);
  }

  std::size_t width_ = 0, height_ = 0;
  std::vector<std::uint8_t> pixels_;
};

}  // namespace

Result<std::string> draw_png(const Drawing& draw) {
  PixelCanvas canvas;
  draw(canvas);
  return canvas.finish();
}

}  // namespace gedge::cli
