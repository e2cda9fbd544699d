#include <doctest/doctest.h>

#include <string>
#include <utility>

#include "gedge/codec/manifests.hpp"

namespace gedge {

TEST_CASE("unit file: the program is one word to systemd, whatever its path has in it") {
  for (const auto& [path, word] : {std::pair("/usr/local/bin/gedge", "/usr/local/bin/gedge"),
                                   {"/opt/our tools/gedge", "\"/opt/our tools/gedge\""},
                                   {"/opt/%i/$HOME/gedge", "\"/opt/%%i/$$HOME/gedge\""},
                                   {"/opt/\"a\\/gedge", "\"/opt/\\\"a\\\\/gedge\""}}) {
    const std::string unit = write_unit(InstallMode::kScheduler, path);
    CHECK(unit.find("\nExecStart=" + std::string(word) + " schedule --watch ") !=
          std::string::npos);
  }
}

}  // namespace gedge
