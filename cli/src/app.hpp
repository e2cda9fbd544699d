// app.hpp - the whole program as a function: words in, exit code out.
#pragma once

#include <string>
#include <vector>

#include "exit.hpp"
#include "io.hpp"

namespace gedge::cli {

/// `args` without the program's name.
Exit run(const std::vector<std::string>& args, Io& io);

/// Sets up the streams and signals of this process, runs, and reports what could not be written.
Exit run_process(int argc, char** argv);

}  // namespace gedge::cli
