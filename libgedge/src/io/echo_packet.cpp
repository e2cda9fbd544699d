#include "io/echo_packet.hpp"

#include <linux/icmp.h>
#include <netinet/icmp6.h>
#include <netinet/in.h>

#include <array>
#include <cstring>

namespace gedge {
namespace {

constexpr std::size_t kEchoHeader = 8;  // type, code, checksum, identifier, sequence
constexpr std::size_t kLeastIpHeader = 20;

// The one's complement sum of RFC 1071, unfolded; an odd last byte counts as if a zero followed.
std::uint32_t sum_words(std::span<const std::uint8_t> bytes) {
  std::uint64_t sum = 0;
  std::size_t i = 0;
  for (; i + 4 <= bytes.size(); i += 4) {
    std::uint32_t word = 0;
    std::memcpy(&word, bytes.data() + i, sizeof word);
    sum += word;
  }
  std::array<std::uint8_t, 4> rest{};
  for (std::size_t k = 0; i + k < bytes.size(); ++k) rest[k] = bytes[i + k];
  std::uint32_t word = 0;
  std::memcpy(&word, rest.data(), sizeof word);
  sum += word;
  while (sum >> 16 != 0) sum = (sum & 0xffff) + (sum >> 16);
  return static_cast<std::uint32_t>(sum);
}

void put16(std::span<std::uint8_t> bytes, std::size_t at, std::uint16_t value) {
  std::memcpy(bytes.data() + at, &value, sizeof value);
}

std::uint16_t get16(std::span<const std::uint8_t> bytes, std::size_t at) {
  std::uint16_t value = 0;
  std::memcpy(&value, bytes.data() + at, sizeof value);
  return value;
}

}  // namespace

void write_question(const EchoForm& form, std::span<std::uint8_t> packet,
                    const ProbePayload& payload, std::uint16_t sequence) {
  const std::size_t header = form.header_size();
  write_payload(packet.data() + header, payload);
  if (header == 0) return;
  packet[0] = form.v6 ? ICMP6_ECHO_REQUEST : ICMP_ECHO;
  packet[1] = 0;
  put16(packet, 4, form.ident);
  put16(packet, 6, htons(sequence));
  put16(packet, 2, 0);
  // Of IPv6 the sum covers addresses that only the kernel knows; it fills it in.
  if (!form.v6) put16(packet, 2, static_cast<std::uint16_t>(~sum_words(packet)));
}

std::optional<ProbePayload> read_answer(const EchoForm& form,
                                        std::span<const std::uint8_t> packet) {
  if (form.method == ProbeMethod::kIcmp) {
    if (form.raw && !form.v6) {
      const std::size_t ip_header = packet.empty() ? 0 : std::size_t{4} * (packet[0] & 15U);
      if (ip_header < kLeastIpHeader || packet.size() < ip_header) return std::nullopt;
      packet = packet.subspan(ip_header);
    }
    if (packet.size() < kEchoHeader) return std::nullopt;
    if (packet[0] != (form.v6 ? ICMP6_ECHO_REPLY : ICMP_ECHOREPLY)) return std::nullopt;
    if (form.raw && get16(packet, 4) != form.ident) return std::nullopt;
    packet = packet.subspan(kEchoHeader);
  }
  if (packet.size() < kLeastProbeSize) return std::nullopt;
  const ProbePayload payload = read_payload(packet.data());
  const std::uint32_t mark = form.method == ProbeMethod::kUdp ? kAnswerMark : kQuestionMark;
  if (payload.mark != mark) return std::nullopt;
  return payload;
}

}  // namespace gedge
