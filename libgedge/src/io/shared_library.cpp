#include "io/shared_library.hpp"

#include <dlfcn.h>

namespace gedge {

SharedLibrary::SharedLibrary(const char* file, const char* package)
    : file_(file), package_(package), handle_(::dlopen(file, RTLD_NOW | RTLD_LOCAL)) {}

void* SharedLibrary::symbol(const char* name) {
  void* const found = handle_ == nullptr ? nullptr : ::dlsym(handle_, name);
  if (found == nullptr && missing_.empty()) missing_ = name;
  return found;
}

Error SharedLibrary::unusable(const std::string& why) const {
  return {Errc::kDenied, why, {}, "install it; on Debian: `apt-get install " + package_ + "`"};
}

Status SharedLibrary::check() const {
  if (handle_ == nullptr) return unusable("cannot open " + file_);
  if (missing_.empty()) return {};
  return unusable(file_ + " is too old: it has no " + missing_);
}

}  // namespace gedge
