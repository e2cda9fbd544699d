// io/echo_packet.hpp - the bytes of a probe and of its answer, behind what the kernel takes care
// of.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "gedge/port/probe_network.hpp"
#include "io/probe_payload.hpp"

namespace gedge {

/// What packets of one socket look like.
struct EchoForm {
  ProbeMethod method = ProbeMethod::kIcmp;
  bool v6 = false;
  bool raw =
      false;  ///< the identifier is ours to choose and to check; IPv4 answers have IP headers
  std::uint16_t ident = 0;  ///< of raw sockets, as it lies in the packet

  /// Bytes in front of the payload that a question has.
  std::size_t header_size() const { return method == ProbeMethod::kIcmp ? 8 : 0; }
};

/// Writes header and payload; `packet` is the header and the size asked for, and holds an earlier
/// packet of this form or zeros. `sequence` is for people who watch packets.
void write_question(const EchoForm& form, std::span<std::uint8_t> packet,
                    const ProbePayload& payload, std::uint16_t sequence);

/// The payload of an answer to this socket; empty for anything else, whatever its bytes are.
std::optional<ProbePayload> read_answer(const EchoForm& form, std::span<const std::uint8_t> packet);

}  // namespace gedge
