// drive/backlog.hpp - when probes may expire although answers lie unread.
#pragma once

#include "gedge/base/nanos.hpp"

namespace gedge {

/// Probes expire at `now` once every answer that came before is handed in, which `all` says. But
/// somebody may send faster than anybody reads, without end: after a second of that they expire
/// all the same. `read_up_to` is kept for the next call; it begins with the present.
inline bool may_expire(bool all, Nanos now, Nanos& read_up_to) {
  constexpr Nanos kMost{1'000'000'000};
  if (all) read_up_to = now;
  return all || now - read_up_to > kMost;
}

}  // namespace gedge
