// memory_io.hpp - a command's whole world in memory: files, two streams, a clock that stands still.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "app.hpp"
#include "io.hpp"

namespace gedge::test {

class MemoryFiles final : public FileStore {
 public:
  std::map<std::string, std::string> files;
  bool read_only = false;

  Result<std::string> read(const std::string& path, std::uint64_t max_bytes) override {
    const auto found = files.find(path);
    if (found == files.end())
      return Error{Errc::kNotFound, "cannot open " + path + ": no such file", {}, {}};
    if (found->second.size() > max_bytes) return invalid_input("larger than the limit");
    // Readers want room behind the text. Filled last: GCC 12 warns about moving a reserved copy.
    Result<std::string> bytes{std::string()};
    bytes->reserve(found->second.size() + 64);
    bytes->append(found->second);
    return bytes;
  }
  bool is_directory(const std::string& path) const override {
    const auto below = files.lower_bound(path + "/");
    return below != files.end() && below->first.starts_with(path + "/");
  }
  Result<std::vector<std::string>> list(const std::string& directory,
                                        bool recursive) const override {
    std::vector<std::string> paths;
    for (const auto& [path, bytes] : files)
      if (path.starts_with(directory + "/") &&
          (recursive || path.find('/', directory.size() + 1) == std::string::npos))
        paths.push_back(path);
    return paths;
  }
  Status replace(const std::string& path, std::string_view bytes) override {
    if (read_only)
      return Error{Errc::kDenied, "cannot write " + path + ": read-only file system", {}, {}};
    files[path] = bytes;
    return {};
  }
};

class StoppedClock final : public Clock {
 public:
  Micros now() const override { return Micros{0}; }
};

struct Outcome {
  cli::Exit exit;
  std::string out, err;
};

/// Runs the command in this process. `width` 0: both streams are pipes.
inline Outcome run_in_memory(const std::vector<std::string>& args, FileStore& files,
                             std::size_t width = 0) {
  cli::Stream out = cli::Stream::in_memory(width), err = cli::Stream::in_memory(width);
  const StoppedClock clock;
  cli::Io io{out, err, files, {}, clock, "gedge"};
  const cli::Exit exit = cli::run(args, io);
  return {exit, out.text(), err.text()};
}

}  // namespace gedge::test
