// begin_daemon.hpp - what every process that runs for long does first.
#pragma once

#include "io.hpp"

namespace gedge::cli {

/// Whoever reads its log, or does not, stops nothing. No core dump is made of it, and others of the
/// same user cannot read its memory: credentials lie there. Memory that is freed goes back to
/// the system.
void begin_daemon(Io& io);

}  // namespace gedge::cli
