// daemon_library.hpp - what runs for long or asks an API server lies in a library of its own, which
// is opened when it is asked for: servers and clients need the libraries of TLS, and loading those
// takes as long as many a command runs.
#pragma once

#include "exit.hpp"
#include "gedge/base/result.hpp"
#include "io.hpp"

namespace gedge::cli {

inline constexpr const char* kDaemonLibrary = "gedge-daemon.so";

/// What the library offers under a name. Errors: kInternal, where it or the name is not there.
Result<void*> find_daemon_symbol(const char* name);
/// The same; null after an error was printed.
void* daemon_symbol(const char* name, Io& io);

/// Calls it. `Function` is what it is: int(...), of which the last argument is `io`.
template <typename Function, typename... Arguments>
Exit run_in_daemon_library(const char* name, Io& io, Arguments&... arguments) {
  void* const symbol = daemon_symbol(name, io);
  if (symbol == nullptr) return Exit::kBug;
  return static_cast<Exit>(reinterpret_cast<Function>(symbol)(arguments..., io));
}

}  // namespace gedge::cli
