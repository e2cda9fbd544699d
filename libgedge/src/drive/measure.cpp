#include "gedge/drive/measure.hpp"

#include <algorithm>
#include <utility>

namespace gedge {
namespace {

std::string_view word_of(ProbeMethod method) {
  switch (method) {
    case ProbeMethod::kTcp:
      return "tcp";
    case ProbeMethod::kUdp:
      return "udp";
    case ProbeMethod::kHttp:
      return "http";
    case ProbeMethod::kHttps:
      return "https";
    case ProbeMethod::kIcmp:
      break;
  }
  return "icmp";
}

// The others are stamped by the kernel where it can.
bool is_userland(ProbeMethod method) {
  return method == ProbeMethod::kHttp || method == ProbeMethod::kHttps;
}

}  // namespace

Resolved resolve(ProbeNetwork& network, const std::vector<MeasureTarget>& targets,
                 const MeasureOptions& options) {
  Resolved resolved;
  for (const MeasureTarget& target : targets) {
    auto address = network.resolve(target.host, options.family);
    if (!address) {
      resolved.errors.push_back(std::move(address).error());
      continue;
    }
    address->port = options.port;
    resolved.addresses.push_back(*address);
  }
  if (!resolved.errors.empty()) resolved.addresses.clear();
  return resolved;
}

Result<Measurement> measure(ProbeNetwork& network, const std::vector<MeasureTarget>& targets,
                            const std::vector<IpAddress>& addresses, const MeasureOptions& options,
                            const ProbingProgress& progress) {
  LinkRequest request{.method = options.method,
                      .targets = addresses,
                      .size = options.size,
                      .batched = options.plan.interval == Nanos{0},
                      .timeout = options.plan.timeout,
                      .hosts = {},
                      .trusted = options.trusted,
                      .verify = options.verify};
  for (const MeasureTarget& target : targets) request.hosts.push_back(target.host);
  const auto link = network.open(std::move(request));
  if (!link) return link.error();
  const auto count = static_cast<std::uint32_t>(targets.size());
  Prober prober(options.plan, count, network.random_key(), (*link)->now());
  const std::vector<TargetNotes> notes = run_probes(prober, **link, count, progress);

  Measurement measurement;
  measurement.odd = prober.odd_replies();
  for (std::uint32_t i = 0; i < count; ++i) {
    std::string method(word_of(options.method));
    const bool stamped = notes[i].kernel_stamped && !is_userland(options.method);
    if (prober.samples(i).answered() > 0 && !stamped) method += "-userland";
    measurement.targets.push_back(
        {targets[i].name, prober.samples(i).summary(), std::move(method), notes[i].refusal});
  }
  return measurement;
}

MeasuredMatrix matrix_of(const std::string& from, const Measurement& measurement) {
  std::vector<std::string> names{from};
  for (const MeasuredTarget& target : measurement.targets) names.push_back(target.name);
  MeasuredMatrix measured{RttMatrix(std::move(names)), {}};
  RttMatrix& matrix = measured.matrix;
  const NameIndex here = *matrix.find(from);
  for (const MeasuredTarget& target : measurement.targets) {
    const NameIndex there = *matrix.find(target.name);
    if (there == here) continue;
    matrix.set(here, there, target.rtt.p95);
    PairStats pair = stats_of(here, there, target.rtt);
    pair.method = measured.details.method(target.method);
    measured.details.pairs.push_back(pair);
  }
  std::sort(measured.details.pairs.begin(), measured.details.pairs.end(),
            [](const PairStats& a, const PairStats& b) { return a.to < b.to; });
  return measured;
}

}  // namespace gedge
