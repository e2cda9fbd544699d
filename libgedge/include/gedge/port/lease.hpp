// gedge/port/lease.hpp - a Lease of coordination.k8s.io: who leads, as far as it is known.
#pragma once

#include <cstdint>
#include <string>

#include "gedge/base/units.hpp"

namespace gedge {

struct Lease {
  std::string holder;  ///< empty: nobody
  std::int64_t duration_seconds = 0;
  UnixSeconds acquired = kNever, renewed = kNever;  ///< for people: nothing is decided by them
  std::int64_t transitions = 0;
  std::string version;  ///< resourceVersion; empty: there is no such object yet
};

}  // namespace gedge
