#include "gedge/drive/measure.hpp"

#include <algorithm>
#include <atomic>
#include <exception>
#include <memory>
#include <thread>
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

// As many for each of two threads; fewer are done before the second one has begun.
constexpr std::size_t kTargetsInLane = 128;

/// Some of the targets, with a link and a prober of their own.
struct Lane {
  std::size_t first = 0, count = 0;
  std::unique_ptr<ProbeLink> link = nullptr;
  std::unique_ptr<Prober> prober = nullptr;
  std::vector<TargetNotes> notes = {};
};

std::vector<Lane> lanes_of(std::size_t targets, const MeasureOptions& options) {
  const bool by_socket =
      options.method == ProbeMethod::kIcmp || options.method == ProbeMethod::kUdp;
  const bool is_bound = options.plan.interval != Nanos{0} || options.plan.gap != Nanos{0};
  std::vector<Lane> lanes;
  if (!by_socket || is_bound || targets < 2 * kTargetsInLane ||
      std::thread::hardware_concurrency() < 2) {
    lanes.push_back({.first = 0, .count = targets});
  } else {
    lanes.push_back({.first = 0, .count = targets / 2});
    lanes.push_back({.first = targets / 2, .count = targets - targets / 2});
  }
  return lanes;
}

Status open(Lane& lane, ProbeNetwork& network, const std::vector<MeasureTarget>& targets,
            const std::vector<IpAddress>& addresses, const MeasureOptions& options) {
  LinkRequest request{.method = options.method,
                      .targets = {},
                      .size = options.size,
                      .batched = options.plan.interval == Nanos{0},
                      .timeout = options.plan.timeout,
                      .hosts = {},
                      .trusted = options.trusted,
                      .verify = options.verify};
  for (std::size_t i = lane.first; i < lane.first + lane.count; ++i) {
    request.targets.push_back(addresses[i]);
    request.hosts.push_back(targets[i].host);
  }
  auto link = network.open(std::move(request));
  if (!link) return std::move(link).error();
  lane.link = *std::move(link);
  return {};
}

// The last lane in this thread, another one beside it. What fails there is thrown here.
void run(std::vector<Lane>& lanes, const ProbingProgress& progress, const std::atomic<bool>* stop) {
  std::uint64_t total = 0;
  for (const Lane& lane : lanes) total += lane.prober->total();
  if (progress) progress(0, total);
  std::atomic<std::uint64_t> elsewhere{0};
  std::exception_ptr failed_beside, failed_here;
  std::thread beside;
  if (lanes.size() > 1)
    beside = std::thread([&] {
      try {
        lanes.front().notes = run_probes(
            *lanes.front().prober, *lanes.front().link, lanes.front().count,
            [&](std::uint64_t settled, std::uint64_t) { elsewhere = settled; }, stop);
      } catch (...) {
        failed_beside = std::current_exception();
      }
    });
  Lane& here = lanes.back();
  try {
    here.notes = run_probes(
        *here.prober, *here.link, here.count,
        [&](std::uint64_t settled, std::uint64_t) {
          if (progress) progress(settled + elsewhere, total);
        },
        stop);
  } catch (...) {
    failed_here = std::current_exception();
  }
  if (beside.joinable()) beside.join();
  for (const std::exception_ptr& failure : {failed_here, failed_beside})
    if (failure) std::rethrow_exception(failure);
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
  std::vector<Lane> lanes = lanes_of(targets.size(), options);
  for (Lane& lane : lanes) GEDGE_TRY(open(lane, network, targets, addresses, options));
  for (Lane& lane : lanes)
    lane.prober = std::make_unique<Prober>(options.plan, static_cast<std::uint32_t>(lane.count),
                                           network.random_key(), lane.link->now());
  run(lanes, progress, options.stop);

  Measurement measurement;
  for (const Lane& lane : lanes) {
    measurement.odd += lane.prober->odd_replies();
    for (std::uint32_t i = 0; i < lane.count; ++i) {
      const RttSamples& samples = lane.prober->samples(i);
      std::string method(word_of(options.method));
      const bool stamped = lane.notes[i].kernel_stamped && !is_userland(options.method);
      if (samples.answered() > 0 && !stamped) method += "-userland";
      measurement.targets.push_back({targets[lane.first + i].name, samples.summary(),
                                     std::move(method), lane.notes[i].refusal});
    }
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
