// io/small_file.hpp - files of /proc, /sys and the like: short, and without a size.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

namespace gedge {

/// Nothing, and errno, where it cannot be read; EFBIG where it is longer.
std::optional<std::string> read_small_file(const std::string& path, std::size_t max_bytes);

}  // namespace gedge
