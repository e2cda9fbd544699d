// bench_bare_echo ROUNDS: ICMP echo requests to 1,000 addresses of loopback by sendmmsg, answers by
// recvmmsg, 64 at a time, and nothing else: no time is taken, no answer is told from another. What
// the kernel takes for a probe, and so the least that any program on such sockets can take.
#include <arpa/inet.h>
#include <linux/icmp.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>

namespace gedge::bench {
namespace {

constexpr std::size_t kTargets = 1'000, kBatch = 64, kPacket = 64;
constexpr int kReceiveBuffer = 16 << 20;

struct Packets {
  std::array<std::array<std::uint8_t, 256>, kBatch> bytes{};
  std::array<sockaddr_in, kBatch> places{};
  std::array<iovec, kBatch> parts{};
  std::array<mmsghdr, kBatch> messages{};

  Packets(std::size_t size, bool have_places) {
    for (std::size_t i = 0; i < kBatch; ++i) {
      parts[i] = {bytes[i].data(), size};
      messages[i].msg_hdr.msg_iov = &parts[i];
      messages[i].msg_hdr.msg_iovlen = 1;
      if (!have_places) continue;
      messages[i].msg_hdr.msg_name = &places[i];
      messages[i].msg_hdr.msg_namelen = sizeof places[i];
    }
  }
};

std::uint16_t checksum(const std::array<std::uint8_t, 256>& packet) {
  std::uint32_t sum = 0;
  for (std::size_t i = 0; i < kPacket; i += 2) {
    std::uint16_t word = 0;
    std::memcpy(&word, packet.data() + i, sizeof word);
    sum += word;
  }
  while (sum > 0xFFFF) sum = (sum >> 16) + (sum & 0xFFFF);
  return static_cast<std::uint16_t>(~sum);
}

void write_request(Packets& out, std::size_t at, std::size_t target) {
  icmphdr header{};
  header.type = ICMP_ECHO;
  header.un.echo.id = static_cast<std::uint16_t>(::getpid());
  header.un.echo.sequence = static_cast<std::uint16_t>(target);
  std::memcpy(out.bytes[at].data(), &header, sizeof header);
  header.checksum = checksum(out.bytes[at]);
  std::memcpy(out.bytes[at].data(), &header, sizeof header);
  out.places[at].sin_family = AF_INET;
  out.places[at].sin_addr.s_addr =
      htonl(0x7F000000U + static_cast<std::uint32_t>(256 * (1 + target / 250) + 1 + target % 250));
}

int run(int rounds) {
  const int fd = ::socket(AF_INET, SOCK_RAW | SOCK_CLOEXEC, IPPROTO_ICMP);
  if (fd < 0) return std::perror("socket"), 1;
  const icmp_filter answers{~(1U << ICMP_ECHOREPLY)};
  ::setsockopt(fd, SOL_RAW, ICMP_FILTER, &answers, sizeof answers);
  ::setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &kReceiveBuffer, sizeof kReceiveBuffer);
  Packets out(kPacket, true), in(256, false);
  long sent = 0, received = 0;
  const std::clock_t start = std::clock();
  for (int round = 0; round < rounds; ++round)
    for (std::size_t first = 0; first < kTargets; first += kBatch) {
      const std::size_t count = std::min(kBatch, kTargets - first);
      for (std::size_t i = 0; i < count; ++i) write_request(out, i, first + i);
      const int done = ::sendmmsg(fd, out.messages.data(), static_cast<unsigned>(count), 0);
      if (done < 0) return std::perror("sendmmsg"), 1;
      sent += done;
      for (int got = 1; got > 0; received += std::max(got, 0))
        got = ::recvmmsg(fd, in.messages.data(), kBatch, MSG_DONTWAIT, nullptr);
    }
  const double seconds = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
  ::close(fd);
  std::printf("sent %ld received %ld us %.3f\n", sent, received,
              1e6 * seconds / static_cast<double>(sent));
  return 0;
}

}  // namespace
}  // namespace gedge::bench

int main(int argc, char** argv) { return gedge::bench::run(argc == 2 ? std::atoi(argv[1]) : 100); }
