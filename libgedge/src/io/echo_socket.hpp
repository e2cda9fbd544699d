// io/echo_socket.hpp - one socket for one family of addresses: ICMP echo, or datagrams that come
// back.
#pragma once

#include <utility>

#include "gedge/base/result.hpp"
#include "gedge/port/probe_network.hpp"
#include "io/descriptor.hpp"
#include "io/echo_packet.hpp"

namespace gedge {

class EchoSocket {
 public:
  /// Errors: kDenied, with what would help.
  static Result<EchoSocket> open(ProbeMethod method, bool v6);

  int get() const { return socket_.get(); }
  const EchoForm& form() const { return form_; }

  /// Asks the kernel to stamp what comes, and what leaves too; false where it refuses.
  bool stamp(bool departures);
  /// Asks the kernel for what routers and the other host say of packets that they do not take. Each
  /// one fails the next call about the socket too, whatever that is about.
  void hear_refusals();
  /// For packets that fit through any network: none is cut in pieces, so none needs a number for
  /// putting it together again.
  void keep_whole();

 private:
  EchoSocket(Descriptor socket, const EchoForm& form) : socket_(std::move(socket)), form_(form) {}
  bool filter_answers();

  Descriptor socket_;
  EchoForm form_;
};

}  // namespace gedge
