#include "begin_daemon.hpp"

#include <sys/prctl.h>

#include "freed_memory.hpp"

namespace gedge::cli {

void begin_daemon(Io& io) {
  io.err.lose_late();
  ::prctl(PR_SET_DUMPABLE, 0);
  return_freed_memory();
}

}  // namespace gedge::cli
