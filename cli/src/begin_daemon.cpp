#include "begin_daemon.hpp"

namespace gedge::cli {

void begin_daemon(Io& io) { io.err.lose_late(); }

}  // namespace gedge::cli
