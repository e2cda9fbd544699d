// gedge/io/udp_echo.hpp - the other end of ProbeMethod::kUdp: sends probes back.
#pragma once

#include <cstddef>
#include <memory>

#include "gedge/base/nanos.hpp"
#include "gedge/base/result.hpp"
#include "gedge/port/ip_address.hpp"

namespace gedge {

/// Answers questions of gedge and nothing else, with as many bytes as came (2,048 at most), and
/// never answers an answer: it neither amplifies nor can two of them be set upon each other.
class UdpEcho {
 public:
  /// Port 0: any that is free. Errors: kDenied with the reason of the system.
  static Result<UdpEcho> open(const IpAddress& listen);
  UdpEcho(UdpEcho&&) noexcept;
  ~UdpEcho();

  /// Where it listens, with the port that was found.
  IpAddress address() const;
  /// For an event loop: readable when there is something to answer.
  int descriptor() const;
  /// Answers what has come, a few thousand questions at most, without waiting; how many it were.
  std::size_t answer();

 private:
  struct State;
  explicit UdpEcho(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace gedge
