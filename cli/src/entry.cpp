// entry.cpp - the one symbol of the library that main.cpp opens.
#include "app.hpp"
#include "freed_memory.hpp"

extern "C" __attribute__((visibility("default"))) int gedge_command(int argc, char** argv) {
  gedge::cli::keep_freed_memory();
  return static_cast<int>(gedge::cli::run_process(argc, argv));
}
