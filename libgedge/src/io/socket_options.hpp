// io/socket_options.hpp - what every connection to an API server has set.
#pragma once

namespace gedge {

/// A peer that does not confirm what was sent is gone; it is asked after some seconds of silence.
void notice_dead_peers(int socket);

}  // namespace gedge
