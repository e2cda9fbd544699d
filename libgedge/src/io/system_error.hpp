// io/system_error.hpp - an errno as an Error: the reason in words, the path, the file that was
// probably meant.
#pragma once

#include <string>

#include "gedge/base/error.hpp"

namespace gedge {

/// "connection refused": the system's words, without a capital.
std::string reason_of(int error_number);

/// "cannot open site.yml: no such file" and, where one exists, a hint with the most similar name
/// beside it.
Error system_error(const std::string& action, const std::string& path, int error_number);

}  // namespace gedge
