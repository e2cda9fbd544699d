// host/module_file.cpp - who may write to the file, and its bytes.
#include "host/module_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <system_error>
#include <utility>

namespace gedge {
namespace {

namespace fs = std::filesystem;

std::string words_of(int error_number) {
  if (error_number == ENOENT) return "no such file";
  std::string text = std::generic_category().message(error_number);
  if (!text.empty() && text[0] >= 'A' && text[0] <= 'Z')
    text[0] = static_cast<char>(text[0] - 'A' + 'a');
  return text;
}

// Everybody may replace what lies in a folder that everybody may write to; a sticky folder keeps
// the files of one user from the others.
Status check_folder(const fs::path& folder, const std::string& path) {
  struct stat facts {};
  if (::stat(folder.c_str(), &facts) != 0)
    return module_error(path, "cannot look at its folder: " + words_of(errno));
  if ((facts.st_mode & S_IWOTH) == 0 || (facts.st_mode & S_ISVTX) != 0) return {};
  return module_error(
      path, "everybody may replace this module: its folder " + folder.string() + " is open to all",
      "chmod o-w " + folder.string());
}

// Of a symbolic link both folders count: the one it lies in and the one it leads to.
Status check_folders(const std::string& path) {
  std::error_code code;
  const fs::path given(absolute_path(path));
  const fs::path target = fs::canonical(given, code);
  if (code) return module_error(path, "cannot open the module: " + words_of(code.value()));
  GEDGE_TRY(check_folder(given.parent_path(), path));
  return check_folder(target.parent_path(), path);
}

}  // namespace

Error module_error(const std::string& path, std::string what, std::string hint) {
  return invalid_input(std::move(what), {path, 0, 0, {}, 1}, std::move(hint));
}

std::string absolute_path(const std::string& path) {
  std::error_code code;
  const fs::path absolute = fs::absolute(path, code);
  return code ? path : absolute.string();
}

Result<ModuleFile> ModuleFile::open(const std::string& path) {
  // Non-blocking, or a FIFO would wait for a writer.
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (descriptor < 0) return module_error(path, "cannot open the module: " + words_of(errno));
  ModuleFile file(descriptor, 0);
  struct stat facts {};
  if (::fstat(descriptor, &facts) != 0)
    return module_error(path, "cannot look at the module: " + words_of(errno));
  if (!S_ISREG(facts.st_mode))
    return module_error(path, "a module is a file, and this is none",
                        "name the shared object itself");
  if ((facts.st_mode & S_IWOTH) != 0)
    return module_error(path, "everybody may write to this module", "chmod o-w " + path);
  GEDGE_TRY(check_folders(path));
  file.size_ = static_cast<std::uint64_t>(facts.st_size);
  return file;
}

ModuleFile::ModuleFile(ModuleFile&& other) noexcept
    : descriptor_(std::exchange(other.descriptor_, -1)), size_(other.size_) {}

ModuleFile::~ModuleFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

bool ModuleFile::read(std::uint64_t offset, void* out, std::size_t length) const {
  if (!holds(offset, length)) return false;
  auto* at = static_cast<char*>(out);
  while (length > 0) {
    const ssize_t got = ::pread(descriptor_, at, length, static_cast<off_t>(offset));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    at += got;
    offset += static_cast<std::uint64_t>(got);
    length -= static_cast<std::size_t>(got);
  }
  return true;
}

}  // namespace gedge
