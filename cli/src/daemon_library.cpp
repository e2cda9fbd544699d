#include "daemon_library.hpp"

#include <dlfcn.h>

#include <string>

#include "report.hpp"

namespace gedge::cli {

void* daemon_symbol(const char* name, Io& io) {
  void* const library = ::dlopen(kDaemonLibrary, RTLD_NOW | RTLD_LOCAL);
  void* const symbol = library == nullptr ? nullptr : ::dlsym(library, name);
  if (symbol == nullptr)
    static_cast<void>(fail(
        io,
        {Errc::kInternal, std::string("the installation is incomplete: ") + ::dlerror(), {}, {}}));
  return symbol;
}

}  // namespace gedge::cli
