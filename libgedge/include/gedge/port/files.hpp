// gedge/port/files.hpp - files, directories and standard input, as an interface.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "gedge/base/result.hpp"

namespace gedge {

/// How messages name standard input.
inline constexpr std::string_view kStdinName = "<stdin>";

/// Reads are consistent or refused: a file that changes while it is read is an error, never a
/// mixture.
class FileStore {
 public:
  virtual ~FileStore() = default;

  /// The bytes of a file; "-" is standard input, which can be read once.
  /// Errors: kNotFound (the hint names the most similar file there), kDenied, kConflict (changed
  /// meanwhile, or standard input read twice), kInvalidInput (a directory, or more than
  /// `max_bytes`).
  virtual Result<std::string> read(const std::string& path, std::uint64_t max_bytes) = 0;

  virtual bool is_directory(const std::string& path) const = 0;

  /// Paths of the regular files in a directory, sorted bytewise; with `recursive` also those below
  /// it. Links to files are followed, links to directories are not. Errors: kNotFound, kDenied;
  /// kInvalidInput if it is no directory.
  virtual Result<std::vector<std::string>> list(const std::string& directory,
                                                bool recursive) const = 0;

  /// Puts `bytes` under `path`, whole or not at all: written beside it, flushed to disk, renamed.
  /// Errors: kDenied with the reason of the system (disk full, read-only, no permission); nothing
  /// is left behind.
  virtual Status replace(const std::string& path, std::string_view bytes) = 0;
};

}  // namespace gedge
