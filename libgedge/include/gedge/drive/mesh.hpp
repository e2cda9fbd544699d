// gedge/drive/mesh.hpp - round-trip times between all pairs of places that this process can probe
// from.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "gedge/base/result.hpp"
#include "gedge/latency/matrix.hpp"
#include "gedge/latency/prober.hpp"
#include "gedge/port/probe_network.hpp"

namespace gedge {

/// A place of a mesh: its probes leave from this address of this machine, and those of others come
/// to this port. Two places never share a name.
struct MeshNode {
  std::string name;
  IpAddress address;
};

struct MeshOptions {
  std::size_t size = 56;  ///< bytes of payload
  /// To each pair. An interval of 0 sends in batches, as fast as the gap allows.
  ProbePlan plan{.count = 1, .interval = Nanos{0}};
  /// Has a place of this process, by its number in the list, send a probe back that came to it;
  /// false where there is none (gedge/io/udp_echoes.hpp). Called for each probe until it is so.
  /// Empty: places answer by themselves.
  std::function<bool(std::size_t place)> answer = {};
  /// Only pairs whose second place has the number `share` modulo `shares`. Threads can so measure a
  /// mesh together, each with a network of its own; no place answers for two of them.
  std::uint32_t share = 0, shares = 1;
};

struct MeasuredMesh {
  RttMatrix matrix;  ///< p95, the same for both directions; kUnmeasured where nothing answered
  std::uint64_t probes = 0, lost = 0;
  OddReplies odd;
};

/// Adds what another share has measured of the same places.
void add_share(MeasuredMesh& mesh, const MeasuredMesh& share);

/// Called some fifty times a second, with the probes that are settled.
using MeshProgress = std::function<void(std::uint64_t settled)>;

/// Measures every pair once, by UDP: each place probes those behind it, one place after the other.
/// A round trip goes both ways, so it stands for both directions.
/// Memory: the matrix, 4 bytes for each of its cells, and some hundred bytes for each place.
/// Errors: those of ProbeNetwork::open. A pair that never answers is no error: it is unmeasured.
Result<MeasuredMesh> measure_mesh(ProbeNetwork& network, const std::vector<MeshNode>& nodes,
                                  const MeshOptions& options, const MeshProgress& progress);

}  // namespace gedge
