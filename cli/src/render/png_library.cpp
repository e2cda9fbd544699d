#include "render/png_library.hpp"

#include <dlfcn.h>

namespace gedge::cli {
namespace {

constexpr const char* kFile = "libpng16.so.16";

Error missing(const char* what) {
  return {Errc::kDenied,
          what + std::string(kFile),
          {},
          "install it; on Debian: `apt-get install libpng16-16`. Or draw with `-o svg`"};
}

Result<PngLibrary> open_library() {
  void* const handle = ::dlopen(kFile, RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) return missing("cannot open ");
  PngLibrary library;
  library.write_to_memory = reinterpret_cast<decltype(library.write_to_memory)>(
      ::dlsym(handle, "png_image_write_to_memory"));
  library.free = reinterpret_cast<decltype(library.free)>(::dlsym(handle, "png_image_free"));
  if (library.write_to_memory == nullptr || library.free == nullptr)
    return missing("no pictures are written by ");
  return library;
}

}  // namespace

Result<const PngLibrary*> PngLibrary::get() {
  static const Result<PngLibrary> library = open_library();
  if (!library) return library.error();
  return &*library;
}

}  // namespace gedge::cli
