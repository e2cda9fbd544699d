#include <dlfcn.h>

#include <string>

#include "agent_command.hpp"
#include "report.hpp"

namespace gedge::cli {

Exit run_agent_library(const AgentCommand& command, const IpAddress& listen, Io& io) {
  void* const library = ::dlopen(kAgentLibrary, RTLD_NOW | RTLD_LOCAL);
  void* const symbol = library == nullptr ? nullptr : ::dlsym(library, kRunAgent);
  if (symbol == nullptr)
    return fail(
        io,
        {Errc::kInternal, std::string("the installation is incomplete: ") + ::dlerror(), {}, {}});
  return static_cast<Exit>(reinterpret_cast<RunAgent>(symbol)(command, listen, io));
}

}  // namespace gedge::cli
