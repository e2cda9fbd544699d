#include "io/echo_socket.hpp"

#include <fcntl.h>
#include <linux/filter.h>
#include <linux/icmp.h>
#include <linux/net_tstamp.h>
#include <netinet/icmp6.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

#include "io/system_error.hpp"

namespace gedge {
namespace {

constexpr int kReceiveBuffer = 16 << 20;  // answers to some ten thousand probes at once

Error no_permission(bool v6) {
  return {Errc::kDenied,
          std::string("no permission to open an ICMP") + (v6 ? "v6" : "") + " socket",
          {},
          "add your group to net.ipv4.ping_group_range, run with CAP_NET_RAW, or use `--method "
          "tcp`"};
}

void widen_receive_buffer(int fd) {
  if (::setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &kReceiveBuffer, sizeof kReceiveBuffer) == 0)
    return;
  static_cast<void>(
      ::setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &kReceiveBuffer, sizeof kReceiveBuffer));
}

}  // namespace

Result<EchoSocket> EchoSocket::open(ProbeMethod method, bool v6) {
  const int family = v6 ? AF_INET6 : AF_INET;
  if (method == ProbeMethod::kUdp) {
    Descriptor socket(::socket(family, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    if (!socket) return system_error("cannot open", "a UDP socket", errno);
    widen_receive_buffer(socket.get());
    return EchoSocket(std::move(socket), {method, v6, false, 0});
  }
  const int protocol = v6 ? static_cast<int>(IPPROTO_ICMPV6) : static_cast<int>(IPPROTO_ICMP);
  for (const bool raw : {false, true}) {
    const int type = raw ? SOCK_RAW : SOCK_DGRAM;
    Descriptor socket(::socket(family, type | SOCK_CLOEXEC | SOCK_NONBLOCK, protocol));
    if (!socket) continue;
    widen_receive_buffer(socket.get());
    EchoSocket opened(std::move(socket), {method, v6, raw, 0});
    if (raw && !opened.filter_answers())
      return system_error("cannot filter", "an ICMP socket", errno);
    return opened;
  }
  if (errno == EPERM || errno == EACCES) return no_permission(v6);
  return system_error("cannot open", v6 ? "an ICMPv6 socket" : "an ICMP socket", errno);
}

// A raw socket sees every ICMP packet of the machine: the kernel drops what is no answer to us.
bool EchoSocket::filter_answers() {
  form_.ident = static_cast<std::uint16_t>(::getpid() ^ (::getpid() >> 16) ^ (socket_.get() << 8));
  if (form_.v6) {
    icmp6_filter answers{};
    ICMP6_FILTER_SETBLOCKALL(&answers);
    ICMP6_FILTER_SETPASS(ICMP6_ECHO_REPLY, &answers);
    if (::setsockopt(get(), IPPROTO_ICMPV6, ICMP6_FILTER, &answers, sizeof answers) != 0)
      return false;
  } else {
    // Before the packet is copied for this socket, which the filter below is too late for.
    const icmp_filter answers{~(1U << ICMP_ECHOREPLY)};
    if (::setsockopt(get(), SOL_RAW, ICMP_FILTER, &answers, sizeof answers) != 0) return false;
  }
  // IPv4 packets begin with the IP header, whose length is in its first byte; IPv6 ones do not.
  const auto load_start = form_.v6 ? sock_filter BPF_STMT(BPF_LDX | BPF_IMM, 0)
                                   : sock_filter BPF_STMT(BPF_LDX | BPF_B | BPF_MSH, 0);
  const std::uint8_t answer = form_.v6 ? ICMP6_ECHO_REPLY : ICMP_ECHOREPLY;
  std::array<sock_filter, 7> program{{
      load_start,
      BPF_STMT(BPF_LD | BPF_B | BPF_IND, 0),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, answer, 0, 3),
      BPF_STMT(BPF_LD | BPF_H | BPF_IND, 4),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, ntohs(form_.ident), 0, 1),
      BPF_STMT(BPF_RET | BPF_K, ~0U),
      BPF_STMT(BPF_RET | BPF_K, 0),
  }};
  const sock_fprog filter{program.size(), program.data()};
  return ::setsockopt(get(), SOL_SOCKET, SO_ATTACH_FILTER, &filter, sizeof filter) == 0;
}

void EchoSocket::hear_refusals() {
  const int yes = 1;
  static_cast<void>(form_.v6 ? ::setsockopt(get(), IPPROTO_IPV6, IPV6_RECVERR, &yes, sizeof yes)
                             : ::setsockopt(get(), IPPROTO_IP, IP_RECVERR, &yes, sizeof yes));
}

void EchoSocket::keep_whole() {
  const int v4 = IP_PMTUDISC_DO, v6 = IPV6_PMTUDISC_DO;
  static_cast<void>(form_.v6 ? ::setsockopt(get(), IPPROTO_IPV6, IPV6_MTU_DISCOVER, &v6, sizeof v6)
                             : ::setsockopt(get(), IPPROTO_IP, IP_MTU_DISCOVER, &v4, sizeof v4));
}

bool EchoSocket::stamp(bool departures) {
  const int flags = SOF_TIMESTAMPING_RX_SOFTWARE | SOF_TIMESTAMPING_SOFTWARE |
                    (departures ? SOF_TIMESTAMPING_TX_SOFTWARE : 0);
  return ::setsockopt(get(), SOL_SOCKET, SO_TIMESTAMPING, &flags, sizeof flags) == 0;
}

}  // namespace gedge
