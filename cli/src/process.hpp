// process.hpp - what every run of the program begins and ends with, whatever it is asked.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "exit.hpp"
#include "io.hpp"

namespace gedge::cli {

/// What is asked: the words behind the program's name.
using Body = std::function<Exit(const std::vector<std::string>& words, Io& io)>;

/// Sets up the streams and signals of this process, calls `body`, and reports what could not be
/// written. Without network.
Exit in_process(int argc, char** argv, const Body& body);

/// Colour is settled before anything can go wrong; a bad value is reported by whoever parses.
void settle_color(const std::vector<std::string>& words, Io& io);

/// What `body` throws is told as lack of memory, or as a bug.
Exit guarded(Io& io, const std::function<Exit()>& body);

}  // namespace gedge::cli
