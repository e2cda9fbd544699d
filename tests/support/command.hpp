// support/command.hpp - runs a program, the real gedge above all, with pipes or pseudo terminals,
// and says what came out.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace gedge::test {

struct RunOptions {
  std::string input = {};   ///< standard input
  bool hold_input = false;  ///< it is a pipe, filled when the first byte of output arrives
  std::filesystem::path folder = {};                    ///< where it runs; empty: here
  std::map<std::string, std::string> environment = {};  ///< beyond PATH; nothing else is inherited
  unsigned short out_columns = 0, err_columns = 0;      ///< width of a pseudo terminal; 0: a pipe
  bool close_out = false;      ///< the reader of standard output leaves at once
  std::string out_file = {};   ///< opened as standard output instead
  bool no_out = false;         ///< descriptor 1 is not open at all
  int signal_after_start = 0;  ///< sent when the first byte of output arrives; no input then
};

struct Ran {
  int exit = -1;  ///< the exit code, or 1000 + the signal that ended it
  std::string out, err;
};

Ran run_program(const std::filesystem::path& program, const std::vector<std::string>& args,
                const RunOptions& options = {});

std::string read_file(const std::filesystem::path& path);

}  // namespace gedge::test
