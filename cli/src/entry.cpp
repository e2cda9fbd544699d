// entry.cpp - the one symbol of the library that main.cpp opens.
#include "app.hpp"

extern "C" __attribute__((visibility("default"))) int gedge_command(int argc, char** argv) {
  return static_cast<int>(gedge::cli::run_process(argc, argv));
}
