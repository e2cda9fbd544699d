// io/changing_file.hpp - whether a file is another one than when it was last looked at.
#pragma once

#include <sys/stat.h>

#include <array>
#include <cstdint>
#include <ctime>
#include <string>
#include <utility>

namespace gedge {

/// Links are followed: a mounted Secret changes by changing where one leads.
class ChangingFile {
 public:
  explicit ChangingFile(std::string path) : path_(std::move(path)) {}

  const std::string& path() const { return path_; }
  /// True the first time, and whenever the file has changed, come or gone since the last time.
  bool changed() {
    const Stamp stamp = look();
    return std::exchange(stamp_, stamp) != stamp;
  }

 private:
  using Stamp = std::array<std::uint64_t, 6>;

  Stamp look() const {
    struct stat file {};
    if (::stat(path_.c_str(), &file) != 0) return {};
    return {1,
            file.st_dev,
            file.st_ino,
            static_cast<std::uint64_t>(file.st_size),
            nanos_of(file.st_mtim),
            nanos_of(file.st_ctim)};
  }
  static std::uint64_t nanos_of(const timespec& time) {
    return static_cast<std::uint64_t>(time.tv_sec) * 1'000'000'000 +
           static_cast<std::uint64_t>(time.tv_nsec);
  }

  std::string path_;
  Stamp stamp_{2};  // of no file
};

}  // namespace gedge
