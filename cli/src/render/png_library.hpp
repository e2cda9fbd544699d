// render/png_library.hpp - the functions of libpng, found when the first picture is drawn: no other
// command needs to load it.
#pragma once

#include <png.h>

#include "gedge/base/result.hpp"

namespace gedge::cli {

struct PngLibrary {
  decltype(&::png_image_write_to_memory) write_to_memory = nullptr;
  decltype(&::png_image_free) free = nullptr;

  /// It stays open. Errors: kDenied with what would help.
  static Result<const PngLibrary*> get();
};

}  // namespace gedge::cli
