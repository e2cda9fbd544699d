// gedge/io/files.hpp - the files of this machine.
#pragma once

#include "gedge/port/files.hpp"

namespace gedge {

/// FileStore over the file system and descriptor 0. Not for two threads at once.
class DiskFiles final : public FileStore {
 public:
  Result<std::string> read(const std::string& path, std::uint64_t max_bytes) override;
  bool is_directory(const std::string& path) const override;
  Result<std::vector<std::string>> list(const std::string& directory,
                                        bool recursive) const override;
  Status replace(const std::string& path, std::string_view bytes) override;

 private:
  bool stdin_read_ = false;
};

}  // namespace gedge
