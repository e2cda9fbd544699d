// gedge/sim/scripted_network.hpp - a network whose every packet is told what happens to it.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "gedge/port/probe_network.hpp"

namespace gedge {

/// What becomes of one probe.
struct Fate {
  std::vector<Nanos> answers;  ///< when each answer arrives, after the probe left; none: it is lost
  Refusal refusal = Refusal::kNone;
  /// How long the probe waited before it left, if the kernel says so; else it left at once.
  Nanos queued{-1};
};

/// ProbeNetwork without a wire: time passes where a link waits, and nowhere else.
class ScriptedNetwork final : public ProbeNetwork {
 public:
  /// The `number`-th probe to a target, from 0 on.
  using Script = std::function<Fate(std::uint32_t target, std::uint32_t number)>;

  explicit ScriptedNetwork(Script script) : script_(std::move(script)) {}

  std::map<std::string, IpAddress> addresses;  ///< what names resolve to; others do not
  bool nobody_knows = false;                   ///< no name server answers
  std::string own_name = "here";
  bool denies = false;              ///< open() fails for ICMP as without any permission
  std::size_t opens_left = 1'000;   ///< then open() fails so for every method
  std::vector<LinkRequest> opened;  ///< every request that was granted
  std::vector<std::optional<ProbeMethod>> given_up;  ///< what give_up_rights() was told

  Result<IpAddress> resolve(const std::string& host, IpFamily family) override;
  Result<std::vector<IpAddress>> addresses_of(const std::string& host) override;
  Result<std::unique_ptr<ProbeLink>> open(LinkRequest request) override;
  void give_up_rights(std::optional<ProbeMethod> still_to_open) override {
    given_up.push_back(still_to_open);
  }
  std::string host_name() const override { return own_name; }
  std::uint64_t random_key() override { return 1; }

 private:
  Script script_;
};

}  // namespace gedge
