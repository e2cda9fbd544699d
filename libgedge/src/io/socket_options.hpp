// io/socket_options.hpp - what every connection to an API server has set.
#pragma once

#include "gedge/base/nanos.hpp"
#include "gedge/io/api_client.hpp"
#include "gedge/port/api_transport.hpp"

namespace gedge {

/// A peer that does not confirm within that time what was sent is gone; it is asked after some
/// seconds of silence.
void notice_dead_peers(int socket, Nanos unconfirmed);
/// How long that is on a connection of `lane`.
Nanos unconfirmed_on(ApiLane lane, const ApiLimits& limits);

}  // namespace gedge
