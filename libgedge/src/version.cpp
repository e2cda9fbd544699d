#include "gedge/version.hpp"

namespace gedge {

std::string_view version() noexcept { return GEDGE_VERSION; }

}  // namespace gedge
