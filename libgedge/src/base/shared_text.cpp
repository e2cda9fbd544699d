#include "gedge/base/shared_text.hpp"

#include <ostream>

namespace gedge {

std::ostream& operator<<(std::ostream& out, const SharedText& text) { return out << text.str(); }

}  // namespace gedge
