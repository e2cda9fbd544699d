// io/packet_batch.hpp - room for many packets that one system call sends or receives.
#pragma once

#include <sys/socket.h>
#include <sys/uio.h>

#include <cstdint>
#include <ctime>
#include <optional>
#include <span>
#include <vector>

#include "io/socket_address.hpp"

namespace gedge {

class PacketBatch {
 public:
  /// `with_control`: for stamps too, and for the address that a packet came to.
  PacketBatch(std::size_t packets, std::size_t bytes, bool with_control);

  std::size_t capacity() const { return messages_.size(); }

  /// The bytes of one packet, all there is room for.
  std::span<std::uint8_t> packet(std::size_t i) {
    return std::span(bytes_).subspan(i * stride_, stride_);
  }
  void address(std::size_t i, const SocketAddress& to);

  /// Sends packets [first, last), each `size` bytes; how many went. Errno tells why the next did
  /// not.
  std::size_t send(int fd, std::size_t first, std::size_t last, std::size_t size);

  /// Receives without waiting; how many came, as many as there is room for at most. What the
  /// socket has to say of packets sent before is passed over: the error queue has it too.
  std::size_t receive(int fd, int flags);
  /// Of a packet that was received: its bytes, who sent it, when the kernel stamped it.
  std::span<const std::uint8_t> received(std::size_t i) const;
  const SocketAddress& sender(std::size_t i) const { return addresses_[i]; }
  std::optional<timespec> stamp(std::size_t i) const;
  /// Of a packet from the error queue that came back by ICMP: the errno that says why.
  std::optional<int> refusal(std::size_t i) const;
  /// Sends a packet that was received back, with the bytes that it has now; from the address that
  /// it came to, where that is known. False if the system refuses.
  bool send_back(int fd, std::size_t i);

 private:
  static constexpr std::size_t kControl = 512;  // stamp, error and addresses of the error queue
  static constexpr int kMostErrors = 64;
  static void forget_interface(msghdr& message);

  std::size_t stride_;
  bool with_control_;
  std::vector<std::uint8_t> bytes_;       // [packets * stride]
  std::vector<std::uint64_t> control_;    // [packets * kControl / 8], aligned as cmsghdr wants it
  std::vector<SocketAddress> addresses_;  // [packets]
  std::vector<iovec> pieces_;             // [packets]
  std::vector<mmsghdr> messages_;         // [packets]
};

}  // namespace gedge
