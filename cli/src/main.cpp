// main.cpp - `gedge --version` answers at once. Everything else lies in a library beside this
// program: loading that of C++ and those of the parsers takes three times as long as an empty
// program runs.
#include <dlfcn.h>
#include <signal.h>

#include <cstdio>
#include <cstring>

int main(int argc, char** argv) {
  signal(SIGPIPE, SIG_IGN);
  if (argc == 2 && std::strcmp(argv[1], "--version") == 0 &&
      std::puts("gedge " GEDGE_VERSION) >= 0 && std::fflush(stdout) == 0)
    return 0;

  using Command = int (*)(int, char**);
  void* library = dlopen(GEDGE_COMMAND_LIBRARY, RTLD_NOW);
  void* symbol = library != nullptr ? dlsym(library, "gedge_command") : nullptr;
  if (symbol == nullptr) {
    std::fprintf(stderr, "gedge: error: the installation is incomplete: %s\n", dlerror());
    return 70;
  }
  return reinterpret_cast<Command>(symbol)(argc, argv);
}
