#include "agent_source.hpp"

#include <utility>

#include "gedge/codec/ip_text.hpp"
#include "gedge/codec/targets.hpp"

namespace gedge::cli {
namespace {

constexpr std::string_view kDns = "dns:";
// A line is at most two names: room for ten thousand peers.
constexpr std::uint64_t kMostBytes = 8 << 20;

class Finder {
 public:
  Finder(const AgentPlaces& places, FileStore& files, ProbeNetwork& network,
         const std::stop_token& stop)
      : places_(places), files_(files), network_(network), stop_(stop) {}

  Status add_file(const std::string& path, AgentTargetKind kind) {
    auto bytes = files_.read(path, kMostBytes);
    if (!bytes) {
      Error error = std::move(bytes).error();
      if (error.code == Errc::kInvalidInput) error.hint.clear();  // the limit is no flag here
      return error;
    }
    TargetsReading reading = read_targets({path, *bytes});
    if (!reading.errors.empty()) return reading.errors.front();
    for (const NamedTarget& named : reading.targets) {
      if (stop_.stop_requested()) return Error{Errc::kTimeout, "nobody waits any more", {}, {}};
      if (kind == AgentTargetKind::kNode && named.name == places_.own_name) continue;
      const std::string& host = named.address.empty() ? named.name : named.address;
      const auto address = network_.resolve(host, IpFamily::kAny);
      if (address)
        add(kind, named.name, *address, host);
      else if (address.error().code == Errc::kTimeout)
        return address.error();
      else
        found_.without_address.push_back(address.error());
    }
    return {};
  }

  Status add_name(const std::string& name) {
    const auto addresses = network_.addresses_of(name);
    if (!addresses) return addresses.error();
    for (const IpAddress& address : *addresses)
      add(AgentTargetKind::kNode, to_text(address), address, name);
    return {};
  }

  Result<FoundTargets> take() {
    if (found_.targets.empty() && !found_.without_address.empty())
      return found_.without_address.front();
    return std::move(found_);
  }

 private:
  void add(AgentTargetKind kind, const std::string& name, IpAddress address,
           const std::string& host) {
    if (kind == AgentTargetKind::kNode && is_own(address)) return;
    address.port = places_.port;
    found_.targets.push_back({kind, name, address, host});
  }

  bool is_own(const IpAddress& address) const {
    return places_.own_address && address.is_v6 == places_.own_address->is_v6 &&
           address.bytes == places_.own_address->bytes;
  }

  const AgentPlaces& places_;
  FileStore& files_;
  ProbeNetwork& network_;
  const std::stop_token& stop_;
  FoundTargets found_;
};

}  // namespace

bool is_dns_source(const AgentPlaces& places) { return places.peers.starts_with(kDns); }

Result<FoundTargets> find_agent_targets(const AgentPlaces& places, FileStore& files,
                                        ProbeNetwork& network, const std::stop_token& stop) {
  Finder finder(places, files, network, stop);
  GEDGE_TRY(is_dns_source(places) ? finder.add_name(places.peers.substr(kDns.size()))
                                  : finder.add_file(places.peers, AgentTargetKind::kNode));
  if (!places.clusters.empty())
    GEDGE_TRY(finder.add_file(places.clusters, AgentTargetKind::kCluster));
  return finder.take();
}

}  // namespace gedge::cli
