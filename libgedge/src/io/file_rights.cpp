#include "gedge/io/file_rights.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "io/system_error.hpp"

namespace gedge {

Status check_only_owner_writes(const std::string& path) {
  struct stat file {};
  if (::stat(path.c_str(), &file) != 0) return system_error("cannot look at", path, errno);
  const bool is_ours = file.st_uid == ::geteuid() || file.st_uid == 0;
  const bool others = (file.st_mode & S_IWOTH) != 0, group = (file.st_mode & S_IWGRP) != 0;
  if (is_ours && !others && !group) return {};
  Error error{Errc::kDenied,
              others  ? "everybody may change this file, and it names programs to run"
              : group ? "a group may change this file, and it names programs to run"
                      : "this file is another user's, and it names programs to run",
              {},
              "make it yours alone: `chmod go-w " + path + "`"};
  error.where.origin = path;
  return error;
}

}  // namespace gedge
