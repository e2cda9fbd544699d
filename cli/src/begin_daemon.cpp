#include "begin_daemon.hpp"

#include <sys/prctl.h>

namespace gedge::cli {

void begin_daemon(Io& io) {
  io.err.lose_late();
  ::prctl(PR_SET_DUMPABLE, 0);
}

}  // namespace gedge::cli
