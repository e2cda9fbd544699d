#include <fcntl.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>

#include "gedge/io/files.hpp"
#include "io/descriptor.hpp"
#include "io/system_error.hpp"

namespace gedge {
namespace {

namespace fs = std::filesystem;

// Removes the half-written file unless it has become the real one.
class Temporary {
 public:
  explicit Temporary(const std::string& path)
      : name_(path + ".XXXXXX"), file_(::mkostemp(name_.data(), O_CLOEXEC)) {}
  Temporary(const Temporary&) = delete;
  Temporary& operator=(const Temporary&) = delete;
  ~Temporary() {
    if (!kept_ && created()) ::unlink(name_.c_str());
  }

  bool created() const { return created_; }
  int get() const { return file_.get(); }
  bool close() { return file_.close(); }
  bool rename_to(const std::string& path) {
    return kept_ = std::rename(name_.c_str(), path.c_str()) == 0;
  }

 private:
  std::string name_;
  Descriptor file_;
  bool created_ = static_cast<bool>(file_);
  bool kept_ = false;
};

bool write_all(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t wrote = ::write(fd, bytes.data(), bytes.size());
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote < 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(wrote));
  }
  return true;
}

// The new file gets the permissions of the one it replaces, else what the umask leaves of
// rw-rw-rw-.
bool take_permissions(int fd, const std::string& path) {
  constexpr mode_t kDefault = 0666;
  struct stat old {};
  if (::stat(path.c_str(), &old) == 0) return ::fchmod(fd, old.st_mode & 07777) == 0;
  const mode_t mask = ::umask(0);
  ::umask(mask);
  return ::fchmod(fd, kDefault & ~mask) == 0;
}

// A rename is only durable once its directory is.
void flush_directory(const std::string& path) {
  const fs::path parent = fs::path(path).parent_path();
  const Descriptor folder(
      ::open(parent.empty() ? "." : parent.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (folder) static_cast<void>(::fsync(folder.get()));
}

Error refused(const std::string& path, int error_number) {
  Error error = system_error("cannot write", path, error_number);
  if (error_number == ENOENT)
    error = {Errc::kNotFound,
             "cannot write " + path + ": no such directory",
             {},
             "make it with `mkdir -p " + fs::path(path).parent_path().string() + "`"};
  return error;
}

// A device or a pipe (/dev/stdout, /dev/null) cannot be replaced; it is written to.
Status write_through(const std::string& path, std::string_view bytes) {
  Descriptor file(::open(path.c_str(), O_WRONLY | O_CLOEXEC | O_NOCTTY));
  if (!file || !write_all(file.get(), bytes) || !file.close()) return refused(path, errno);
  return {};
}

}  // namespace

Status DiskFiles::replace(const std::string& path, std::string_view bytes) {
  std::string target = path;
  std::error_code code;
  if (fs::is_directory(target, code)) return refused(path, EISDIR);
  if (fs::exists(target, code) && !fs::is_regular_file(target, code))
    return write_through(path, bytes);
  // A link stays a link: what it points to is replaced.
  if (const fs::path real = fs::canonical(target, code); !code) target = real.string();

  Temporary temporary(target);
  if (!temporary.created()) return refused(path, errno);
  const bool written = take_permissions(temporary.get(), target) &&
                       write_all(temporary.get(), bytes) && ::fsync(temporary.get()) == 0 &&
                       temporary.close() && temporary.rename_to(target);
  if (!written) return refused(path, errno);
  flush_directory(target);
  return {};
}

}  // namespace gedge
