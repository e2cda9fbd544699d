#include "io/small_file.hpp"

#include <fcntl.h>

#include <array>
#include <cerrno>

#include "io/descriptor.hpp"

namespace gedge {

std::optional<std::string> read_small_file(const std::string& path, std::size_t max_bytes) {
  constexpr std::size_t kStep = 4096;
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY));
  if (!file) return std::nullopt;
  std::string bytes;
  std::array<char, kStep> step{};
  for (;;) {
    const ssize_t got = ::read(file.get(), step.data(), step.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return std::nullopt;
    if (got == 0) return bytes;
    bytes.append(step.data(), static_cast<std::size_t>(got));
    if (bytes.size() > max_bytes) return errno = EFBIG, std::nullopt;
  }
}

}  // namespace gedge
