// gedge/io/system_network.hpp - the network of this machine.
#pragma once

#include "gedge/port/probe_network.hpp"

namespace gedge {

/// ICMP through the datagram socket where net.ipv4.ping_group_range allows it, else through a raw
/// one. Nothing is opened before open() is called. Names are asked for as the system is set up to,
/// which blocks for as long as its resolver does.
class SystemNetwork final : public ProbeNetwork {
 public:
  Result<IpAddress> resolve(const std::string& host, IpFamily family) override;
  Result<std::vector<IpAddress>> addresses_of(const std::string& host) override;
  Result<std::unique_ptr<ProbeLink>> open(LinkRequest request) override;
  void give_up_rights(std::optional<ProbeMethod> still_to_open) override;
  std::string host_name() const override;
  std::uint64_t random_key() override;
};

}  // namespace gedge
