#include "freed_memory.hpp"

#include <doctest/doctest.h>

#include <cstddef>
#include <fstream>
#include <sstream>
#include <string>

namespace gedge::cli {
namespace {

/// KiB of this process that are code; 0: the system does not say.
std::size_t held_code() {
  std::ifstream maps("/proc/self/smaps");
  std::size_t all = 0;
  bool counts = false;
  for (std::string line; std::getline(maps, line);) {
    std::istringstream words(line);
    std::string first, second, offset, device, inode, file;
    words >> first >> second;
    if (first.find('-') != std::string::npos) {
      words >> offset >> device >> inode >> file;
      counts = second == "r-xp" && file.starts_with('/');
    } else if (counts && first == "Rss:") {
      all += std::stoul(second);
    }
  }
  return all;
}

TEST_CASE("freed memory: code that is let go of takes no memory until it is used again") {
  const std::size_t before = held_code();
  if (before == 0) {
    MESSAGE("skipped: this system does not say what of a file is in memory");
    return;
  }
  let_go_of_code();
  const std::size_t after = held_code();
  CHECK(after > 0);
  CHECK(after < before - before / 4);
}

}  // namespace
}  // namespace gedge::cli
