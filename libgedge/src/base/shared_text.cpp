#include "gedge/base/shared_text.hpp"

#include <ostream>

namespace gedge {

const std::string& SharedText::nothing() {
  static const std::string empty;
  return empty;
}

std::ostream& operator<<(std::ostream& out, const SharedText& text) { return out << text.str(); }

}  // namespace gedge
