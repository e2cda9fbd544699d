// gedge/io/udp_echoes.hpp - the other ends of ProbeMethod::kUdp, many of them in one process.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "gedge/base/result.hpp"
#include "gedge/port/ip_address.hpp"

namespace gedge {

/// As UdpEcho (gedge/io/udp_echo.hpp), with a socket for each address; the memory for packets is
/// shared. Not for two threads at once.
class UdpEchoes {
 public:
  /// Port 0: any that is free. Errors: kDenied with the reason of the system; none is open then.
  static Result<UdpEchoes> open(const std::vector<IpAddress>& listen);
  UdpEchoes(UdpEchoes&&) noexcept;
  ~UdpEchoes();

  /// Where they listen, in the order asked, with the ports that were found.
  const std::vector<IpAddress>& addresses() const;
  /// Answers a question that has come to one of them, by its place in the order asked; false where
  /// there is none.
  bool answer(std::size_t place);

 private:
  struct State;
  explicit UdpEchoes(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace gedge
