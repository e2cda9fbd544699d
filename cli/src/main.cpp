// main.cpp - `gedge --version`; the rest lies in libraries, as that of C++ takes long to load.
#include <dlfcn.h>
#include <signal.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>

using Command = int (*)(int, char**);
static Command find(const char* file, const char* name) {
  char self[4096] = {}, path[8192];
  if (readlink("/proc/self/exe", self, sizeof self - 1) > 0) *strrchr(self, '/') = '\0';
  const char* const folders[] = {"", GEDGE_LIBRARIES "/"};
  for (const char* const folder : folders) {
    std::snprintf(path, sizeof path, "%s/%s%s", self, folder, file);
    if (void* library = dlopen(path, RTLD_NOW))
      return reinterpret_cast<Command>(dlsym(library, name));
  }
  return nullptr;
}
int main(int argc, char** argv) {
  if (signal(SIGPIPE, [](int) {}) == SIG_IGN) signal(SIGPIPE, SIG_IGN);  // handlers end at exec
  if (argc == 2 && strcmp(argv[1], "--version") == 0)
    if (std::puts("gedge " GEDGE_VERSION) >= 0 && std::fflush(stdout) == 0) return 0;
  if (argc > 2 && strcmp(argv[1], "pin") == 0 && strcmp(argv[2], "run") == 0)
    if (const Command quick = find("gedge-quick.so", "gedge_pin_run"))
      if (const int status = quick(argc, argv); status >= 0) return status;
  if (const Command all = find("gedge-command.so", "gedge_command")) return all(argc, argv);
  return std::fprintf(stderr, "gedge: error: the installation is incomplete: %s\n", dlerror()), 70;
}
