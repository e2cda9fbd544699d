#include "gedge/sim/scripted_network.hpp"

#include <algorithm>

namespace gedge {
namespace {

class ScriptedLink final : public ProbeLink {
 public:
  ScriptedLink(ScriptedNetwork::Script script, const LinkRequest& request)
      : script_(std::move(script)), number_of_(request.targets.size()), batched_(request.batched) {}

  Nanos now() override { return now_; }
  std::size_t room() const override { return batched_ ? 64 : 1; }

  void send(std::span<const Probe> probes) override {
    for (const Probe& probe : probes) {
      const Fate fate = script_(probe.target, number_of_[probe.target]++);
      const auto add = [&](ProbeEvent::Kind kind, Nanos at) {
        coming_.push_back({kind, fate.refusal, probe.target, probe.cookie, at});
      };
      if (fate.refusal != Refusal::kNone) {
        add(ProbeEvent::Kind::kRefused, now_);
        continue;
      }
      const Nanos left = now_ + std::max(fate.queued, Nanos{0});
      if (fate.queued >= Nanos{0}) add(ProbeEvent::Kind::kSent, left);
      for (const Nanos answer : fate.answers) add(ProbeEvent::Kind::kReply, left + answer);
    }
    std::stable_sort(coming_.begin(), coming_.end(),
                     [](const ProbeEvent& a, const ProbeEvent& b) { return a.at < b.at; });
  }

  Received receive(Nanos until) override {
    if (!coming_.empty()) until = std::min(until, coming_.front().at);
    now_ = std::max(now_, until);
    const auto end = std::find_if(coming_.begin(), coming_.end(),
                                  [this](const ProbeEvent& event) { return event.at > now_; });
    events_.assign(coming_.begin(), end);
    coming_.erase(coming_.begin(), end);
    return {events_, true};
  }

 private:
  ScriptedNetwork::Script script_;
  std::vector<std::uint32_t> number_of_;  // [targets], the next probe's
  bool batched_;
  Nanos now_{0};
  std::vector<ProbeEvent> coming_, events_;
};

}  // namespace

Result<IpAddress> ScriptedNetwork::resolve(const std::string& host, IpFamily family) {
  if (nobody_knows) return Error{Errc::kTimeout, "nobody knows '" + host + "'", {}, {}};
  const auto found = addresses.find(host);
  const bool fits = found != addresses.end() &&
                    (family == IpFamily::kAny || found->second.is_v6 == (family == IpFamily::kV6));
  if (!fits) return Error{Errc::kNotFound, "no address of '" + host + "'", {}, {}};
  return found->second;
}

Result<std::vector<IpAddress>> ScriptedNetwork::addresses_of(const std::string& host) {
  auto first = resolve(host, IpFamily::kAny);
  if (!first) return std::move(first).error();
  return std::vector{*first};
}

Result<std::unique_ptr<ProbeLink>> ScriptedNetwork::open(LinkRequest request) {
  if (opens_left == 0 || (denies && request.method == ProbeMethod::kIcmp))
    return Error{Errc::kDenied, "no permission to open an ICMP socket", {}, "use `--method tcp`"};
  --opens_left;
  opened.push_back(request);
  return std::unique_ptr<ProbeLink>(new ScriptedLink(script_, request));
}

}  // namespace gedge
