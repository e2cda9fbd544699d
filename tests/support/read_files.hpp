// support/read_files.hpp - files as they are, and the round-trip times in them.
#pragma once

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "gedge/codec/latency.hpp"

namespace gedge::test {

inline std::string slurp(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

/// Everything in a folder, by name.
inline std::vector<std::filesystem::path> files_of(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> paths;
  for (const auto& entry : std::filesystem::directory_iterator(folder))
    paths.push_back(entry.path());
  std::sort(paths.begin(), paths.end());
  return paths;
}

/// Files with their texts.
struct ReadFiles {
  explicit ReadFiles(const std::vector<std::filesystem::path>& paths) {
    for (const std::filesystem::path& path : paths) {
      names.push_back(path.string());
      texts.push_back(slurp(path));
    }
  }
  /// All of them as one source; as long as this lives.
  RttSource source() const {
    RttSource files;
    for (std::size_t i = 0; i < names.size(); ++i) files.push_back({names[i], texts[i]});
    return files;
  }

  std::vector<std::string> names, texts;
};

inline RttReading read_rtt_files(const std::vector<std::filesystem::path>& paths,
                                 const RttOptions& options) {
  const ReadFiles files(paths);
  return read_rtt({files.source()}, options);
}

}  // namespace gedge::test
