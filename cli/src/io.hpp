// io.hpp - everything a command may touch. Tests put their own things in.
#pragma once

#include <chrono>
#include <functional>
#include <string>

#include "gedge/port/files.hpp"
#include "term/stream.hpp"

namespace gedge::cli {

struct Io {
  Stream& out;  ///< the answer
  Stream& err;  ///< everything else
  FileStore& files;
  ColorEnvironment environment;
  std::function<std::chrono::milliseconds()> now;  ///< for the progress line only
  std::string program = "gedge";                   ///< what users type to get here
};

}  // namespace gedge::cli
