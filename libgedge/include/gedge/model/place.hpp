// gedge/model/place.hpp - where a fact was read: 12 bytes, turned into a SourceSpan only when
// somebody is told.
#pragma once

#include <cstdint>

namespace gedge {

/// `file` indexes Facts::files; line and column start at 1; line 0: the fact was made up, not read.
struct Place {
  std::uint32_t file = 0;
  std::uint32_t line = 0;
  std::uint32_t column = 0;
  friend auto operator<=>(const Place&, const Place&) = default;
};

}  // namespace gedge
