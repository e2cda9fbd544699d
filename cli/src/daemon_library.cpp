#include "daemon_library.hpp"

#include <dlfcn.h>

#include <string>

#include "report.hpp"

namespace gedge::cli {

Result<void*> find_daemon_symbol(const char* name) {
  void* const library = ::dlopen(kDaemonLibrary, RTLD_NOW | RTLD_LOCAL);
  void* const symbol = library == nullptr ? nullptr : ::dlsym(library, name);
  if (symbol != nullptr) return symbol;
  return Error{
      Errc::kInternal, std::string("the installation is incomplete: ") + ::dlerror(), {}, {}};
}

void* daemon_symbol(const char* name, Io& io) {
  const auto symbol = find_daemon_symbol(name);
  if (symbol) return *symbol;
  static_cast<void>(fail(io, symbol.error()));
  return nullptr;
}

}  // namespace gedge::cli
