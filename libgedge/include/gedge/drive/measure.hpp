// gedge/drive/measure.hpp - round-trip times from this machine to a list of places.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "gedge/base/result.hpp"
#include "gedge/drive/probing.hpp"
#include "gedge/latency/matrix.hpp"
#include "gedge/latency/pair_stats.hpp"
#include "gedge/latency/rtt_samples.hpp"
#include "gedge/port/probe_network.hpp"

namespace gedge {

/// A place to probe. Names are what matrices know places by; two targets never share one.
struct MeasureTarget {
  std::string name;
  std::string host;  ///< an address, or a name to look up
};

struct MeasureOptions {
  ProbeMethod method = ProbeMethod::kIcmp;
  std::uint16_t port = 0;  ///< not of kIcmp
  IpFamily family = IpFamily::kAny;
  std::size_t size = 56;  ///< bytes of payload of kIcmp and kUdp
  std::string trusted;    ///< of kHttps: as in HttpTerms
  bool verify = true;
  /// An interval of 0 sends in batches, as fast as the gap allows: see LinkRequest::batched.
  ProbePlan plan;
  /// Once somebody sets it, probing ends; what is settled by then is the measurement.
  const std::atomic<bool>* stop = nullptr;
};

struct MeasuredTarget {
  std::string name;
  RttSummary rtt;
  /// "icmp", "tcp", "udp", "http" or "https"; with "-userland" behind it where there are answers
  /// and the kernel stamped no departure, so that the times contain what this program waited for
  /// the processor: always so with "http" and "https".
  std::string method;
  Refusal refusal = Refusal::kNone;  ///< of the last probe that could not leave
};

struct Measurement {
  std::vector<MeasuredTarget> targets;  ///< in the order asked
  OddReplies odd;
};

/// The addresses of all targets. Errors: one for each target that has none.
struct Resolved {
  std::vector<IpAddress> addresses;  ///< empty if there are errors
  Errors errors;
};
Resolved resolve(ProbeNetwork& network, const std::vector<MeasureTarget>& targets,
                 const MeasureOptions& options);

/// Probes them all at once, as the plan says. `addresses` are those of `targets`. Takes about
/// count * max(interval, targets * gap), and a timeout more where the last probes are lost. Many
/// targets without any bound on the rate are probed by two threads: the kernel does nearly all of
/// the work, on the processor of whoever sends. `progress` is called in this thread.
/// Errors: those of ProbeNetwork::open. A target that never answers is no error: it is unmeasured.
Result<Measurement> measure(ProbeNetwork& network, const std::vector<MeasureTarget>& targets,
                            const std::vector<IpAddress>& addresses, const MeasureOptions& options,
                            const ProbingProgress& progress);

struct MeasuredMatrix {
  RttMatrix matrix;     ///< p95, one direction of each pair; unmeasured where nothing answered
  PairDetails details;  ///< of every target, those that never answered too
};
/// What `from` measured. A target of the same name is left out: nobody is far from itself.
MeasuredMatrix matrix_of(const std::string& from, const Measurement& measurement);

}  // namespace gedge
