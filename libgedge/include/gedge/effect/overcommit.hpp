// gedge/effect/overcommit.hpp - a node whose pods ask for more than it has.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "gedge/base/shared_text.hpp"

namespace gedge {

/// Of one resource: thousandths of a core, bytes, or pieces.
struct TooMuch {
  SharedText resource;
  std::int64_t requested = 0, allocatable = 0;
};

struct Overcommit {
  SharedText node;
  std::vector<TooMuch> amounts;  ///< at least one
};

/// "4200m of 4 cpu, 12 of 10 pods"
std::string to_string(const std::vector<TooMuch>& amounts);

}  // namespace gedge
