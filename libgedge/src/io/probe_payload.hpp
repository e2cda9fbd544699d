// io/probe_payload.hpp - what stands behind the header of a probe: a mark, the target, the cookie.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "gedge/latency/prober.hpp"
#include "gedge/port/probe_network.hpp"

namespace gedge {

/// The mark of a question and that of an answer differ, so that two who send datagrams back never
/// play ping-pong with one of a forged sender.
inline constexpr std::uint32_t kQuestionMark = 0x67646731;  // "gdg1"
inline constexpr std::uint32_t kAnswerMark = 0x67646732;

struct ProbePayload {
  std::uint32_t mark = kQuestionMark;
  std::uint32_t target = 0;
  std::uint64_t cookie = 0;
};
static_assert(sizeof(ProbePayload) == kLeastProbeSize);

/// In the byte order of this machine: whoever wrote it reads it again. Only the mark is for others,
/// and they send it back as it came or not at all.
inline void write_payload(std::uint8_t* bytes, const ProbePayload& payload) {
  std::memcpy(bytes, &payload, sizeof payload);
}

/// `bytes` must hold kLeastProbeSize.
inline ProbePayload read_payload(const std::uint8_t* bytes) {
  ProbePayload payload;
  std::memcpy(&payload, bytes, sizeof payload);
  return payload;
}

}  // namespace gedge
