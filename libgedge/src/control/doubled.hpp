// control/doubled.hpp - times that grow from try to try.
#pragma once

#include <algorithm>
#include <cstdint>

#include "gedge/base/nanos.hpp"

namespace gedge {

/// first * 2^times, at most `most`.
inline Nanos doubled(Nanos first, std::uint32_t times, Nanos most) {
  Nanos span = first;
  for (std::uint32_t i = 0; i < times && span < most; ++i) span *= 2;
  return std::min(span, most);
}

}  // namespace gedge
