#include "io/echo_packet.hpp"

#include <doctest/doctest.h>
#include <netinet/in.h>

#include <cstddef>
#include <iterator>
#include <vector>

#include "support/dice.hpp"

using gedge::EchoForm;
using gedge::kAnswerMark;
using gedge::kQuestionMark;
using gedge::ProbeMethod;
using gedge::read_answer;
using gedge::write_question;

namespace {

using Bytes = std::vector<std::uint8_t>;

const std::vector<EchoForm> kForms{
    {ProbeMethod::kIcmp, false, false, 0}, {ProbeMethod::kIcmp, false, true, 0x1234},
    {ProbeMethod::kIcmp, true, false, 0},  {ProbeMethod::kIcmp, true, true, 0x1234},
    {ProbeMethod::kUdp, false, false, 0},  {ProbeMethod::kUdp, true, false, 0},
};

Bytes question(const EchoForm& form, std::size_t size) {
  Bytes packet(form.header_size() + size);
  write_question(form, packet, {kQuestionMark, 7, 0x0123456789abcdef}, 5);
  return packet;
}

// What the other end makes of a question.
Bytes answer(const EchoForm& form, std::size_t size) {
  Bytes packet = question(form, size);
  if (form.method == ProbeMethod::kUdp)
    gedge::write_payload(packet.data(), {kAnswerMark, 7, 0x0123456789abcdef});
  else
    packet[0] = form.v6 ? 129 : 0;
  if (!form.raw || form.v6) return packet;
  Bytes with_header(20);
  with_header[0] = 0x45;
  with_header.insert(with_header.end(), packet.begin(), packet.end());
  return with_header;
}

// RFC 1071: with its checksum in place, a message sums up to all ones.
std::uint32_t sum_of(const Bytes& packet) {
  std::uint32_t sum = 0;
  for (std::size_t i = 0; i < packet.size(); i += 2) {
    sum += packet[i] * 256U + (i + 1 < packet.size() ? packet[i + 1] : 0U);
    sum = (sum & 0xffff) + (sum >> 16);
  }
  return sum;
}

}  // namespace

TEST_CASE("echo packet: the checksum of IPv4 holds for every size, even and odd") {
  for (std::size_t size = gedge::kLeastProbeSize; size < 300; ++size)
    CHECK(sum_of(question(kForms[1], size)) == 0xffff);
}

TEST_CASE("echo packet: target and cookie come back with an answer, and with nothing else") {
  for (const EchoForm& form : kForms) {
    const auto payload = read_answer(form, answer(form, 56));
    REQUIRE(payload);
    CHECK(payload->target == 7);
    CHECK(payload->cookie == 0x0123456789abcdef);
    CHECK_FALSE(read_answer(form, question(form, 56)));
  }
}

TEST_CASE("echo packet: answers to another raw socket are not ours") {
  for (const std::size_t which : {1U, 3U}) {
    EchoForm other = kForms[which];
    other.ident = 0x4321;
    CHECK_FALSE(read_answer(other, answer(kForms[which], 56)));
  }
}

TEST_CASE("echo packet: whatever arrives, cut or damaged, is read inside its bytes") {
  gedge::test::Dice dice(9);
  for (const EchoForm& form : kForms) {
    const Bytes whole = answer(form, gedge::kLeastProbeSize);
    for (std::size_t size = 0; size < whole.size(); ++size)
      CHECK_FALSE(read_answer(
          form, Bytes(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size))));
    for (int round = 0; round < 20'000; ++round) {
      Bytes damaged(whole.begin(), whole.begin() + dice.between(0, std::ssize(whole)));
      for (int k = 0; k < 2 && !damaged.empty(); ++k)
        damaged[dice.below(damaged.size())] = static_cast<std::uint8_t>(dice.next());
      const auto payload = read_answer(form, damaged);
      CHECK((!payload || damaged.size() >= whole.size()));
    }
  }
}
