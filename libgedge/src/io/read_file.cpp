#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <system_error>

#include "gedge/base/nearest.hpp"
#include "gedge/io/files.hpp"
#include "io/descriptor.hpp"
#include "io/system_error.hpp"

namespace gedge {
namespace {

namespace fs = std::filesystem;

// Parsers that read in large steps may look a little past the end: room for that without a copy.
constexpr std::size_t kSlack = 64;
// A step is zeroed before it is read into, and stays in the processor's cache between the two.
constexpr std::size_t kStep = std::size_t{1} << 18;

SourceSpan whole_file(const std::string& name) {
  SourceSpan span;
  span.origin = name;
  return span;
}

Error too_large(const std::string& name, std::uint64_t max_bytes) {
  return invalid_input("larger than the limit of " + std::to_string(max_bytes) + " bytes",
                       whole_file(name), "raise the limit with `--max-input`");
}

bool same_file_state(const struct stat& a, const struct stat& b) {
  return a.st_size == b.st_size && a.st_mtim.tv_sec == b.st_mtim.tv_sec &&
         a.st_mtim.tv_nsec == b.st_mtim.tv_nsec;
}

// Asks for large pages where the system has them: a file of 300 MB would otherwise fault 75,000
// times. Where it has none, nothing is lost.
void prefer_large_pages(std::string& bytes) {
  constexpr std::size_t kWorthIt = std::size_t{8} << 20, kPage = 4096;
  if (bytes.capacity() < kWorthIt) return;
  const auto begin = reinterpret_cast<std::uintptr_t>(bytes.data());
  const std::uintptr_t first = (begin + kPage - 1) / kPage * kPage;
  const std::uintptr_t last = (begin + bytes.capacity()) / kPage * kPage;
  ::madvise(reinterpret_cast<void*>(first), last - first, MADV_HUGEPAGE);
}

// Reads until the end, one byte past `max_bytes` at most. Errno is set where it returns false.
bool read_to_end(int fd, std::uint64_t max_bytes, std::size_t expected, std::string& bytes) {
  std::size_t used = 0;
  bytes.reserve((expected > 0 ? expected + 1 : kStep) + kSlack);
  prefer_large_pages(bytes);
  for (;;) {
    const std::size_t room = bytes.capacity() - kSlack;
    bytes.resize(used < room ? std::min(used + kStep, room) : used + kStep);
    const ssize_t got = ::read(fd, bytes.data() + used, bytes.size() - used);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return false;
    used += static_cast<std::size_t>(got);
    if (got == 0 || used > max_bytes) break;
  }
  bytes.resize(used);
  bytes.reserve(used + kSlack);
  return true;
}

Result<std::string> read_descriptor(int fd, const std::string& name, std::uint64_t max_bytes) {
  struct stat before {};
  if (::fstat(fd, &before) != 0) return system_error("cannot read", name, errno);
  if (S_ISDIR(before.st_mode)) return system_error("cannot read", name, EISDIR);
  const bool regular = S_ISREG(before.st_mode);
  const auto size = regular ? static_cast<std::uint64_t>(before.st_size) : 0;
  if (size > max_bytes) return too_large(name, max_bytes);

  std::string bytes;
  if (!read_to_end(fd, max_bytes, static_cast<std::size_t>(size), bytes))
    return system_error("cannot read", name, errno);
  if (bytes.size() > max_bytes) return too_large(name, max_bytes);
  struct stat after {};
  if (regular && (::fstat(fd, &after) != 0 || !same_file_state(before, after)))
    return Error{Errc::kConflict, "changed while it was read", whole_file(name),
                 "run the command again"};
  return bytes;
}

}  // namespace

Result<std::string> DiskFiles::read(const std::string& path, std::uint64_t max_bytes) {
  if (path == "-") {
    if (stdin_read_)
      return Error{Errc::kConflict, "standard input was already read",
                   whole_file(std::string(kStdinName)), "give '-' once"};
    stdin_read_ = true;
    return read_descriptor(STDIN_FILENO, std::string(kStdinName), max_bytes);
  }
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY));
  if (!file) return system_error("cannot open", path, errno);
  return read_descriptor(file.get(), path, max_bytes);
}

bool DiskFiles::is_directory(const std::string& path) const {
  std::error_code ignored;
  return fs::is_directory(path, ignored);
}

Result<std::vector<std::string>> DiskFiles::list(const std::string& directory,
                                                 bool recursive) const {
  std::vector<std::string> paths, open{directory};
  while (!open.empty()) {
    const std::string folder = std::move(open.back());
    open.pop_back();
    std::error_code code;
    for (auto entry = fs::directory_iterator(folder, code); !code && entry != fs::end(entry);
         entry.increment(code)) {
      std::error_code ignored;
      const bool link = entry->is_symlink(ignored);
      if (entry->is_directory(ignored)) {
        if (recursive && !link) open.push_back(entry->path().string());
      } else if (entry->is_regular_file(ignored)) {
        paths.push_back(entry->path().string());
      }
    }
    if (code) return system_error("cannot list", folder, code.value());
  }
  std::sort(paths.begin(), paths.end());
  return paths;
}

}  // namespace gedge
