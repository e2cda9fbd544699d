// io.hpp - everything a command may touch. Tests put their own things in.
#pragma once

#include <string>

#include "gedge/port/clock.hpp"
#include "gedge/port/files.hpp"
#include "term/stream.hpp"

namespace gedge::cli {

struct Io {
  Stream& out;  ///< the answer
  Stream& err;  ///< everything else
  FileStore& files;
  ColorEnvironment environment;
  const Clock& clock;             ///< for the progress line only
  std::string program = "gedge";  ///< what users type to get here
};

}  // namespace gedge::cli
