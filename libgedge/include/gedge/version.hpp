// gedge/version.hpp - which libgedge this is.
#pragma once

#include <string_view>

namespace gedge {

/// "MAJOR.MINOR.PATCH" of the library that is linked, not of the headers.
std::string_view version() noexcept;

}  // namespace gedge
