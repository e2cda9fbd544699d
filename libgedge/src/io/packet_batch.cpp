#include "io/packet_batch.hpp"

#include <linux/errqueue.h>
#include <netinet/in.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace gedge {

PacketBatch::PacketBatch(std::size_t packets, std::size_t bytes, bool with_control)
    : stride_((bytes + 63) / 64 * 64),
      with_control_(with_control),
      bytes_(packets * stride_),
      control_(with_control ? packets * kControl / sizeof(std::uint64_t) : 0),
      addresses_(packets),
      pieces_(packets),
      messages_(packets) {
  for (std::size_t i = 0; i < packets; ++i) {
    pieces_[i] = {packet(i).data(), stride_};
    messages_[i].msg_hdr.msg_iov = &pieces_[i];
    messages_[i].msg_hdr.msg_iovlen = 1;
    messages_[i].msg_hdr.msg_name = &addresses_[i];
  }
}

void PacketBatch::address(std::size_t i, const SocketAddress& to) {
  addresses_[i] = to;
  messages_[i].msg_hdr.msg_namelen = length_of(to);
}

std::size_t PacketBatch::send(int fd, std::size_t first, std::size_t last, std::size_t size) {
  for (std::size_t i = first; i < last; ++i) pieces_[i].iov_len = size;
  const auto count = static_cast<unsigned>(last - first);
  int sent = 0;
  do sent = ::sendmmsg(fd, messages_.data() + first, count, 0);
  while (sent < 0 && errno == EINTR);
  return sent < 0 ? 0 : static_cast<std::size_t>(sent);
}

std::size_t PacketBatch::receive(int fd, int flags) {
  for (std::size_t i = 0; i < capacity(); ++i) {
    msghdr& message = messages_[i].msg_hdr;
    message.msg_namelen = sizeof(SocketAddress);
    if (!with_control_) continue;
    message.msg_control = control_.data() + i * kControl / sizeof(std::uint64_t);
    message.msg_controllen = kControl;
  }
  int got = 0, errors = 0;
  do
    got = ::recvmmsg(fd, messages_.data(), static_cast<unsigned>(capacity()), flags | MSG_DONTWAIT,
                     nullptr);
  while (got < 0 && errno != EAGAIN && ++errors < kMostErrors);
  return got < 0 ? 0 : static_cast<std::size_t>(got);
}

std::span<const std::uint8_t> PacketBatch::received(std::size_t i) const {
  return std::span(bytes_).subspan(i * stride_,
                                   std::min<std::size_t>(messages_[i].msg_len, stride_));
}

std::optional<timespec> PacketBatch::stamp(std::size_t i) const {
  const msghdr& message = messages_[i].msg_hdr;
  for (const cmsghdr* part = CMSG_FIRSTHDR(&message); part != nullptr;
       part = CMSG_NXTHDR(const_cast<msghdr*>(&message), const_cast<cmsghdr*>(part))) {
    if (part->cmsg_level != SOL_SOCKET || part->cmsg_type != SCM_TIMESTAMPING) continue;
    scm_timestamping stamps{};
    std::memcpy(&stamps, CMSG_DATA(part), sizeof stamps);
    const timespec& software = stamps.ts[0];
    if (software.tv_sec != 0 || software.tv_nsec != 0) return software;
  }
  return std::nullopt;
}

std::optional<int> PacketBatch::refusal(std::size_t i) const {
  const msghdr& message = messages_[i].msg_hdr;
  for (const cmsghdr* part = CMSG_FIRSTHDR(&message); part != nullptr;
       part = CMSG_NXTHDR(const_cast<msghdr*>(&message), const_cast<cmsghdr*>(part))) {
    const bool v4 = part->cmsg_level == IPPROTO_IP && part->cmsg_type == IP_RECVERR;
    const bool v6 = part->cmsg_level == IPPROTO_IPV6 && part->cmsg_type == IPV6_RECVERR;
    if (!v4 && !v6) continue;
    sock_extended_err error{};
    std::memcpy(&error, CMSG_DATA(part), sizeof error);
    if (error.ee_origin == SO_EE_ORIGIN_ICMP || error.ee_origin == SO_EE_ORIGIN_ICMP6)
      return static_cast<int>(error.ee_errno);
  }
  return std::nullopt;
}

// The answer leaves by whatever way leads back; only its source is said.
void PacketBatch::forget_interface(msghdr& message) {
  for (cmsghdr* part = CMSG_FIRSTHDR(&message); part != nullptr;
       part = CMSG_NXTHDR(&message, part)) {
    if (part->cmsg_level == IPPROTO_IP && part->cmsg_type == IP_PKTINFO) {
      in_pktinfo info{};
      std::memcpy(&info, CMSG_DATA(part), sizeof info);
      info.ipi_ifindex = 0;
      std::memcpy(CMSG_DATA(part), &info, sizeof info);
    } else if (part->cmsg_level == IPPROTO_IPV6 && part->cmsg_type == IPV6_PKTINFO) {
      in6_pktinfo info{};
      std::memcpy(&info, CMSG_DATA(part), sizeof info);
      info.ipi6_ifindex = 0;
      std::memcpy(CMSG_DATA(part), &info, sizeof info);
    }
  }
}

bool PacketBatch::send_back(int fd, std::size_t i) {
  msghdr& message = messages_[i].msg_hdr;
  forget_interface(message);
  pieces_[i].iov_len = received(i).size();
  const ssize_t sent = ::sendmsg(fd, &message, 0);
  const bool whole = sent == static_cast<ssize_t>(pieces_[i].iov_len);
  pieces_[i].iov_len = stride_;
  return whole;
}

}  // namespace gedge
