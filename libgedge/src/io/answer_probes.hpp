// io/answer_probes.hpp - sends the UDP probes that came to a socket back.
#pragma once

#include <cstddef>

#include "io/packet_batch.hpp"

namespace gedge {

/// Questions of gedge only, with the bytes that they came with; nothing else is answered, answers
/// least of all. `batches` bounds how often the socket is asked for more. How many were answered.
std::size_t answer_probes(int fd, PacketBatch& room, std::size_t batches);

}  // namespace gedge
