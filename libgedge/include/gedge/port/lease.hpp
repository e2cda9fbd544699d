// gedge/port/lease.hpp - a Lease of coordination.k8s.io: who leads, as far as it is known.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "gedge/base/units.hpp"

namespace gedge {

/// How far somebody has heard of each kind: the version of the last change, by path. What comes
/// after it is newer.
using HeardVersions = std::map<std::string, std::string>;

struct Lease {
  std::string holder;  ///< empty: nobody; ASCII that can be printed, of 256 bytes at most
  std::int64_t duration_seconds = 0;
  UnixSeconds acquired = kNever, renewed = kNever;  ///< for people: nothing is decided by them
  std::int64_t transitions = 0;
  /// `transitions` when a holder last gave it away; -1: none did, or it did not say.
  std::int64_t given_away = -1;
  std::string version;  ///< resourceVersion; empty: there is no such object yet
  /// Of one that was given away: what its holder had heard, by when it had been told of its own
  /// binds and evictions. Empty: it does not say.
  HeardVersions heard;
};

}  // namespace gedge
